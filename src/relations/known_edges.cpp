// Targets are 0 and 1 less the share of known edges that are in the relation, so an edge like none known gets that
// share.
#include "relations/known_edges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "factorgcn/base/error.h"
#include "factorgcn/eval/relation_auc.h"
#include "relations/edge_kernels.h"
#include "relations/known_spread.h"
#include "relations/ridge.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kMostKernelValues = 12'000'000;
constexpr std::size_t kMostKernelKnown = 800;
constexpr double kFeatureWidth = 1.5;

struct Mix {
  double features, ends, shared, spread, penalty;
};

// The first is the usual one: another must do clearly better on known edges that are left out.
constexpr Mix kMixes[] = {{0.3, 0.3, 0.2, 0.2, 0.4}, {0.1, 0.3, 0.3, 0.3, 1}, {0.7, 0.1, 0.1, 0.1, 0.3}};
constexpr double kClearly = 0.98;  // of the usual one's squared error

struct Targets {
  std::vector<double> shares;  // [L] of known edges
  std::vector<double> values;  // [n, L] truth less share
};

Targets center(const KnownEdges& known) {
  Targets targets;
  const std::size_t relations = static_cast<std::size_t>(known.relations), count = known.edges.size();
  targets.shares.assign(relations, 0);
  for (std::size_t at = 0; at < known.truth.size(); ++at) {
    targets.shares[at % relations] += static_cast<double>(known.truth[at] != 0) / static_cast<double>(count);
  }
  for (std::size_t at = 0; at < known.truth.size(); ++at) {
    targets.values.push_back(static_cast<double>(known.truth[at] != 0) - targets.shares[at % relations]);
  }
  return targets;
}

class EdgeKernels {
 public:
  EdgeKernels(const Links& links, const RelationGraph& graph, const KnownEdges& known, const EdgeFeatures& features)
      : known_(known.edges),
        features_(feature_kernel(features, known.edges, kFeatureWidth)),
        ends_(ends_kernel(links, graph, known.edges)),
        shared_(shared_end_kernel(graph, known.edges)),
        spread_(spread_kernel(graph, known.edges)) {}

  double mixed(const Mix& mix, std::size_t at) const {
    return mix.features * features_[at] + mix.ends * ends_[at] + mix.shared * shared_[at] + mix.spread * spread_[at];
  }

  std::vector<double> among_known(const Mix& mix) const {
    const std::size_t count = known_.size();
    std::vector<double> kernel(count * count);
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < count; ++b) {
        kernel[a * count + b] = (mixed(mix, static_cast<std::size_t>(known_[a]) * count + b) +
                                 mixed(mix, static_cast<std::size_t>(known_[b]) * count + a)) /
                                2;
      }
    }
    return kernel;
  }

 private:
  const std::vector<std::int64_t>& known_;
  KernelColumns features_, ends_, shared_, spread_;
};

/// AUC of each relation where at least two known edges are in it and two are not.
void score_left_out(const KnownEdges& known, const std::vector<double>& left_out, KnownEdgesReport& report) {
  const std::size_t relations = static_cast<std::size_t>(known.relations), count = known.edges.size();
  report.known = static_cast<int>(count);
  report.folds = static_cast<int>(count);
  double sum = 0;
  int scored = 0;
  for (std::size_t relation = 0; relation < relations; ++relation) {
    std::vector<float> scores;
    std::vector<std::uint8_t> truth;
    std::size_t in = 0;
    for (std::size_t at = 0; at < count; ++at) {
      scores.push_back(static_cast<float>(left_out[at * relations + relation]));
      truth.push_back(known.truth[at * relations + relation]);
      in += truth.back() != 0 ? 1 : 0;
    }
    const bool enough = in >= 2 && count - in >= 2;
    report.aucs.push_back(enough ? ranking_auc(scores, truth) : kNotKnown);
    sum += enough ? report.aucs.back() : 0;
    scored += enough ? 1 : 0;
  }
  report.mean = scored > 0 ? sum / scored : kNotKnown;
}

Learnt learn_by_kernels(const Links& links, const RelationGraph& graph, const KnownEdges& known,
                        const EdgeFeatures& features, Session& session) {
  const EdgeKernels kernels(links, graph, known, features);
  session.leave_if_stopped();
  const auto count = static_cast<int>(known.edges.size());
  const int relations = known.relations;
  const Targets targets = center(known);
  RidgeFit best;
  const Mix* chosen = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Mix& mix : kMixes) {
    RidgeFit fit = fit_ridge(kernels.among_known(mix), count, targets.values, relations, mix.penalty);
    session.leave_if_stopped();
    double error = 0;
    for (std::size_t at = 0; at < targets.values.size(); ++at) {
      const double off = fit.left_out[at] - targets.values[at];
      const double share = targets.shares[at % relations];
      error += off * off / std::max(share * (1 - share), 1e-9);
    }
    if (chosen == nullptr || error < least * kClearly) {
      least = error;
      best = std::move(fit);
      chosen = &mix;
    }
  }
  Learnt learnt;
  std::vector<double> left_out = best.left_out;
  for (std::size_t at = 0; at < left_out.size(); ++at) {
    left_out[at] += targets.shares[at % relations];
  }
  score_left_out(known, left_out, learnt.report);
  learnt.probabilities.resize(static_cast<std::size_t>(graph.edges()) * relations);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    std::vector<double> sums = targets.shares;
    for (int at = 0; at < count; ++at) {
      const double alike = kernels.mixed(*chosen, static_cast<std::size_t>(edge) * count + at);
      for (int relation = 0; relation < relations; ++relation) {
        sums[relation] += alike * best.weights[static_cast<std::size_t>(at) * relations + relation];
      }
    }
    for (int relation = 0; relation < relations; ++relation) {
      learnt.probabilities[edge * relations + relation] = static_cast<float>(sums[relation]);
    }
  }
  return learnt;
}

/// Into [0, 1] without ties: what is beyond is drawn in towards the ends.
float as_probability(float value) {
  constexpr float kSoft = 0.1F;
  if (value < kSoft) {
    return kSoft * std::exp((value - kSoft) / kSoft);
  }
  return value > 1 - kSoft ? 1 - kSoft * std::exp((1 - kSoft - value) / kSoft) : value;
}

}  // namespace

Learnt learn_known_edges(const Links& links, const RelationGraph& graph, const KnownEdges& known,
                         const EdgeFeatures& features, Session& session) {
  const bool kernels = known.edges.size() <= kMostKernelKnown &&
                       graph.edges() * static_cast<std::int64_t>(known.edges.size()) <= kMostKernelValues &&
                       graph.nodes <= 20'000;
  Learnt learnt;
  if (kernels) {
    learnt = learn_by_kernels(links, graph, known, features, session);
  } else {
    const Targets targets = center(known);
    SpreadFit fit = fit_and_spread(graph, known, features, targets.shares, targets.values);
    learnt.probabilities = std::move(fit.values);
    score_left_out(known, fit.left_out, learnt.report);
    learnt.report.folds = fit.folds;
  }
  for (float& value : learnt.probabilities) {
    value = as_probability(value);
  }
  for (std::size_t at = 0; at < known.edges.size(); ++at) {
    for (int relation = 0; relation < known.relations; ++relation) {
      learnt.probabilities[static_cast<std::size_t>(known.edges[at]) * known.relations + relation] =
          known.truth[at * known.relations + relation] != 0 ? 1.0F : 0.0F;
    }
  }
  return learnt;
}

}  // namespace factorgcn::relations
