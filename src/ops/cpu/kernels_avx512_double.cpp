// The kernels of kernels_avx512.cpp in double precision.
#if defined(__AVX512F__)
#define FACTORGCN_ISA avx512
#define FACTORGCN_VECTOR_BYTES 64
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

KernelSet<double> avx512_double_kernels() { return avx512::kernel_set<double>(); }

}  // namespace factorgcn::cpu
#endif
