#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/weighted_aggregate.cu"
