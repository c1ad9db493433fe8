#include <cuda_runtime.h>  // as nvcc does by itself

#include "optim/cuda/adam.cu"
