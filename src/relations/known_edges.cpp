// Targets are 0 and 1 less the share of known edges that are in the relation, so an edge like none known gets that
// share.
#include "relations/known_edges.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/parallel.h"
#include "factorgcn/eval/relation_auc.h"
#include "relations/edge_kernels.h"
#include "relations/end_shares.h"
#include "relations/known_averaging.h"
#include "relations/known_spread.h"
#include "relations/layer_models.h"
#include "relations/ridge.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kMostKernelValues = 12'000'000;
constexpr std::size_t kMostKernelKnown = 800;
constexpr double kFeatureWidth = 1.5;

struct Mix {
  double features, ends, shared, spread, penalty;
  double weight;  // beforehand, among all answers
};

constexpr Mix kMixes[] = {
    {0, 0, 0, 1, 0.5, 2}, {0.3, 0.3, 0.2, 0.2, 0.4, 1}, {0.1, 0.3, 0.3, 0.3, 1, 2}, {0.7, 0.1, 0.1, 0.1, 0.3, 1}};
constexpr double kEndSharesWeight = 3;
constexpr int kLayerModelFolds = 5;

using LayerModel = std::vector<float> (*)(const RelationGraph&, const KnownEdges&, const std::vector<char>&);

struct WeightedModel {
  LayerModel model;
  double weight;
};

constexpr WeightedModel kLayerModels[] = {{configuration_models, 1}, {community_models, 1}, {crowding_model, 2}};

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

Answer answer_by_kernel(const EdgeKernels& kernels, const Mix& mix, std::int64_t edges, const KnownEdges& known,
                        const Targets& targets) {
  const auto count = static_cast<int>(known.edges.size());
  const int relations = known.relations;
  const RidgeFit fit = fit_ridge(kernels.among_known(mix), count, targets.values, relations, mix.penalty);
  Answer answer;
  answer.weight = mix.weight;
  answer.left_out = fit.left_out;
  for (std::size_t at = 0; at < answer.left_out.size(); ++at) {
    answer.left_out[at] += targets.shares[at % relations];
  }
  answer.predicted.resize(static_cast<std::size_t>(edges) * relations);
  parallel_tasks(edges, [&](std::int64_t edge) {
    std::vector<double> sums = targets.shares;
    for (int at = 0; at < count; ++at) {
      const double alike = kernels.mixed(mix, static_cast<std::size_t>(edge) * count + at);
      for (int relation = 0; relation < relations; ++relation) {
        sums[relation] += alike * fit.weights[static_cast<std::size_t>(at) * relations + relation];
      }
    }
    for (int relation = 0; relation < relations; ++relation) {
      answer.predicted[edge * relations + relation] = static_cast<float>(sums[relation]);
    }
  });
  return answer;
}

/// Known edges are left out a fifth at a time.
Answer answer_by_layers(const WeightedModel& of, const RelationGraph& graph, const KnownEdges& known,
                        Session& session) {
  const std::size_t count = known.edges.size(), relations = static_cast<std::size_t>(known.relations);
  const std::size_t folds = std::min<std::size_t>(kLayerModelFolds, count);
  Answer answer;
  answer.weight = of.weight;
  answer.predicted = of.model(graph, known, std::vector<char>(count, 1));
  answer.left_out.resize(known.truth.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    session.leave_if_stopped();
    std::vector<char> used(count, 1);
    for (std::size_t at = fold; at < count; at += folds) {
      used[at] = 0;
    }
    const std::vector<float> found = of.model(graph, known, used);
    for (std::size_t at = fold; at < count; at += folds) {
      std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(known.edges[at] * known.relations), relations,
                  answer.left_out.begin() + static_cast<std::ptrdiff_t>(at * relations));
    }
  }
  return answer;
}

std::vector<Answer> answers_of_small(const Links& links, const RelationGraph& graph, const KnownEdges& known,
                                     const EdgeFeatures& features, const Targets& targets, Session& session) {
  std::vector<Answer> answers;
  {
    const EdgeKernels kernels(links, graph, known, features);
    for (const Mix& mix : kMixes) {
      session.leave_if_stopped();
      answers.push_back(answer_by_kernel(kernels, mix, graph.edges(), known, targets));
    }
  }
  for (const WeightedModel& model : kLayerModels) {
    answers.push_back(answer_by_layers(model, graph, known, session));
  }
  return answers;
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
  const Targets targets = center(known);
  std::vector<Answer> answers;
  Learnt learnt;
  learnt.report.folds = static_cast<int>(known.edges.size());
  if (kernels) {
    answers = answers_of_small(links, graph, known, features, targets, session);
  } else {
    SpreadFit fit = fit_and_spread(graph, known, features, targets.shares, targets.values);
    learnt.report.folds = fit.folds;
    answers.push_back({std::move(fit.left_out), std::move(fit.values), kEndSharesWeight});
  }
  answers.push_back(end_shares(graph, known));
  answers.back().weight = kEndSharesWeight;
  if (graph.directed) {
    answers.push_back(end_shares(graph, known, EndEdges::kOfThatWay));
    answers.back().weight = kEndSharesWeight;
  }
  for (Answer& answer : answers) {
    scale_answer(known, targets.shares, answer);
  }
  Answer answer = average_answers(known, targets.shares, answers);
  scale_mean(known, targets.shares, answer);
  score_left_out(known, answer.left_out, learnt.report);
  learnt.probabilities = std::move(answer.predicted);
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
