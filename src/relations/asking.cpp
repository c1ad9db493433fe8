// Entropy of an edge's shares times the logarithm of how many edges it touches, chosen greedily.
#include "relations/asking.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace factorgcn::relations {

std::vector<std::int64_t> edges_to_ask(const RelationGraph& graph, const std::vector<float>& shares, int relations,
                                       const KnownEdges& known, int count) {
  std::vector<float> degrees(static_cast<std::size_t>(graph.nodes), 0);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    ++degrees[graph.sources[edge]];
    ++degrees[graph.targets[edge]];
  }
  struct Scored {
    double score;
    std::int64_t edge;
  };
  std::vector<char> is_known(static_cast<std::size_t>(graph.edges()), 0);
  for (const std::int64_t edge : known.edges) {
    is_known[edge] = 1;
  }
  std::unordered_map<std::int32_t, int> touched;
  for (const std::int64_t edge : known.edges) {
    ++touched[graph.sources[edge]];
    ++touched[graph.targets[edge]];
  }
  std::vector<Scored> scored;
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    if (is_known[edge] != 0) {
      continue;
    }
    const float* row = shares.data() + edge * relations;
    double sum = 1e-6, entropy = 0;
    for (int relation = 0; relation < relations; ++relation) {
      sum += row[relation];
    }
    for (int relation = 0; relation < relations; ++relation) {
      const double share = row[relation] / sum;
      entropy -= share > 0 ? share * std::log(share) : 0;
    }
    const double reach = std::log(degrees[graph.sources[edge]] + degrees[graph.targets[edge]]);
    scored.push_back({(entropy + 0.05) * reach, edge});
  }
  const auto before = [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.edge < b.edge;
  };
  const std::size_t pool = std::min(scored.size(), static_cast<std::size_t>(count) * 30 + 100);
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(pool), scored.end(), before);
  scored.resize(pool);
  std::vector<std::int64_t> chosen;
  while (!scored.empty() && static_cast<int>(chosen.size()) < count) {
    auto best = scored.begin();
    double most = -1;
    for (auto candidate = scored.begin(); candidate != scored.end(); ++candidate) {
      const auto seen = [&](std::int32_t node) {
        const auto found = touched.find(node);
        return found == touched.end() ? 0 : found->second;
      };
      const double score =
          candidate->score / (1.0 + seen(graph.sources[candidate->edge]) + seen(graph.targets[candidate->edge]));
      if (score > most) {
        most = score;
        best = candidate;
      }
    }
    chosen.push_back(best->edge);
    ++touched[graph.sources[best->edge]];
    ++touched[graph.targets[best->edge]];
    scored.erase(best);
  }
  return chosen;
}

}  // namespace factorgcn::relations
