// The kernels in one precision for one instruction set: compiled once for each build that cmake/CpuKernels.cmake lists.
//
// That list gives FACTORGCN_ISA (the namespace that keeps the builds apart), FACTORGCN_VECTOR_BYTES (of its widest
// vector), FACTORGCN_REAL (float or double) and FACTORGCN_KERNELS (the name of the function below).
#include "ops/cpu/kernel_builds.h"
#include "ops/cpu/kernels/kernel_set.h"

namespace factorgcn::cpu {

KernelSet<FACTORGCN_REAL> FACTORGCN_KERNELS() { return FACTORGCN_ISA::kernel_set<FACTORGCN_REAL>(); }

}  // namespace factorgcn::cpu
