// A GPU without enough memory: one line that says how much was wanted, how much is free and what helps.
#pragma once

#include <c10/util/Exception.h>

#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/device.h"

namespace factorgcn {

/// "... Tried to allocate 2.00 GiB. GPU 0 ..." -> "2.00 GiB"; empty where the text is another.
inline std::string wanted_memory(const std::string& text) {
  const std::string before = "Tried to allocate ";
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) {
    return "";
  }
  const std::size_t end = text.find_first_of(".(", text.find(' ', begin + before.size()));
  std::string amount = text.substr(begin + before.size(), end - begin - before.size());
  return amount.substr(0, amount.find_last_not_of(' ') + 1);
}

/// Runs `work` on `device`, a name that device_from_name() knows.
template <class Work>
auto explaining_short_memory(const std::string& device, const Work& work) {
  try {
    return work();
  } catch (const c10::OutOfMemoryError& error) {
    const std::string wanted = wanted_memory(error.what_without_backtrace());
    std::string free;
    try {
      const GpuMemory memory = gpu_memory(device_from_name(device));
      free = concat(", of whose ", memory.total >> 20, " MiB ", memory.free >> 20, " MiB are free");
    } catch (const std::exception&) {  // the first message is the one that matters
    }
    fail("out of memory on the GPU", wanted.empty() ? "" : concat(": ", wanted, " more were needed"), free,
         "; take a smaller --batch-size, --data-on-device never or --device cpu");
  }
}

}  // namespace factorgcn
