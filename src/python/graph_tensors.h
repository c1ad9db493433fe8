// A data set of the tensors that describe one graph, or a batch of graphs, in memory.
//
// Whatever is wrong with them is an Error that names the value. Cost: O(N F + E).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "factorgcn/data/dataset.h"

namespace factorgcn::python {

/// Undefined: not given.
struct GraphTensors {
  at::Tensor edge_index;  ///< int64 [2, E], sources above targets
  at::Tensor offsets;     ///< int64 [G + 1]: graph g is the nodes offsets[g] .. offsets[g + 1]; else one graph
  std::int64_t num_nodes = 0;
  at::Tensor x;                     ///< float [N, F], or int64 [N]: types; else in-degrees are the nodes' types
  at::Tensor y;                     ///< classes, int64 [N] or [G], -1: not known; values, float [G, C]; labels, bool
  std::array<at::Tensor, 3> masks;  ///< bool over nodes or graphs: training, validation, test; none at all: drawn
  at::Tensor edge_weight;           ///< float [E]
  at::Tensor edge_type;             ///< int64 [E] from 0: the true relations, for scores; models do not see them
};

/// settings: {"name", "directed", "self_loops", "seed" (of a drawn split), "task" (node_class, graph_class, regression,
/// multi_label; where y does not tell), "node_names", "output_names", "relation_names"}.
Dataset dataset_of_tensors(const GraphTensors& tensors, const nlohmann::json& settings);

}  // namespace factorgcn::python
