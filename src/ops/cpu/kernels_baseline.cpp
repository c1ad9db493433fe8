// The kernels for any processor of this architecture: 16-byte vectors (SSE2 on x86-64, NEON on AArch64).
#define FACTORGCN_ISA baseline
#define FACTORGCN_VECTOR_BYTES 16
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

const CpuKernels* baseline_kernels() {
  static const CpuKernels kernels{"baseline", baseline::kernel_set<float>(), baseline_double_kernels()};
  return &kernels;
}

}  // namespace factorgcn::cpu
