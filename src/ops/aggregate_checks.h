// The arguments of factor_aggregate and its twins, checked: the same on the CPU and on the GPU, values aside, which a
// GPU keeps to itself.
#pragma once

#include <utility>
#include <vector>

#include "factorgcn/graph/adjacency.h"
#include "ops/checks.h"

namespace factorgcn {

/// Keeps the inputs alive while raw pointers are in use.
struct AggregateArguments {
  const char* operation;
  at::Tensor left, right, source_weight, target_weight;
  Adjacency edges;
  double gate_scale;
  std::vector<at::Tensor> tables;  // what is summed: [N, d] or [N, K, d]

  AggregateArguments(const char* name, std::vector<at::Tensor> tables_given, const at::Tensor& left_given,
                     const at::Tensor& right_given, const OptionalTensor& source_given,
                     const OptionalTensor& target_given, Adjacency edges_given, double scale)
      : operation(name),
        left(left_given),
        right(right_given),
        source_weight(value_or_undefined(source_given)),
        target_weight(value_or_undefined(target_given)),
        edges(std::move(edges_given)),
        gate_scale(scale),
        tables(std::move(tables_given)) {
    check_gates();
    check_edges();
    for (at::Tensor& table : tables) {
      check_values(table);
    }
    for (at::Tensor* weight : {&source_weight, &target_weight}) {
      if (weight->defined()) {
        check_table(operation, weight == &source_weight ? "source_weight" : "target_weight", *weight, {nodes()}, left);
        *weight = weight->contiguous();
      }
    }
  }

  std::int64_t nodes() const { return left.size(0); }
  std::int64_t factors() const { return left.size(1); }
  static std::int64_t width(const at::Tensor& table) { return table.size(-1); }
  std::int64_t total_width() const {
    std::int64_t total = 0;
    for (const at::Tensor& table : tables) {
      total += width(table);
    }
    return total;
  }

 private:
  void check_gates() {
    require(left.defined() && left.dim() == 2, operation, ": left must have shape [nodes, factors]");
    const std::int64_t n = nodes(), k = factors();
    require(k >= 1, operation, ": ", k, " factors; at least 1 is needed");
    check_table(operation, "left", left, {n, k}, left);
    check_table(operation, "right", right, {n, k}, left);
    if (left.stride(1) != 1 || right.stride(1) != 1 || left.stride(0) != right.stride(0) || left.stride(0) < k) {
      left = left.contiguous();
      right = right.contiguous();
    }
  }

  void check_edges() const {
    const std::int64_t n = nodes(), e = edges.num_edges();
    check_index(operation, "in_offsets", edges.in_offsets, at::kLong, n + 1, left);
    check_index(operation, "in_sources", edges.in_sources, at::kInt, e, left);
    if (edges.out_offsets.defined()) {
      check_index(operation, "out_offsets", edges.out_offsets, at::kLong, n + 1, left);
      check_index(operation, "out_targets", edges.out_targets, at::kInt, e, left);
    }
  }

  void check_values(at::Tensor& table) const {
    require(table.defined() && (table.dim() == 2 || table.dim() == 3) && width(table) >= 1, operation,
            ": features must have shape [nodes, columns] with at least 1 column");
    const std::vector<std::int64_t> shape = table.dim() == 3
                                                ? std::vector<std::int64_t>{nodes(), factors(), width(table)}
                                                : std::vector<std::int64_t>{nodes(), width(table)};
    check_table(operation, "features", table, shape, left);
    table = table.contiguous();
  }
};

}  // namespace factorgcn
