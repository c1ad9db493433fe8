// What the operations of factor_aggregate on the GPU share: checked inputs, and how a pass is run on them.
#pragma once

#include <ATen/ops/empty.h>

#include <utility>
#include <vector>

#include "ops/aggregate_checks.h"
#include "ops/cuda/aggregate.h"
#include "ops/cuda/glue.h"
#include "ops/one_table.h"

namespace factorgcn::cuda {

/// Whether some row is so long that it is worth cutting up; see aggregate_inputs.cpp.
bool has_long_rows(const at::Tensor& offsets, std::int64_t edges);

/// Passes of a layer each way, its own and its discriminator's: they may run at the same time.
inline constexpr int kLayerPasses = 2;

/// The long rows of a graph's edges, by target or by source, for a number of passes over them at the same time.
class LongRowLists {
 public:
  /// Empty where the graph has no long rows.
  LongRowLists(const at::Tensor& offsets, std::int64_t edges, int passes);
  /// Of some others' memory().
  LongRowLists(at::Tensor memory, std::int64_t rows, std::int64_t edges);

  LongRowSearch search(const at::Tensor& offsets) const;
  /// For the pass of that number.
  LongRows rows(int pass) const;
  const at::Tensor& memory() const { return memory_; }

 private:
  LongPiece* pieces() const { return reinterpret_cast<LongPiece*>(memory_.data_ptr<std::int64_t>()); }
  int* used() const { return reinterpret_cast<int*>(pieces() + places_); }
  int* counts() const { return used() + 1; }
  std::int64_t bytes(int passes) const;

  at::Tensor memory_;
  std::int64_t edges_, places_ = 0;
  int longest_ = 0, passes_ = 0;
};

/// The checked arguments, laid out for the kernels.
struct Inputs : AggregateArguments {
  Inputs(const char* name, std::vector<at::Tensor> tables_given, const at::Tensor& left_given,
         const at::Tensor& right_given, const OptionalTensor& source_given, const OptionalTensor& target_given,
         Adjacency edges_given, double scale)
      : AggregateArguments(name, std::move(tables_given), left_given, right_given, source_given, target_given,
                           std::move(edges_given), scale) {
    require_one_table(operation, sources(), targets());
    const auto bytes = static_cast<std::int64_t>(left.element_size()) * factors() * total_width();
    require(bytes <= kMaxRowBytes, operation, ": ", factors(), " factors of ", total_width(), " columns take ", bytes,
            " bytes a node; on the GPU at most ", kMaxRowBytes, " are supported");
  }

  std::int64_t nodes() const { return sources(); }
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
    p.gate_stride = gate_stride();
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

  /// Runs a pass, and looks for long rows before it.
  template <class T>
  void run(PassProblem<T>& p, Pass pass, cudaStream_t stream) const {
    const at::Tensor& offsets = pass == Pass::kSources ? edges.out_offsets : edges.in_offsets;
    const LongRowLists lists(offsets, p.edges, 1);
    find_long_rows(lists.search(offsets), {}, stream);
    run(p, pass, lists.rows(0), stream);
  }

  /// The same with long rows that are known already.
  template <class T>
  void run(PassProblem<T>& p, Pass pass, const LongRows& long_rows, cudaStream_t stream) const {
    at::Tensor sums;
    p.long_rows = long_rows;
    if (p.long_rows.longest > 0) {
      sums = at::empty({static_cast<std::int64_t>(long_row_sums(p))}, left.options().dtype(at::kByte));
      p.long_rows.sums = sums.data_ptr();
    }
    run_pass(p, pass, stream);
    check_launch();
  }
};

}  // namespace factorgcn::cuda
