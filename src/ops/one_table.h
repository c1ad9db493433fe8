// Two tables of nodes as one, for kernels that take one alone: the GPU's. The shorter table gets rows of zeros, which
// no edge names, and results lose theirs again; gradients go the same way back. Cost: a copy of the shorter table.
#pragma once

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factorgcn/graph/adjacency.h"
#include "ops/registration.h"

namespace factorgcn {

class OneTable {
 public:
  explicit OneTable(const Adjacency& edges)
      : targets_(edges.num_targets()), nodes_(std::max(edges.num_sources(), targets_)), edges_(edges) {
    edges_.in_offsets = longer(edges.in_offsets);
    edges_.out_offsets = longer(edges.out_offsets);
  }

  /// Whether tables on that device have to be made one.
  static bool is_needed(const Adjacency& edges, at::Device device) {
    return !device.is_cpu() && edges.num_sources() != edges.num_targets();
  }

  const Adjacency& edges() const { return edges_; }

  /// A row for each node: [rows, ...] to [nodes, ...].
  at::Tensor padded(const at::Tensor& table) const {
    if (!table.defined() || table.size(0) == nodes_) {
      return table;
    }
    std::vector<std::int64_t> shape = table.sizes().vec();
    shape[0] = nodes_ - shape[0];
    return at::cat({table, at::zeros(shape, table.options())});
  }

  /// The rows of the targets.
  at::Tensor of_targets(const at::Tensor& result) const { return result.narrow(0, 0, targets_); }

 private:
  /// With nodes behind that have no edges.
  at::Tensor longer(const at::Tensor& offsets) const {
    const std::int64_t missing = nodes_ + 1 - offsets.numel();
    return missing == 0 ? offsets : at::cat({offsets, offsets.narrow(0, offsets.numel() - 1, 1).expand({missing})});
  }

  std::int64_t targets_, nodes_;
  Adjacency edges_;
};

/// By kernels that take one table alone.
inline void require_one_table(const char* operation, std::int64_t sources, std::int64_t targets) {
  require(sources == targets, operation, ": ", sources, " sources but ", targets,
          " targets; on a GPU the operation takes one table of nodes, the functions of factorgcn/ops/ take two");
}

}  // namespace factorgcn
