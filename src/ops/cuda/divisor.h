// Division by a number that the host knows: a product and a shift, where the hardware takes some twenty instructions.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace factorgcn::cuda {

/// n / d rounded down, exact for n >= 0 and n d < 2^31.
class Divisor {
 public:
  Divisor() = default;
  explicit Divisor(int d) : reciprocal_((std::uint32_t(1) << 31) / static_cast<std::uint32_t>(d) + 1) {}

  __host__ __device__ __forceinline__ int operator()(int n) const {
    return static_cast<int>(std::uint64_t(static_cast<std::uint32_t>(n)) * reciprocal_ >> 31);
  }

 private:
  std::uint32_t reciprocal_ = 0;  // 2^31 / d, rounded up
};

}  // namespace factorgcn::cuda
