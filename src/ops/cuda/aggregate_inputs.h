// What the operations of factor_aggregate on the GPU share: checked inputs, and how a pass is run on them.
#pragma once

#include <ATen/ops/empty.h>

#include <utility>
#include <vector>

#include "factorgcn/graph/adjacency.h"
#include "ops/cuda/aggregate.h"
#include "ops/cuda/glue.h"

namespace factorgcn::cuda {

/// Whether some row is so long that it is worth cutting up; see aggregate_inputs.cpp.
bool has_long_rows(const at::Tensor& offsets, std::int64_t edges);

void check_table(const char* operation, const char* name, const at::Tensor& tensor, at::IntArrayRef shape,
                 const at::Tensor& like);

void check_index(const char* operation, const char* name, const at::Tensor& tensor, at::ScalarType type,
                 std::int64_t length, const at::Tensor& like);

/// All inputs, checked and laid out for the kernels; keeps them alive while raw pointers are in use.
struct Inputs {
  const char* operation;
  at::Tensor left, right, source_weight, target_weight;
  Adjacency edges;
  double gate_scale;
  std::vector<at::Tensor> tables;  // what is summed: [N, d] or [N, K, d]

  Inputs(const char* name, std::vector<at::Tensor> tables_given, const at::Tensor& left_given,
         const at::Tensor& right_given, const OptionalTensor& source_given, const OptionalTensor& target_given,
         Adjacency edges_given, double scale)
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
    std::int64_t columns = 0;
    for (at::Tensor& table : tables) {
      check_values(table);
      columns += width(table);
    }
    const auto bytes = static_cast<std::int64_t>(left.element_size()) * factors() * columns;
    require(bytes <= kMaxRowBytes, operation, ": ", factors(), " factors of ", columns, " columns take ", bytes,
            " bytes a node; on the GPU at most ", kMaxRowBytes, " are supported");
    for (at::Tensor* weight : {&source_weight, &target_weight}) {
      if (weight->defined()) {
        check_table(operation, weight == &source_weight ? "source_weight" : "target_weight", *weight, {nodes()}, left);
        *weight = weight->contiguous();
      }
    }
  }

  std::int64_t nodes() const { return left.size(0); }
  std::int64_t factors() const { return left.size(1); }
  std::int64_t width(const at::Tensor& table) const { return table.size(-1); }
  at::Tensor new_result(const at::Tensor& table) const {
    return at::empty({nodes(), factors(), width(table)}, left.options());
  }
  at::Tensor new_gates() const { return at::empty({nodes(), factors()}, left.options()); }

  /// Rows are targets and neighbours sources, or the other way round.
  template <class T>
  PassProblem<T> problem(bool by_target) const {
    PassProblem<T> p;
    p.rows = nodes();
    p.edges = edges.num_edges();
    p.factors = static_cast<int>(factors());
    p.gate_scale = static_cast<T>(gate_scale);
    p.offsets = (by_target ? edges.in_offsets : edges.out_offsets).template data_ptr<std::int64_t>();
    p.neighbours = (by_target ? edges.in_sources : edges.out_targets).template data_ptr<std::int32_t>();
    p.own_gate = (by_target ? right : left).template data_ptr<T>();
    p.their_gate = (by_target ? left : right).template data_ptr<T>();
    p.gate_stride = left.stride(0);
    p.own_weight = values_or_null<T>(by_target ? target_weight : source_weight);
    p.their_weight = values_or_null<T>(by_target ? source_weight : target_weight);
    p.gate_result_stride = factors();
    for (const at::Tensor& table : tables) {
      PassTable<T>& entry = p.tables[p.num_tables++];
      entry.each = table.dim() == 3;
      entry.width = static_cast<int>(width(table));
      entry.x = table.data_ptr<T>();
    }
    return p;
  }

  /// Runs a pass, with scratch for long rows where there are any.
  template <class T>
  void run(PassProblem<T>& p, Pass pass, cudaStream_t stream) const {
    at::Tensor scratch;
    if (has_long_rows(pass == Pass::kSources ? edges.out_offsets : edges.in_offsets, p.edges)) {
      scratch = at::empty({static_cast<std::int64_t>(long_row_scratch(p, pass))}, left.options().dtype(at::kByte));
      p.scratch = scratch.data_ptr();
    }
    run_pass(p, pass, stream);
    check_launch();
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

}  // namespace factorgcn::cuda
