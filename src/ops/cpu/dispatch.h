// The kernels in use. Built without architecture flags, so looking is safe on any processor.
#pragma once

#include "ops/cpu/kernels.h"

namespace factorgcn::cpu {

const CpuKernels& kernels();

}  // namespace factorgcn::cpu
