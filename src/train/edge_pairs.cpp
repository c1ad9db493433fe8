// Pairs by sorting: entries with the same two ends lie together, and the n-th of one direction belongs to the n-th of
// the other.
#include "train/edge_pairs.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace factorgcn {
namespace {

std::uint64_t ends_key(std::int32_t source, std::int32_t target) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
}

void find_mates(GraphEdges& edges) {
  const std::size_t count = edges.sources.size();
  edges.mates.assign(count, -1);
  // (smaller end, larger end), direction, place
  std::vector<std::tuple<std::uint64_t, bool, std::uint32_t>> entries;
  entries.reserve(count);
  for (std::size_t edge = 0; edge < count; ++edge) {
    const auto [low, high] = std::minmax(edges.sources[edge], edges.targets[edge]);
    if (low != high) {
      entries.emplace_back(ends_key(low, high), edges.sources[edge] > edges.targets[edge],
                           static_cast<std::uint32_t>(edge));
    }
  }
  std::sort(entries.begin(), entries.end());
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t backward = begin, end = begin;
    while (end < entries.size() && std::get<0>(entries[end]) == std::get<0>(entries[begin])) {
      backward += std::get<1>(entries[end]) ? 0 : 1;
      ++end;
    }
    for (std::size_t pair = 0; begin + pair < backward && backward + pair < end; ++pair) {
      const auto one = std::get<2>(entries[begin + pair]), other = std::get<2>(entries[backward + pair]);
      edges.mates[one] = other;
      edges.mates[other] = one;
    }
    begin = end;
  }
}

}  // namespace

GraphEdges graph_edges(const Dataset& dataset, std::int64_t graph) {
  const GraphStore& store = dataset.graphs;
  const auto* node_offsets = store.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();
  const auto* degrees = store.in_degrees.data_ptr<std::int32_t>() + node_offsets[graph];
  GraphEdges edges;
  edges.first = edge_offsets[graph];
  const auto* source = store.in_sources.data_ptr<std::int32_t>() + edges.first;
  edges.sources.assign(source, source + (edge_offsets[graph + 1] - edges.first));
  edges.targets.reserve(edges.sources.size());
  for (std::int64_t node = 0; node < node_offsets[graph + 1] - node_offsets[graph]; ++node) {
    edges.targets.insert(edges.targets.end(), static_cast<std::size_t>(degrees[node]), static_cast<std::int32_t>(node));
  }
  find_mates(edges);
  const auto* place = store.in_to_out.data_ptr<std::int32_t>() + edges.first;
  edges.order.resize(edges.sources.size());
  for (std::size_t edge = 0; edge < edges.sources.size(); ++edge) {
    edges.order[static_cast<std::size_t>(place[edge])] = static_cast<std::int32_t>(edge);
  }
  return edges;
}

bool is_undirected(const Dataset& dataset, std::span<const std::int64_t> graphs) {
  return !dataset.directed && std::all_of(graphs.begin(), graphs.end(), [&](std::int64_t graph) {
    const GraphEdges edges = graph_edges(dataset, graph);
    for (std::size_t edge = 0; edge < edges.mates.size(); ++edge) {
      if (edges.mates[edge] < 0 && edges.sources[edge] != edges.targets[edge]) {
        return false;
      }
    }
    return true;
  });
}

SelfLoops self_loops_of(const Dataset& dataset) {
  if (dataset.given_edges.defined()) {
    return SelfLoops::kMarked;
  }
  std::int64_t loops = 0;
  const GraphStore& store = dataset.graphs;
  const auto* source = store.in_sources.data_ptr<std::int32_t>();
  const auto* degree = store.in_degrees.data_ptr<std::int32_t>();
  const auto* offsets = store.node_offsets.data_ptr<std::int64_t>();
  for (std::int64_t graph = 0; graph < store.num_graphs(); ++graph) {
    for (std::int32_t node = 0; node < offsets[graph + 1] - offsets[graph]; ++node, ++degree) {
      for (std::int32_t edge = 0; edge < *degree; ++edge) {
        loops += *source++ == node;
      }
    }
  }
  return dataset.added_self_loops > 0 && loops == dataset.added_self_loops ? SelfLoops::kAdded : SelfLoops::kGiven;
}

void EdgeRelations::begin(std::int64_t graph) {
  types_.clear();
  for (std::int64_t index = 0; index < dataset_.truth.num_parts(graph); ++index) {
    const GroundTruth::Part part = dataset_.truth.part(graph, index);
    for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
      types_.emplace_back(ends_key(part.sources[entry], part.targets[entry]), part.type);
    }
  }
  std::sort(types_.begin(), types_.end());
}

void EdgeRelations::collect(std::int32_t source, std::int32_t target, std::vector<std::int32_t>& types) const {
  const std::uint64_t key = ends_key(source, target);
  for (auto entry = std::lower_bound(types_.begin(), types_.end(), std::pair{key, std::int32_t{-1}});
       entry != types_.end() && entry->first == key; ++entry) {
    types.push_back(entry->second);
  }
}

std::string EdgeRelations::of(std::int32_t source, std::int32_t target, bool both) const {
  std::vector<std::int32_t> types;
  collect(source, target, types);
  if (both) {
    collect(target, source, types);
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  std::string text;
  for (const std::int32_t type : types) {
    text += (text.empty() ? "" : ";") + dataset_.truth.type_names[static_cast<std::size_t>(type)];
  }
  return text;
}

}  // namespace factorgcn
