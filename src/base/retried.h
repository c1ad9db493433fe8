// System calls that a signal may cut short: asked again until they have an answer of their own.
#pragma once

#include <cerrno>

namespace factorgcn {

/// `call()` returns less than 0 with errno where it failed; EINTR, which says nothing about the file, is not handed on.
/// Not for close(): Linux has closed the descriptor all the same.
template <class Call>
auto retried(const Call& call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) {
      return result;
    }
  }
}

}  // namespace factorgcn
