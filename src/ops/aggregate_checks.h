// The arguments of factor_aggregate and its twins, checked: the same on the CPU and on the GPU, values aside, which a
// GPU keeps to itself. Edges may lead from one table of nodes, S sources, to another, T targets.
#pragma once

#include <utility>
#include <vector>

#include "ops/edge_checks.h"

namespace factorgcn {

/// Keeps the inputs alive while raw pointers are in use.
struct AggregateArguments {
  const char* operation;
  at::Tensor left, right, source_weight, target_weight;
  Adjacency edges;
  double gate_scale;
  std::vector<at::Tensor> tables;  // what is summed: [S, d] or [S, K, d]

  AggregateArguments(const char* name, std::vector<at::Tensor> tables_given, const at::Tensor& left_given,
                     const at::Tensor& right_given, const OptionalTensor& source_given,
                     const OptionalTensor& target_given, Adjacency edges_given, double scale)
      : operation(name),
        left(left_given),
        right(right_given),
        edges(std::move(edges_given)),
        gate_scale(scale),
        tables(std::move(tables_given)) {
    check_gates();
    check_edge_shapes(operation, edges, sources(), targets(), left);
    for (at::Tensor& table : tables) {
      check_values(table);
    }
    source_weight = checked_if_given(operation, "source_weight", source_given, {sources()}, left);
    target_weight = checked_if_given(operation, "target_weight", target_given, {targets()}, left);
  }

  std::int64_t sources() const { return left.size(0); }
  std::int64_t targets() const { return right.size(0); }
  /// Distance between rows of left and of right.
  std::int64_t gate_stride() const { return gate_stride_; }
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
    const std::int64_t k = factors();
    require(k >= 1, operation, ": ", k, " factors; at least 1 is needed");
    check_table(operation, "right", right, {targets_beside(edges, sources()), k}, left);
    gate_stride_ = left.stride(0);
    if (left.stride(1) != 1 || right.stride(1) != 1 || gate_stride_ != right.stride(0) || gate_stride_ < k) {
      left = left.contiguous();
      right = right.contiguous();
      gate_stride_ = k;  // of a single row a tensor may say anything
    }
  }

  void check_values(at::Tensor& table) const {
    require(table.defined() && (table.dim() == 2 || table.dim() == 3) && width(table) >= 1, operation,
            ": features must have shape [nodes, columns] with at least 1 column");
    const std::vector<std::int64_t> shape = table.dim() == 3
                                                ? std::vector<std::int64_t>{sources(), factors(), width(table)}
                                                : std::vector<std::int64_t>{sources(), width(table)};
    check_table(operation, "features", table, shape, left);
    table = table.contiguous();
  }

  std::int64_t gate_stride_ = 0;
};

/// What each operation sums, refused unless it has the operation's shape.
inline std::vector<at::Tensor> shared_table(const at::Tensor& h) {
  require(h.defined() && h.dim() == 2, "factor_aggregate: h must have shape [nodes, columns]");
  return {h};
}
inline std::vector<at::Tensor> table_pair(const at::Tensor& h, const at::Tensor& q) {
  require(h.defined() && h.dim() == 2 && q.defined() && q.dim() == 2,
          "factor_aggregate_pair: h and q must have shape [nodes, columns]");
  return {h, q};
}
inline std::vector<at::Tensor> table_of_each(const at::Tensor& p) {
  require(p.defined() && p.dim() == 3, "factor_aggregate_each: p must have shape [nodes, factors, columns]");
  return {p};
}
/// Of factor_aggregate_backward, which serves all three.
inline std::vector<at::Tensor> table_or_pair(const at::Tensor& x, const OptionalTensor& q) {
  return q.has_value() ? std::vector<at::Tensor>{x, *q} : std::vector<at::Tensor>{x};
}

/// What factor_aggregate_backward is given besides, checked: the gradients of its results.
struct AggregateUpstream {
  std::vector<at::Tensor> tables;
  at::Tensor gate_sum;  // or undefined

  AggregateUpstream(const AggregateArguments& in, const at::Tensor& grad_out, const OptionalTensor& grad_q_out,
                    const OptionalTensor& grad_gate_sum)
      : tables{grad_out} {
    require_both_orders(in.operation, in.edges);
    if (in.tables.size() > 1) {
      require(grad_q_out.has_value(), in.operation, ": q was given without grad_q_out");
      tables.push_back(*grad_q_out);
    }
    for (std::size_t t = 0; t < tables.size(); ++t) {
      tables[t] = checked_values(in.operation, t == 0 ? "grad_out" : "grad_q_out", tables[t],
                                 {in.targets(), in.factors(), in.width(in.tables[t])}, in.left);
    }
    gate_sum = checked_if_given(in.operation, "grad_gate_sum", grad_gate_sum, {in.targets(), in.factors()}, in.left);
  }
};

}  // namespace factorgcn
