// Columns are computed one known edge at a time, on the thread pool.
#include "relations/edge_kernels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "factorgcn/base/parallel.h"

namespace factorgcn::relations {
namespace {

constexpr double kSpread = 0.9;
constexpr int kSpreadRounds = 40, kWalkSteps = 3;

/// Divides column c by the mean of the kernel's diagonal, so that kernels can be mixed.
void scale_diagonal(KernelColumns& kernel, const std::vector<std::int64_t>& known) {
  const std::size_t count = known.size();
  double sum = 0;
  for (std::size_t at = 0; at < count; ++at) {
    sum += kernel[static_cast<std::size_t>(known[at]) * count + at];
  }
  const auto scale = static_cast<float>(sum > 0 ? static_cast<double>(count) / sum : 1.0);
  for (float& value : kernel) {
    value *= scale;
  }
}

/// Where lazy walks from `node` are after some steps, as a vector of length 1.
std::vector<float> walk_from(const Links& links, std::int32_t node) {
  std::vector<float> now(static_cast<std::size_t>(links.nodes), 0), next(now);
  now[node] = 1;
  for (int step = 0; step < kWalkSteps; ++step) {
    std::fill(next.begin(), next.end(), 0.0F);
    for (std::int64_t row = 0; row < links.nodes; ++row) {
      if (now[row] == 0) {
        continue;
      }
      next[row] += now[row] / 2;
      for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
        const float weight = links.weighted() ? links.weights[at] : 1.0F;
        next[links.neighbours[at]] += now[row] / 2 * weight / links.strengths[row];
      }
    }
    now.swap(next);
  }
  double squares = 0;
  for (std::int64_t row = 0; row < links.nodes; ++row) {
    now[row] /= std::sqrt(std::max(links.strengths[row], 1.0F));
    squares += static_cast<double>(now[row]) * now[row];
  }
  for (float& value : now) {
    value = static_cast<float>(value / std::sqrt(std::max(squares, 1e-30)));
  }
  return now;
}

}  // namespace

KernelColumns feature_kernel(const EdgeFeatures& features, const std::vector<std::int64_t>& known, double width) {
  KernelColumns kernel(static_cast<std::size_t>(features.edges) * known.size());
  const double scale = -1 / (2 * width * width * std::max(features.columns, 1));
  parallel_tasks(features.edges, [&](std::int64_t edge) {
    for (std::size_t at = 0; at < known.size(); ++at) {
      double distance = 0;
      for (int column = 0; column < features.columns; ++column) {
        const double off = features.row(edge)[column] - features.row(known[at])[column];
        distance += off * off;
      }
      kernel[edge * known.size() + at] = static_cast<float>(std::exp(distance * scale));
    }
  });
  return kernel;
}

KernelColumns ends_kernel(const Links& links, const RelationGraph& graph, const std::vector<std::int64_t>& known) {
  std::map<std::int32_t, std::size_t> place;  // of the known edges' ends
  for (const std::int64_t edge : known) {
    place.try_emplace(graph.sources[edge], 0);
    place.try_emplace(graph.targets[edge], 0);
  }
  std::vector<std::int32_t> ends;
  for (auto& [node, at] : place) {
    at = ends.size();
    ends.push_back(node);
  }
  // alike[end][node]: the product of the two nodes' walks.
  std::vector<std::vector<float>> walks(ends.size());
  parallel_tasks(static_cast<std::int64_t>(ends.size()),
                 [&](std::int64_t at) { walks[at] = walk_from(links, ends[at]); });
  std::vector<std::vector<float>> alike(ends.size(), std::vector<float>(static_cast<std::size_t>(links.nodes)));
  parallel_tasks(links.nodes, [&](std::int64_t node) {
    const std::vector<float> walk = walk_from(links, static_cast<std::int32_t>(node));
    for (std::size_t at = 0; at < ends.size(); ++at) {
      double product = 0;
      for (std::size_t place_at = 0; place_at < walk.size(); ++place_at) {
        product += static_cast<double>(walk[place_at]) * walks[at][place_at];
      }
      alike[at][node] = static_cast<float>(product);
    }
  });
  KernelColumns kernel(static_cast<std::size_t>(graph.edges()) * known.size());
  parallel_tasks(static_cast<std::int64_t>(known.size()), [&](std::int64_t at) {
    const std::vector<float>& from = alike[place.at(graph.sources[known[at]])];
    const std::vector<float>& to = alike[place.at(graph.targets[known[at]])];
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      const std::int32_t a = graph.sources[edge], b = graph.targets[edge];
      const float crossed = graph.directed ? 0 : from[b] * to[a];
      kernel[edge * known.size() + at] = from[a] * to[b] + crossed;
    }
  });
  scale_diagonal(kernel, known);
  return kernel;
}

KernelColumns shared_end_kernel(const RelationGraph& graph, const std::vector<std::int64_t>& known) {
  KernelColumns kernel(static_cast<std::size_t>(graph.edges()) * known.size());
  parallel_tasks(static_cast<std::int64_t>(known.size()), [&](std::int64_t at) {
    const std::int32_t from = graph.sources[known[at]], to = graph.targets[known[at]];
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      const std::int32_t a = graph.sources[edge], b = graph.targets[edge];
      const int same = (a == from) + (b == to), crossed = (a == to) + (b == from);
      kernel[edge * known.size() + at] =
          0.5F * static_cast<float>(same) + (graph.directed ? 0.25F : 0.5F) * static_cast<float>(crossed);
    }
  });
  return kernel;
}

KernelColumns spread_kernel(const RelationGraph& graph, const std::vector<std::int64_t>& known) {
  std::vector<float> degrees(static_cast<std::size_t>(graph.nodes), 0);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    ++degrees[graph.sources[edge]];
    ++degrees[graph.targets[edge]];
  }
  std::vector<float> scale(static_cast<std::size_t>(graph.edges()));
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    scale[edge] = 1 / std::sqrt(std::max(degrees[graph.sources[edge]] + degrees[graph.targets[edge]] - 2, 1.0F));
  }
  KernelColumns kernel(static_cast<std::size_t>(graph.edges()) * known.size());
  parallel_tasks(static_cast<std::int64_t>(known.size()), [&](std::int64_t at) {
    std::vector<float> now(scale.size(), 0), sums(static_cast<std::size_t>(graph.nodes));
    now[known[at]] = 1;
    for (int round = 0; round < kSpreadRounds; ++round) {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
        sums[graph.sources[edge]] += scale[edge] * now[edge];
        sums[graph.targets[edge]] += scale[edge] * now[edge];
      }
      for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
        const float others = sums[graph.sources[edge]] + sums[graph.targets[edge]] - 2 * scale[edge] * now[edge];
        now[edge] = static_cast<float>(kSpread) * scale[edge] * others + (edge == known[at] ? 1.0F : 0.0F);
      }
    }
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      kernel[edge * known.size() + at] = now[edge];
    }
  });
  scale_diagonal(kernel, known);
  return kernel;
}

}  // namespace factorgcn::relations
