// These have their own versions for the CPU. The GPU's are registered for a kind of device that there is none of;
// layer_weights.h calls them.
#include <torch/library.h>

#include "cuda_on_cpu/glue/as_cpu.h"

#undef CUDA
#define CUDA PrivateUse1
#include "ops/cuda/layer_weights.cpp"
