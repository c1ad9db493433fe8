// The kernels of kernels_avx2.cpp in double precision.
#if defined(__AVX2__)
#define FACTORGCN_ISA avx2
#define FACTORGCN_VECTOR_BYTES 32
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

KernelSet<double> avx2_double_kernels() { return avx2::kernel_set<double>(); }

}  // namespace factorgcn::cpu
#endif
