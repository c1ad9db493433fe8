#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/discriminator_tiles.cu"
