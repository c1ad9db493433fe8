// Slow, obvious twins of what graph/ does, and random graphs to compare them on.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "factorgcn/graph/adjacency.h"
#include "factorgcn/graph/graph.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn::brute_force {

template <class T>
std::vector<T> values(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  const T* data = flat.data_ptr<T>();
  return std::vector<T>(data, data + flat.numel());
}

template <class T>
at::Tensor tensor(const std::vector<T>& values) {
  at::Tensor result = at::empty({static_cast<std::int64_t>(values.size())}, c10::CppTypeToScalarType<T>::value);
  std::copy(values.begin(), values.end(), result.data_ptr<T>());
  return result;
}

/// Float features [rows, columns] that differ in each place.
inline at::Tensor counting_features(std::int64_t rows, std::int64_t columns, float first = 0) {
  at::Tensor result = at::empty({rows, columns}, at::kFloat);
  for (std::int64_t index = 0; index < rows * columns; ++index) {
    result.data_ptr<float>()[index] = first + static_cast<float>(index);
  }
  return result;
}

/// The arrays of Adjacency, found by walking the whole edge list once for each node.
struct Orders {
  std::vector<std::int64_t> in_offsets{0}, out_offsets{0}, in_to_out;
  std::vector<std::int32_t> in_sources, out_targets;
  bool operator==(const Orders&) const = default;
};

inline Orders orders(std::int64_t nodes, const std::vector<std::int32_t>& source,
                     const std::vector<std::int32_t>& target) {
  Orders result;
  std::vector<std::size_t> in_edges;
  std::vector<std::size_t> out_edges;
  for (std::int64_t node = 0; node < nodes; ++node) {
    for (std::size_t edge = 0; edge < source.size(); ++edge) {
      if (target[edge] == node) {
        in_edges.push_back(edge);
        result.in_sources.push_back(source[edge]);
      }
      if (source[edge] == node) {
        out_edges.push_back(edge);
        result.out_targets.push_back(target[edge]);
      }
    }
    result.in_offsets.push_back(static_cast<std::int64_t>(in_edges.size()));
    result.out_offsets.push_back(static_cast<std::int64_t>(out_edges.size()));
  }
  for (const std::size_t edge : in_edges) {
    result.in_to_out.push_back(std::find(out_edges.begin(), out_edges.end(), edge) - out_edges.begin());
  }
  return result;
}

inline Orders orders(const Adjacency& adjacency) {
  Orders result;
  result.in_offsets = values<std::int64_t>(adjacency.in_offsets);
  result.out_offsets = values<std::int64_t>(adjacency.out_offsets);
  result.in_to_out = values<std::int64_t>(adjacency.in_to_out);
  result.in_sources = values<std::int32_t>(adjacency.in_sources);
  result.out_targets = values<std::int32_t>(adjacency.out_targets);
  return result;
}

/// Inside a RapidCheck property: a graph of 1 .. 8 nodes with any edges, parallel ones and self loops included.
/// columns = 0 asks for node types.
inline Graph random_graph(std::int64_t columns) {
  Graph graph;
  graph.num_nodes = *rc::gen::inRange(1, 9);
  const auto node = rc::gen::inRange<std::int32_t>(0, static_cast<std::int32_t>(graph.num_nodes));
  for (const auto& [source, target] :
       *rc::gen::container<std::vector<std::pair<std::int32_t, std::int32_t>>>(rc::gen::pair(node, node))) {
    graph.source.push_back(source);
    graph.target.push_back(target);
  }
  const int first = *rc::gen::inRange(0, 1000);
  if (columns > 0) {
    graph.features = counting_features(graph.num_nodes, columns, static_cast<float>(first));
  } else {
    std::vector<std::int64_t> types(static_cast<std::size_t>(graph.num_nodes));
    for (std::size_t index = 0; index < types.size(); ++index) {
      types[index] = first + static_cast<std::int64_t>(index);
    }
    graph.features = tensor(types);
  }
  return graph;
}

/// True where `batch` is the disjoint union of the graphs, built from one long edge list.
inline bool is_union(const GraphBatch& batch, const std::vector<Graph>& graphs) {
  std::vector<std::int64_t> graph_offsets{0};
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
  std::vector<float> floats;
  std::vector<std::int64_t> types;
  for (const Graph& graph : graphs) {
    const auto shift = static_cast<std::int32_t>(graph_offsets.back());
    for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
      source.push_back(graph.source[edge] + shift);
      target.push_back(graph.target[edge] + shift);
    }
    if (graph.features.dim() == 2) {
      const std::vector<float> more = values<float>(graph.features);
      floats.insert(floats.end(), more.begin(), more.end());
    } else {
      const std::vector<std::int64_t> more = values<std::int64_t>(graph.features);
      types.insert(types.end(), more.begin(), more.end());
    }
    graph_offsets.push_back(graph_offsets.back() + graph.num_nodes);
  }
  const bool same_features = batch.features.dim() == 2
                                 ? types.empty() && values<float>(batch.features) == floats
                                 : floats.empty() && values<std::int64_t>(batch.features) == types;
  return values<std::int64_t>(batch.graph_offsets) == graph_offsets && same_features &&
         batch.features.size(0) == graph_offsets.back() &&
         orders(batch.edges) == orders(graph_offsets.back(), source, target);
}

}  // namespace factorgcn::brute_force
