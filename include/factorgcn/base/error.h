// Errors and argument checks.
//
// Every failure a caller can meet is a factorgcn::Error whose message is one line: what was wrong, the value that was
// found and what to do. UsageError marks a wrong command or configuration; the command line turns it into exit code 2.
#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Something the caller gave, or something outside the program, is not as it must be.
class FACTORGCN_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The request itself is wrong: an unknown option, a value out of range, options that exclude each other.
class FACTORGCN_API UsageError : public Error {
 public:
  using Error::Error;
};

/// Joins anything printable into one string. Numbers look the same in every locale: they also go into files and names.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

/// Throws Error with the parts joined into one line.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(concat(parts...));
}

/// Throws Error unless `condition` holds. The message is only built on failure.
template <class... Parts>
void require(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]] {
    fail(parts...);
  }
}

/// Throws UsageError unless `condition` holds.
template <class... Parts>
void require_usage(bool condition, const Parts&... parts) {
  if (!condition) [[unlikely]] {
    throw UsageError(concat(parts...));
  }
}

}  // namespace factorgcn
