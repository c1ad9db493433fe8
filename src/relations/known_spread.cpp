// What spreads is a residual and how much of it is known; their quotient is a local mean that fades to 0 far away.
#include "relations/known_spread.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/parallel.h"
#include "relations/ridge.h"

namespace factorgcn::relations {
namespace {

constexpr int kFolds = 5, kSpreadSteps = 6;
constexpr float kSpreadKept = 0.8F, kDoubt = 0.3F;
constexpr double kFeaturePenalty = 3;

class Spreader {
 public:
  Spreader(const RelationGraph& graph, const EdgeFeatures& features, int relations)
      : graph_(graph),
        features_(features),
        relations_(relations),
        width_(relations + 1),
        degrees_(static_cast<std::size_t>(graph.nodes), 0) {
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      ++degrees_[graph.sources[edge]];
      ++degrees_[graph.targets[edge]];
    }
  }

  /// [E, L] from those of the known edges that `used` says.
  std::vector<float> fit(const KnownEdges& known, const std::vector<double>& targets, const std::vector<char>& used) {
    const std::vector<double> weights = ridge(known, targets, used);
    std::vector<float> values(static_cast<std::size_t>(graph_.edges()) * relations_);
    for_each_edge([&](std::int64_t edge) { predict(weights, edge, values.data() + edge * relations_); });
    std::vector<float> seeds(static_cast<std::size_t>(graph_.edges()) * width_, 0);
    for (std::size_t at = 0; at < known.edges.size(); ++at) {
      if (used[at]) {
        float* seed = seeds.data() + known.edges[at] * width_;
        for (int relation = 0; relation < relations_; ++relation) {
          seed[relation] =
              static_cast<float>(targets[at * relations_ + relation]) - values[known.edges[at] * relations_ + relation];
        }
        seed[relations_] = 1;
      }
    }
    const std::vector<float> spread = spread_out(seeds);
    for_each_edge([&](std::int64_t edge) {
      const float* from = spread.data() + edge * width_;
      for (int relation = 0; relation < relations_; ++relation) {
        values[edge * relations_ + relation] += from[relation] / (from[relations_] + kDoubt);
      }
    });
    return values;
  }

 private:
  template <class Body>
  void for_each_edge(const Body& body) const {
    constexpr std::int64_t kEdges = 8192;
    parallel_tasks((graph_.edges() + kEdges - 1) / kEdges, [&](std::int64_t task) {
      for (std::int64_t edge = task * kEdges; edge < std::min(graph_.edges(), (task + 1) * kEdges); ++edge) {
        body(edge);
      }
    });
  }

  /// [columns + 1, L]; the last row is the constant.
  std::vector<double> ridge(const KnownEdges& known, const std::vector<double>& targets,
                            const std::vector<char>& used) const {
    const int columns = features_.columns + 1;
    std::vector<double> products(static_cast<std::size_t>(columns) * columns, 0);
    std::vector<double> right(static_cast<std::size_t>(columns) * relations_, 0);
    for (std::size_t at = 0; at < known.edges.size(); ++at) {
      if (!used[at]) {
        continue;
      }
      const float* row = features_.row(known.edges[at]);
      const auto value = [&](int column) { return column + 1 == columns ? 1.0 : static_cast<double>(row[column]); };
      for (int a = 0; a < columns; ++a) {
        for (int b = 0; b < columns; ++b) {
          products[static_cast<std::size_t>(a) * columns + b] += value(a) * value(b);
        }
        for (int relation = 0; relation < relations_; ++relation) {
          right[static_cast<std::size_t>(a) * relations_ + relation] += value(a) * targets[at * relations_ + relation];
        }
      }
    }
    return fit_ridge(std::move(products), columns, right, relations_, kFeaturePenalty).weights;
  }

  void predict(const std::vector<double>& weights, std::int64_t edge, float* out) const {
    const float* row = features_.row(edge);
    for (int relation = 0; relation < relations_; ++relation) {
      double sum = weights[static_cast<std::size_t>(features_.columns) * relations_ + relation];
      for (int column = 0; column < features_.columns; ++column) {
        sum += row[column] * weights[static_cast<std::size_t>(column) * relations_ + relation];
      }
      out[relation] = static_cast<float>(sum);
    }
  }

  std::vector<float> spread_out(const std::vector<float>& seeds) const {
    std::vector<float> now = seeds, sums(static_cast<std::size_t>(graph_.nodes) * width_);
    for (int step = 0; step < kSpreadSteps; ++step) {
      std::fill(sums.begin(), sums.end(), 0.0F);
      for (std::int64_t edge = 0; edge < graph_.edges(); ++edge) {
        for (int column = 0; column < width_; ++column) {
          sums[static_cast<std::size_t>(graph_.sources[edge]) * width_ + column] += now[edge * width_ + column];
          sums[static_cast<std::size_t>(graph_.targets[edge]) * width_ + column] += now[edge * width_ + column];
        }
      }
      for_each_edge([&](std::int64_t edge) {
        const std::int32_t a = graph_.sources[edge], b = graph_.targets[edge];
        for (int column = 0; column < width_; ++column) {
          const float mine = now[edge * width_ + column];
          const float near =
              (sums[static_cast<std::size_t>(a) * width_ + column] - mine) / std::max(degrees_[a] - 1, 1.0F) +
              (sums[static_cast<std::size_t>(b) * width_ + column] - mine) / std::max(degrees_[b] - 1, 1.0F);
          now[edge * width_ + column] = seeds[edge * width_ + column] + kSpreadKept * near / 2;
        }
      });
    }
    return now;
  }

  const RelationGraph& graph_;
  const EdgeFeatures& features_;
  int relations_, width_;
  std::vector<float> degrees_;
};

}  // namespace

SpreadFit fit_and_spread(const RelationGraph& graph, const KnownEdges& known, const EdgeFeatures& features,
                         const std::vector<double>& shares, const std::vector<double>& targets) {
  const int relations = known.relations;
  Spreader spreader(graph, features, relations);
  const std::size_t count = known.edges.size();
  SpreadFit result;
  result.folds = static_cast<int>(std::min<std::size_t>(kFolds, count));
  result.left_out.resize(targets.size());
  for (int fold = 0; fold < result.folds; ++fold) {
    std::vector<char> used(count);
    for (std::size_t at = 0; at < count; ++at) {
      used[at] = static_cast<int>(at) % result.folds != fold ? 1 : 0;
    }
    const std::vector<float> values = spreader.fit(known, targets, used);
    for (std::size_t at = 0; at < count; ++at) {
      for (int relation = 0; used[at] == 0 && relation < relations; ++relation) {
        result.left_out[at * relations + relation] = values[known.edges[at] * relations + relation] + shares[relation];
      }
    }
  }
  result.values = spreader.fit(known, targets, std::vector<char>(count, 1));
  for (std::size_t at = 0; at < result.values.size(); ++at) {
    result.values[at] += static_cast<float>(shares[at % relations]);
  }
  return result;
}

}  // namespace factorgcn::relations
