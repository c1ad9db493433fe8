// Pairs are found node by node: a node's pairs with smaller nodes are what leads to it from them, and from it to them.
#include "nn/aligned/pair_graphs.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

#include "factorgcn/base/error.h"
#include "nn/aligned/walks.h"

namespace factorgcn::aligned {
namespace {

at::Tensor whole_numbers(std::int64_t count) { return at::empty({count}, at::TensorOptions().dtype(at::kLong)); }

/// One edge between a node and a smaller one.
struct Crossing {
  std::int32_t smaller;
  bool to_smaller;
  std::int64_t edge;  ///< among the in-edges
};

/// The edges' numbers among the in-edges, in the order of the out-edges.
std::vector<std::int64_t> in_places(const Adjacency& edges) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(edges.num_edges()));
  const auto* const in_to_out = edges.in_to_out.data_ptr<std::int64_t>();
  for (std::int64_t edge = 0; edge < edges.num_edges(); ++edge) {
    places[static_cast<std::size_t>(in_to_out[edge])] = edge;
  }
  return places;
}

}  // namespace

PairGraphs connect_pairs(std::span<const NodePair> pairs, const at::Tensor& graph_offsets) {
  const auto count = static_cast<std::int64_t>(pairs.size());
  const std::int64_t graphs = graph_offsets.numel() - 1;
  const auto* const firsts = graph_offsets.data_ptr<std::int64_t>();
  const std::int64_t nodes = firsts[graphs];
  PairGraphs result;
  result.graph_offsets = graph_offsets;
  result.ends = whole_numbers(2 * count);
  result.left = result.ends.narrow(0, 0, count);
  result.right = result.ends.narrow(0, count, count);
  result.graph_of_pair = whole_numbers(count);
  result.pair_of_arc = whole_numbers(2 * count);
  result.end_of_arc = whole_numbers(2 * count);
  result.pair_offsets = at::zeros({graphs + 1}, at::TensorOptions().dtype(at::kLong));
  result.multiplicity = at::empty({count}, at::TensorOptions().dtype(at::kFloat));
  Adjacency& arcs = result.arcs;
  arcs.in_offsets = at::zeros({nodes + 1}, at::TensorOptions().dtype(at::kLong));
  arcs.in_sources = at::empty({2 * count}, at::TensorOptions().dtype(at::kInt));
  arcs.in_to_out = whole_numbers(2 * count);

  auto* const offsets = arcs.in_offsets.data_ptr<std::int64_t>();
  for (const NodePair& pair : pairs) {
    ++offsets[pair.left + 1];
    ++offsets[pair.right + 1];
  }
  for (std::int64_t node = 0; node < nodes; ++node) {
    offsets[node + 1] += offsets[node];
  }
  auto* const left = result.left.data_ptr<std::int64_t>();
  auto* const right = result.right.data_ptr<std::int64_t>();
  auto* const graph_of_pair = result.graph_of_pair.data_ptr<std::int64_t>();
  auto* const pair_of_arc = result.pair_of_arc.data_ptr<std::int64_t>();
  auto* const end_of_arc = result.end_of_arc.data_ptr<std::int64_t>();
  auto* const pair_offsets = result.pair_offsets.data_ptr<std::int64_t>();
  auto* const multiplicity = result.multiplicity.data_ptr<float>();
  auto* const sources = arcs.in_sources.data_ptr<std::int32_t>();
  auto* const in_to_out = arcs.in_to_out.data_ptr<std::int64_t>();
  std::vector<std::int64_t> next(offsets, offsets + nodes);
  std::int64_t graph = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    const NodePair& pair = pairs[static_cast<std::size_t>(index)];
    while (pair.right >= firsts[graph + 1]) {
      pair_offsets[++graph] = index;
    }
    left[index] = pair.left;
    right[index] = pair.right;
    graph_of_pair[index] = graph;
    multiplicity[index] = pair.multiplicity;
    // In the order of pairs a node's smaller neighbours come first, then its larger ones: its arcs rise.
    const std::int64_t to_right = next[static_cast<std::size_t>(pair.right)]++;
    const std::int64_t to_left = next[static_cast<std::size_t>(pair.left)]++;
    sources[to_right] = pair.left;
    sources[to_left] = pair.right;
    pair_of_arc[to_right] = pair_of_arc[to_left] = index;
    end_of_arc[to_left] = index;
    end_of_arc[to_right] = count + index;
    in_to_out[to_right] = to_left;
    in_to_out[to_left] = to_right;
  }
  while (graph < graphs) {
    pair_offsets[++graph] = count;
  }
  arcs.out_offsets = arcs.in_offsets;
  arcs.out_targets = arcs.in_sources;
  result.walks = walk_counts(arcs, graph_offsets, result.left, result.right);
  return result;
}

BatchPairs pairs_of(const GraphBatch& batch, bool weighted) {
  const Adjacency& edges = batch.edges;
  const auto* const in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
  const auto* const sources = edges.in_sources.data_ptr<std::int32_t>();
  const auto* const out_offsets = edges.out_offsets.data_ptr<std::int64_t>();
  const auto* const targets = edges.out_targets.data_ptr<std::int32_t>();
  const float* const weights = weighted ? batch.edge_weights.data_ptr<float>() : nullptr;
  const std::vector<std::int64_t> places = in_places(edges);
  BatchPairs result;
  result.pair_of_edge = at::full({edges.num_edges()}, -1, at::TensorOptions().dtype(at::kLong));
  auto* const pair_of_edge = result.pair_of_edge.data_ptr<std::int64_t>();
  std::vector<NodePair> pairs;
  pairs.reserve(static_cast<std::size_t>(edges.num_edges()) / 2);
  std::vector<Crossing> crossings;
  for (std::int32_t node = 0; node < edges.num_nodes(); ++node) {
    crossings.clear();
    for (std::int64_t edge = in_offsets[node]; edge < in_offsets[node + 1]; ++edge) {
      if (sources[edge] < node) {
        crossings.push_back({sources[edge], false, edge});
      }
    }
    for (std::int64_t out = out_offsets[node]; out < out_offsets[node + 1]; ++out) {
      if (targets[out] < node) {
        crossings.push_back({targets[out], true, places[static_cast<std::size_t>(out)]});
      }
    }
    std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
      return a.smaller != b.smaller ? a.smaller < b.smaller : a.edge < b.edge;
    });
    for (std::size_t at = 0; at < crossings.size();) {
      const std::int32_t smaller = crossings[at].smaller;
      float sums[2] = {0, 0};
      for (; at < crossings.size() && crossings[at].smaller == smaller; ++at) {
        const float weight = weights == nullptr ? 1.0F : weights[crossings[at].edge];
        require_usage(weight >= 0, "model aligned: an edge has the weight ", weight,
                      "; weights say how many parts lie on an edge and cannot be negative");
        sums[crossings[at].to_smaller ? 1 : 0] += weight;
        pair_of_edge[crossings[at].edge] = static_cast<std::int64_t>(pairs.size());
      }
      pairs.push_back({smaller, node, std::max(sums[0], sums[1])});
    }
  }
  result.graphs = connect_pairs(pairs, batch.graph_offsets);
  return result;
}

PairGraphs move_pairs(const PairGraphs& graphs, at::Device device) {
  if (device.is_cpu()) {
    return graphs;
  }
  PairGraphs moved;
  const auto there = [&](const at::Tensor& tensor) { return tensor.to(device); };
  moved.arcs = {there(graphs.arcs.in_offsets), there(graphs.arcs.in_sources), {}, {}, there(graphs.arcs.in_to_out)};
  moved.arcs.out_offsets = moved.arcs.in_offsets;
  moved.arcs.out_targets = moved.arcs.in_sources;
  moved.graph_offsets = there(graphs.graph_offsets);
  moved.pair_offsets = there(graphs.pair_offsets);
  moved.ends = there(graphs.ends);
  moved.left = moved.ends.narrow(0, 0, graphs.num_pairs());
  moved.right = moved.ends.narrow(0, graphs.num_pairs(), graphs.num_pairs());
  moved.graph_of_pair = there(graphs.graph_of_pair);
  moved.pair_of_arc = there(graphs.pair_of_arc);
  moved.end_of_arc = there(graphs.end_of_arc);
  moved.multiplicity = there(graphs.multiplicity);
  moved.walks = there(graphs.walks);
  return moved;
}

}  // namespace factorgcn::aligned
