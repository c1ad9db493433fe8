// Gathers the kernels of one instruction set into the table that kernels.h describes. Included last by kernels_*.cpp.
#pragma once

#include "ops/cpu/kernels/batch_norm.h"
#include "ops/cpu/kernels/block_ends.h"
#include "ops/cpu/kernels/capsule_route.h"
#include "ops/cpu/kernels/dense.h"
#include "ops/cpu/kernels/edge_attention.h"
#include "ops/cpu/kernels/elementwise.h"
#include "ops/cpu/kernels/factor_aggregate.h"
#include "ops/cpu/kernels/factor_aggregate_backward.h"
#include "ops/cpu/kernels/gated_aggregate.h"
#include "ops/cpu/kernels/tile_gates.h"
#include "ops/cpu/kernels/tile_sums.h"
#include "ops/cpu/kernels/tile_sums_backward.h"
#include "ops/cpu/kernels/weighted_aggregate.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

template <class T>
KernelSet<T> kernel_set() {
  KernelSet<T> set{};
  set.aggregate_rows = aggregate_rows<T>;
  set.aggregate_backward_sources = aggregate_backward_sources<T>;
  set.aggregate_backward_targets = aggregate_backward_targets<T>;
  set.gate_rows = gate_rows<T>;
  set.tile_gates = tile_gates<T>;
  set.tile_source_gates = tile_source_gates<T>;
  set.tile_gate_sums = tile_gate_sums<T>;
  set.tile_sum = tile_sum<T>;
  set.tile_sum_backward = tile_sum_backward<T>;
  set.tile_gate_backward = tile_gate_backward<T>;
  set.weighted_rows = weighted_rows<T>;
  set.weighted_backward_sources = weighted_backward_sources<T>;
  set.attention_rows = attention_rows<T>;
  set.attention_backward_targets = attention_backward_targets<T>;
  set.attention_backward_sources = attention_backward_sources<T>;
  set.route_rows = route_rows<T>;
  set.route_backward_targets = route_backward_targets<T>;
  set.route_backward_sources = route_backward_sources<T>;
  set.share_rows = share_rows<T>;
  set.gated_rows = gated_rows<T>;
  set.gated_backward_targets = gated_backward_targets<T>;
  set.gated_backward_sources = gated_backward_sources<T>;
  set.panels_size = panels_size<T>;
  set.pack_panels = pack_panels<T>;
  set.dense_rows = dense_rows<T>;
  set.partial_stride = partial_stride<T>;
  set.dense_backward_rows = dense_backward_rows<T>;
  set.unpack_partial = unpack_partial<T>;
  set.column_moments = column_moments<T>;
  set.batch_norm_rows = batch_norm_rows<T>;
  set.batch_norm_backward_sums = batch_norm_backward_sums<T>;
  set.batch_norm_backward_rows = batch_norm_backward_rows<T>;
  set.tanh_values = tanh_values<T>;
  set.tanh_backward = tanh_backward<T>;
  set.leaky_values = leaky_values<T>;
  set.leaky_backward = leaky_backward<T>;
  set.add_rows = add_rows<T>;
  set.spread_row = spread_row<T>;
  set.block_gradient = block_gradient<T>;
  set.block_input_gradient = block_input_gradient<T>;
  set.add_scaled = add_scaled<T>;
  set.pool_graphs = pool_graphs<T>;
  set.pooled_tanh_backward = pooled_tanh_backward<T>;
  return set;
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
