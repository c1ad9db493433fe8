#include <cuda_runtime.h>  // as nvcc does by itself

#include "graph/cuda/assemble.cu"
