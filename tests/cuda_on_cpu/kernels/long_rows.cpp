#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/long_rows.cu"
