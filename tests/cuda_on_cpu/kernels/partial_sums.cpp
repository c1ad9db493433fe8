#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/partial_sums.cu"
