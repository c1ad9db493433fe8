// Tables of rates and shares of edges.
#include "relations/model.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/parallel.h"
#include "relations/column_sums.h"

namespace factorgcn::relations {

void fill_rate_table(const Links& links, const Model& model, Table& y) {
  std::vector<float> scales;
  for (const double rate : model.rates) {
    scales.push_back(static_cast<float>(std::sqrt(rate)));
  }
  const auto background = static_cast<float>(std::sqrt(model.background));
  for_each_row(links, [&](std::int64_t row) {
    const float* z = model.z.row(row);
    float* out = y.row(row);
    const float activity = model.activities[row];
    for (std::size_t column = 0; column < scales.size(); ++column) {
      out[column] = activity * scales[column] * z[column];
    }
    out[scales.size()] = activity * background;
  });
}

std::vector<float> relation_shares(const Links& links, const RelationGraph& graph, const Model& model) {
  Table y(links.nodes, model.groups() + 1);
  fill_rate_table(links, model, y);
  const int relations = model.relations();
  std::vector<float> shares(static_cast<std::size_t>(graph.edges()) * relations);
  constexpr std::int64_t kEdgesPerTask = 16384;
  parallel_tasks((graph.edges() + kEdgesPerTask - 1) / kEdgesPerTask, [&](std::int64_t task) {
    const std::int64_t last = std::min(graph.edges(), (task + 1) * kEdgesPerTask);
    for (std::int64_t edge = task * kEdgesPerTask; edge < last; ++edge) {
      const float* from = y.row(graph.sources[edge]);
      const float* to = y.row(graph.targets[edge]);
      float* out = shares.data() + edge * relations;
      float all = from[model.groups()] * to[model.groups()];
      for (int relation = 0; relation < relations; ++relation) {
        float part = 0;
        for (int column = model.first[relation]; column < model.first[relation + 1]; ++column) {
          part += from[column] * to[column];
        }
        out[relation] = part;
        all += part;
      }
      for (int relation = 0; relation < relations && all > 0; ++relation) {
        out[relation] /= all;
      }
    }
  });
  return shares;
}

}  // namespace factorgcn::relations
