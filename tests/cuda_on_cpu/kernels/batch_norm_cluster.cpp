#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/batch_norm_cluster.cu"
