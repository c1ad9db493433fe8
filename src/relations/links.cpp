// Counting sort of edges by their ends, then each row is put in order and its repeats are added up.
#include "relations/links.h"

#include <algorithm>
#include <numeric>

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kLinksPerTask = 16384, kRowsPerTask = 4096;

void cut_tasks(Links& links) {
  RowRange range;
  for (std::int64_t row = 0; row < links.nodes; ++row) {
    const std::int64_t load = links.offsets[row + 1] - links.offsets[range.first];
    if (load >= kLinksPerTask || row + 1 - range.first >= kRowsPerTask || row + 1 == links.nodes) {
      range.last = row + 1;
      links.tasks.push_back(range);
      range.first = row + 1;
    }
  }
}

void scale_weights(Links& links) {
  double sum = 0;
  for (const float weight : links.weights) {
    sum += weight;
  }
  const bool alike = std::all_of(links.weights.begin(), links.weights.end(),
                                 [&](float weight) { return weight == links.weights.front(); });
  if (links.weights.empty() || alike) {
    links.weights.clear();
    return;
  }
  const double scale = static_cast<double>(links.weights.size()) / sum;
  for (float& weight : links.weights) {
    weight = static_cast<float>(weight * scale);
  }
}

/// Sorts each row and adds up links to the same neighbour.
void merge_repeats(Links& links) {
  std::vector<std::pair<std::int32_t, float>> row;
  std::int64_t kept = 0;
  bool repeats = false;
  for (std::int64_t node = 0; node < links.nodes; ++node) {
    row.clear();
    for (std::int64_t at = links.offsets[node]; at < links.offsets[node + 1]; ++at) {
      row.emplace_back(links.neighbours[at], links.weighted() ? links.weights[at] : 1.0F);
    }
    std::sort(row.begin(), row.end());
    const std::int64_t first = kept;
    for (const auto& [neighbour, weight] : row) {
      if (kept > first && links.neighbours[kept - 1] == neighbour) {
        if (!repeats && !links.weighted()) {
          links.weights.assign(links.neighbours.size(), 1.0F);
        }
        repeats = true;
        links.weights[kept - 1] += weight;
        continue;
      }
      links.neighbours[kept] = neighbour;
      if (links.weighted()) {
        links.weights[kept] = weight;
      }
      ++kept;
    }
    links.offsets[node] = first;
  }
  links.offsets[links.nodes] = kept;
  links.neighbours.resize(kept);
  if (links.weighted()) {
    links.weights.resize(kept);
  }
}

}  // namespace

double Links::total() const { return std::accumulate(strengths.begin(), strengths.end(), 0.0) / 2; }

Links make_links(std::int64_t nodes, const std::vector<std::int32_t>& sources, const std::vector<std::int32_t>& targets,
                 const std::vector<float>& weights) {
  Links links;
  links.nodes = nodes;
  links.offsets.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (std::size_t edge = 0; edge < sources.size(); ++edge) {
    ++links.offsets[sources[edge] + 1];
    ++links.offsets[targets[edge] + 1];
  }
  std::partial_sum(links.offsets.begin(), links.offsets.end(), links.offsets.begin());
  std::vector<std::int64_t> place(links.offsets.begin(), links.offsets.end() - 1);
  links.neighbours.resize(2 * sources.size());
  links.weights.resize(weights.empty() ? 0 : 2 * sources.size());
  for (std::size_t edge = 0; edge < sources.size(); ++edge) {
    for (const bool back : {false, true}) {
      const std::int32_t from = back ? targets[edge] : sources[edge], to = back ? sources[edge] : targets[edge];
      const std::int64_t at = place[from]++;
      links.neighbours[at] = to;
      if (!weights.empty()) {
        links.weights[at] = weights[edge];
      }
    }
  }
  place = {};
  merge_repeats(links);
  scale_weights(links);
  links.strengths.assign(static_cast<std::size_t>(nodes), 0);
  for (std::int64_t node = 0; node < nodes; ++node) {
    double sum = 0;
    for (std::int64_t at = links.offsets[node]; at < links.offsets[node + 1]; ++at) {
      sum += links.weighted() ? links.weights[at] : 1.0F;
    }
    links.strengths[node] = static_cast<float>(sum);
  }
  cut_tasks(links);
  return links;
}

Links make_links(const RelationGraph& graph) {
  return make_links(graph.nodes, graph.sources, graph.targets, graph.weights);
}

}  // namespace factorgcn::relations
