// What the operations on edges include on the GPU.
#pragma once

#include <ATen/ops/empty.h>

#include "ops/cuda/aggregate_inputs.h"
#include "ops/cuda/glue.h"
#include "ops/edge_checks.h"
