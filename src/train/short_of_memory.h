// A GPU without enough memory: one line that says how much was wanted, how much is free and what helps.
#pragma once

#include <c10/util/Exception.h>

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/out_of_memory.h"

namespace factorgcn {

/// Runs `work`.
template <class Work>
auto explaining_short_memory(const Work& work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError& error) {
    fail(describe_out_of_memory(error.what_without_backtrace(),
                                "take a smaller --batch-size, --data-on-device never or --device cpu"));
  }
}

}  // namespace factorgcn
