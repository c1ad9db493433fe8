#include <cuda_runtime.h>  // as nvcc does by itself

#include "ops/cuda/layer_forward_tiles.cu"
