// What every target allows a reader to do: return, or throw an Error of one line.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "factorgcn/base/error.h"

namespace factorgcn {

/// Runs `body`; an Error whose message is empty or has a line break or another control character ends the program, and
/// any other exception passes through.
template <class Body>
void allow_one_line_error(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    bool plain = !message.empty();
    for (const char byte : message) {
      plain = plain && static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f;
    }
    if (!plain) {
      std::fprintf(stderr, "an error that is not one plain line: %s\n", error.what());
      std::abort();
    }
  }
}

}  // namespace factorgcn
