// The kernels for processors with AVX-512 (F, BW, DQ, VL) 64-byte vectors. Built with flags of its own
// (cmake/CpuKernels.cmake); on other architectures there is nothing to build and the table is null.
#include "ops/cpu/kernels.h"

#if defined(__AVX512F__)
#define FACTORGCN_ISA avx512
#define FACTORGCN_VECTOR_BYTES 64
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

const CpuKernels* avx512_kernels() {
  static const CpuKernels kernels{"avx512", avx512::kernel_set<float>(), avx512_double_kernels()};
  return &kernels;
}

}  // namespace factorgcn::cpu
#else
namespace factorgcn::cpu {

const CpuKernels* avx512_kernels() { return nullptr; }

}  // namespace factorgcn::cpu
#endif
