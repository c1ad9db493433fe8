// The kernels for processors with AVX2 and FMA 32-byte vectors. Built with flags of its own (cmake/CpuKernels.cmake);
// on other architectures there is nothing to build and the table is null.
#include "ops/cpu/kernels.h"

#if defined(__AVX2__)
#define FACTORGCN_ISA avx2
#define FACTORGCN_VECTOR_BYTES 32
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

const CpuKernels* avx2_kernels() {
  static const CpuKernels kernels{"avx2", avx2::kernel_set<float>(), avx2_double_kernels()};
  return &kernels;
}

}  // namespace factorgcn::cpu
#else
namespace factorgcn::cpu {

const CpuKernels* avx2_kernels() { return nullptr; }

}  // namespace factorgcn::cpu
#endif
