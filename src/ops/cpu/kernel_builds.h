// Which builds of the kernels this library has: a list that cmake/CpuKernels.cmake writes.
#pragma once

#include <span>

#include "ops/cpu/kernels.h"

namespace factorgcn::cpu {

/// The kernels for one instruction set. Only where `runs_here` says so may the other two be called: already the
/// function that returns a table may use the instructions.
struct KernelBuild {
  const char* name;
  bool (*runs_here)();
  KernelSet<float> (*single_precision)();
  KernelSet<double> (*double_precision)();
};

/// Slowest first; at least one.
std::span<const KernelBuild> kernel_builds();

KernelSet<float> baseline_float_kernels();
KernelSet<double> baseline_double_kernels();
KernelSet<float> avx2_float_kernels();
KernelSet<double> avx2_double_kernels();
KernelSet<float> avx512_float_kernels();
KernelSet<double> avx512_double_kernels();

}  // namespace factorgcn::cpu
