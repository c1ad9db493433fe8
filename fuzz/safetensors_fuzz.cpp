// libFuzzer's entry for the target safetensors.
#include <cstddef>
#include <cstdint>

#include "fuzz/mutators.h"
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  factorgcn::fuzz_safetensors({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return factorgcn::mutate_in_place(data, size, most, seed, factorgcn::mutate_safetensors);
}
