#include <torch/library.h>

#include "cuda_on_cpu/glue/as_cpu.h"

#include "ops/cuda/layer_tiles.cpp"
