#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/mean_loss.cu"
