// The kernels of kernels_baseline.cpp in double precision.
#define FACTORGCN_ISA baseline
#define FACTORGCN_VECTOR_BYTES 16
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

KernelSet<double> baseline_double_kernels() { return baseline::kernel_set<double>(); }

}  // namespace factorgcn::cpu
