// Everything that the GPU operations' own sources include, so that names can be changed in those sources alone; then
// the change: what they register for the GPU is registered for tensors on the CPU, which stand for the GPU's.
#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <deque>
#include <mutex>

#include "ops/batch_norm_checks.h"
#include "ops/batch_norm_schema.h"
#include "ops/cuda/aggregate_inputs.h"
#include "ops/cuda/batch_norm.h"
#include "ops/cuda/beside.h"
#include "ops/cuda/dense.h"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/judge_graphs.h"
#include "ops/cuda/layer_inputs.h"
#include "ops/cuda/layer_rows.h"
#include "ops/cuda/loss_row.h"
#include "ops/cuda/put_off_sums.h"
#include "ops/dense_checks.h"
#include "ops/dense_schema.h"
#include "ops/factor_aggregate_schema.h"
#include "ops/late_losses_schema.h"
#include "ops/layer_tiles_schema.h"

#define AutogradCUDA AutogradCPU
#define CUDA CPU
