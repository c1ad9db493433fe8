// Checks of one graph, and the two edits that most data sets need. Cost: check O(N F + E), add_self_loops O(N + E),
// make_undirected O(E log E).
#include "factorgcn/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"
#include "graph/tensor_checks.h"

namespace factorgcn {
namespace {

void check_edges(const Graph& graph) {
  require(graph.num_nodes >= 1, graph.name, ": it has ", graph.num_nodes, " nodes; a graph needs at least 1");
  require(graph.num_nodes <= std::numeric_limits<std::int32_t>::max(), graph.name, ": it has ", graph.num_nodes,
          " nodes; node ids are 32-bit, so at most ", std::numeric_limits<std::int32_t>::max(), " are possible");
  require(graph.source.size() == graph.target.size(), graph.name, ": ", graph.source.size(), " edge sources but ",
          graph.target.size(), " edge targets; there must be as many");
  require(graph.weight.empty() || graph.weight.size() == graph.source.size(), graph.name, ": ", graph.weight.size(),
          " weights for ", graph.source.size(), " edges; give one to each or to none");
  for (std::size_t edge = 0; edge < graph.weight.size(); ++edge) {
    if (!std::isfinite(graph.weight[edge])) [[unlikely]] {
      fail(graph.name, ": the weight of edge ", edge, " is ", graph.weight[edge], "; weights must be finite");
    }
  }
  for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
    for (const std::int32_t node : {graph.source[edge], graph.target[edge]}) {
      if (node < 0 || node >= graph.num_nodes) [[unlikely]] {
        fail(graph.name, ": edge ", edge, " names node ", node, ", but there are ", graph.num_nodes,
             " nodes; ids must be in 0 .. ", graph.num_nodes - 1);
      }
    }
  }
}

void check_float_features(const Graph& graph) {
  const at::Tensor features = graph.features.contiguous();
  const std::int64_t columns = features.size(1);
  const auto* values = features.data_ptr<float>();
  for (std::int64_t index = 0; index < features.numel(); ++index) {
    if (!std::isfinite(values[index])) [[unlikely]] {
      fail(graph.name, ": feature ", index % columns, " of node ", index / columns, " is ", values[index],
           "; features must be finite");
    }
  }
}

void check_node_types(const Graph& graph) {
  const at::Tensor features = graph.features.contiguous();
  const auto* types = features.data_ptr<std::int64_t>();
  for (std::int64_t node = 0; node < features.numel(); ++node) {
    if (types[node] < 0) [[unlikely]] {
      fail(graph.name, ": node ", node, " has type ", types[node], "; node types start at 0");
    }
  }
}

/// An edge as one number, ordered by source, then target.
std::uint64_t edge_key(std::int32_t source, std::int32_t target) {
  return static_cast<std::uint64_t>(source) << 32 | static_cast<std::uint64_t>(target);
}

}  // namespace

void check_graph(const Graph& graph) {
  check_edges(graph);
  const at::Tensor& features = graph.features;
  require(features.defined(), graph.name, ": it has no features; give float [nodes, columns] or int64 [nodes] types");
  if (features.scalar_type() == at::kLong) {
    require_readable(features, at::kLong, graph.name, "features");
    require(features.dim() == 1 && features.size(0) == graph.num_nodes, graph.name, ": node types of shape ",
            shape_text(features), " for ", graph.num_nodes, " nodes; the shape must be [", graph.num_nodes, "]");
    check_node_types(graph);
    return;
  }
  if (is_sparse(features)) {
    check_sparse_rows(sparse_rows(features), graph.name);
    require(features.size(0) == graph.num_nodes, graph.name, ": features of shape ", shape_text(features), " for ",
            graph.num_nodes, " nodes; the shape must be [", graph.num_nodes, ", columns]");
    return;
  }
  require(features.scalar_type() == at::kFloat, graph.name, ": features have type ",
          c10::toString(features.scalar_type()), "; they must be Float (values) or Long (node types)");
  require_readable(features, at::kFloat, graph.name, "features");
  require(features.dim() == 2 && features.size(0) == graph.num_nodes, graph.name, ": features of shape ",
          shape_text(features), " for ", graph.num_nodes, " nodes; the shape must be [", graph.num_nodes, ", columns]");
  require(features.size(1) >= 1, graph.name, ": features have 0 columns; at least 1 is needed");
  check_float_features(graph);
}

void make_undirected(Graph& graph) {
  check_edges(graph);
  const std::size_t listed = graph.source.size();
  std::vector<std::uint64_t> present(listed);
  for (std::size_t edge = 0; edge < listed; ++edge) {
    present[edge] = edge_key(graph.source[edge], graph.target[edge]);
  }
  std::sort(present.begin(), present.end());
  present.erase(std::unique(present.begin(), present.end()), present.end());
  std::vector<char> reversed(present.size(), 0);  // parallel edges ask for one reverse, not for several
  for (std::size_t edge = 0; edge < listed; ++edge) {
    const std::int32_t source = graph.source[edge];
    const std::int32_t target = graph.target[edge];
    if (std::binary_search(present.begin(), present.end(), edge_key(target, source))) {
      continue;
    }
    const auto place = std::lower_bound(present.begin(), present.end(), edge_key(source, target)) - present.begin();
    if (!reversed[static_cast<std::size_t>(place)]) {
      reversed[static_cast<std::size_t>(place)] = 1;
      graph.source.push_back(target);
      graph.target.push_back(source);
      if (!graph.weight.empty()) {
        graph.weight.push_back(graph.weight[edge]);
      }
    }
  }
}

void add_self_loops(Graph& graph) {
  check_edges(graph);
  const bool weighted = !graph.weight.empty();
  const double sum = std::accumulate(graph.weight.begin(), graph.weight.end(), 0.0);
  const auto mean = static_cast<float>(weighted ? sum / static_cast<double>(graph.weight.size()) : 1.0);
  std::vector<char> has_loop(static_cast<std::size_t>(graph.num_nodes), 0);
  for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
    if (graph.source[edge] == graph.target[edge]) {
      has_loop[static_cast<std::size_t>(graph.source[edge])] = 1;
    }
  }
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    if (!has_loop[static_cast<std::size_t>(node)]) {
      graph.source.push_back(static_cast<std::int32_t>(node));
      graph.target.push_back(static_cast<std::int32_t>(node));
      if (weighted) {
        graph.weight.push_back(mean);
      }
    }
  }
}

}  // namespace factorgcn
