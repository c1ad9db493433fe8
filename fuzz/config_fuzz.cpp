// libFuzzer's entry for the target config.
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  factorgcn::fuzz_config({reinterpret_cast<const char*>(data), size});
  return 0;
}
