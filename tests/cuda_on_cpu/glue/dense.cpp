// dense has its own version for the CPU. The GPU's is registered for a kind of device that there is none of; the tests
// of what is put off call it.
#include <torch/library.h>

#include "cuda_on_cpu/glue/as_cpu.h"

#undef CUDA
#define CUDA PrivateUse1
#include "ops/cuda/dense.cpp"
