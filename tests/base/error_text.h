// For tests of refusals: the message of the Error that a call throws.
#pragma once

#include <string>

#include "factorgcn/base/error.h"

namespace factorgcn {

/// The message of the Error that `call` throws; "no error" where it throws none.
template <class Call>
std::string error_text(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The same for UsageError: "no usage error" where another Error or none is thrown.
template <class Call>
std::string usage_error_text(const Call& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  } catch (const Error&) {
  }
  return "no usage error";
}

}  // namespace factorgcn
