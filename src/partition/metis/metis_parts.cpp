// METIS's k-way partitioning. It wants an undirected graph without loops and parallel edges: each node's neighbours,
// whichever way an edge goes, once. Nodes weigh as much as a step works on them: 1 and one for each in-edge.
#include <metis.h>

#include <algorithm>
#include <array>
#include <limits>

#include "factorgcn/base/error.h"
#include "partition/metis.h"

namespace factorgcn {
namespace {

struct Neighbours {
  std::vector<idx_t> offsets{0}, nodes;
};

Neighbours neighbours_of(const GraphStore& graph) {
  const std::int64_t count = graph.num_nodes();
  const auto* const in_degree = graph.in_degrees.data_ptr<std::int32_t>();
  const auto* const out_degree = graph.out_degrees.data_ptr<std::int32_t>();
  const auto* source = graph.in_sources.data_ptr<std::int32_t>();
  const auto* target = graph.out_targets.data_ptr<std::int32_t>();
  Neighbours all;
  all.offsets.reserve(static_cast<std::size_t>(count) + 1);
  for (std::int64_t node = 0; node < count; ++node) {
    const auto begin = static_cast<std::ptrdiff_t>(all.nodes.size());
    all.nodes.insert(all.nodes.end(), source, source + in_degree[node]);
    all.nodes.insert(all.nodes.end(), target, target + out_degree[node]);
    source += in_degree[node];
    target += out_degree[node];
    std::sort(all.nodes.begin() + begin, all.nodes.end());
    all.nodes.erase(std::unique(all.nodes.begin() + begin, all.nodes.end()), all.nodes.end());
    const auto itself = std::find(all.nodes.begin() + begin, all.nodes.end(), static_cast<idx_t>(node));
    if (itself != all.nodes.end()) {
      all.nodes.erase(itself);
    }
    all.offsets.push_back(static_cast<idx_t>(all.nodes.size()));
  }
  return all;
}

}  // namespace

std::string metis_limits(std::int64_t nodes, std::int64_t edges) {
  constexpr std::int64_t kMost = std::numeric_limits<idx_t>::max() / 2;  // edges may count in both directions
  return nodes > kMost || edges > kMost
             ? concat("this METIS counts up to ", kMost, " edges; the graph has ", edges)
             : std::string();
}

std::vector<std::int32_t> metis_parts(const GraphStore& graph, std::int64_t parts, std::uint64_t seed) {
  Neighbours neighbours = neighbours_of(graph);
  idx_t nodes = static_cast<idx_t>(graph.num_nodes()), constraints = 1, wanted = static_cast<idx_t>(parts), cut = 0;
  const auto* const in_degree = graph.in_degrees.data_ptr<std::int32_t>();
  std::vector<idx_t> weights(static_cast<std::size_t>(nodes)), part(weights.size());
  std::transform(in_degree, in_degree + nodes, weights.begin(), [](std::int32_t degree) { return idx_t{1} + degree; });
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % (1U << 30U));
  options[METIS_OPTION_NUMBERING] = 0;
  neighbours.nodes.push_back(0);  // so that a graph without edges has an address, too
  const int outcome = METIS_PartGraphKway(&nodes, &constraints, neighbours.offsets.data(), neighbours.nodes.data(),
                                          weights.data(), nullptr, nullptr, &wanted, nullptr, nullptr, options.data(),
                                          &cut, part.data());
  require(outcome != METIS_ERROR_MEMORY, "METIS ran out of memory; cut the graph with --method hash");
  require(outcome == METIS_OK, "METIS failed (", outcome, "); cut the graph with --method hash");
  return {part.begin(), part.end()};
}

}  // namespace factorgcn
