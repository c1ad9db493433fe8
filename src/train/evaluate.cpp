// Scores batch by batch. Cost: one forward pass over the graphs; for factors a sort of each graph's edges per relation.
#include "factorgcn/train/evaluate.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/weights.h"
#include "train/dealt_part.h"

namespace factorgcn {
namespace {

/// Loss and the task's metric over several batches, each weighted by its rows.
class ScoreSum {
 public:
  explicit ScoreSum(const Dataset& dataset)
      : task_(dataset.task),
        // Data without a task are refused, with the way out, where their first batch is cut.
        metric_(task_ == Task::kNone
                    ? nullptr
                    : find_metric(metric_name(task_))->begin(std::max<std::int64_t>(dataset.num_outputs, 1))) {}

  void add(const at::Tensor& prediction, const at::Tensor& targets) {
    const auto weight = static_cast<double>(targets.size(0));
    loss_ += task_loss(task_, prediction, targets).item<double>() * weight;
    weight_ += weight;
    metric_->add(prediction, targets);
  }

  TaskScore score() const { return {loss_ / weight_, metric_->value()}; }

 private:
  Task task_;
  std::unique_ptr<MetricSum> metric_;
  double loss_ = 0, weight_ = 0;
};

/// Hands the predictions for a part, batch by batch, to `see(prediction, targets)`.
template <class See>
void predict_part(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size,
                  bool last_batch_only, const See& see) {
  require(!part.empty(), "data set ", dataset.name, ": there are no graphs to score");
  const EvaluationMode mode(model);
  const at::Device device = device_of(model);
  auto batches = cut_batches(part.graphs, batch_size);
  if (last_batch_only) {
    batches.erase(batches.begin(), batches.end() - 1);
  }
  for (const auto ids : batches) {
    const LabelledBatch batch = select_batch(dataset, ids, part.counted);
    const at::Tensor prediction = model.forward(move_batch(batch.graphs, device), false).prediction.to(at::kCPU);
    see(batch.counted(prediction), batch.targets);
  }
}

/// One graph of a batch with ids that start at 0. In-edges are sorted by target, so a graph's edges lie together.
struct LocalEdges {
  std::vector<std::int32_t> sources, targets;
  std::int64_t first_edge = 0;

  void cut(const GraphBatch& batch, std::int64_t graph) {
    const std::int64_t* nodes = batch.graph_offsets.data_ptr<std::int64_t>();
    const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    const std::int32_t* from = batch.edges.in_sources.data_ptr<std::int32_t>();
    const auto first_node = static_cast<std::int32_t>(nodes[graph]);
    first_edge = offsets[nodes[graph]];
    sources.clear();
    targets.clear();
    for (std::int64_t node = nodes[graph]; node < nodes[graph + 1]; ++node) {
      for (std::int64_t edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
        sources.push_back(from[edge] - first_node);
        targets.push_back(static_cast<std::int32_t>(node) - first_node);
      }
    }
  }
};

/// Scores of samples as rows of a table, which processes can hand each other. A sample without relations has NaN.
class SampleRows {
 public:
  SampleRows(const GroundTruth& truth, std::span<const std::int64_t> graphs) : types_(truth.num_types()) {
    for (const std::int64_t graph : graphs) {
      most_matches_ = std::max(most_matches_, truth.num_parts(graph));
    }
  }

  std::int64_t columns() const { return kScores + 2 * most_matches_; }

  void write(int factors, const std::optional<SampleScore>& score, double* row) const {
    std::fill_n(row, columns(), std::numeric_limits<double>::quiet_NaN());
    row[0] = factors;
    if (score) {
      row[1] = score->ged_e;
      row[2] = score->ged_e_chance.value_or(row[2]);
      row[3] = score->relation_auc.value_or(row[3]);
      row[4] = score->relation_auc_chance.value_or(row[4]);
      double* to = row + kScores;
      for (const FactorMatch& match : score->matches) {
        *to++ = match.type;
        *to++ = match.factor;
      }
    }
  }

  DisentanglementScore score(const at::Tensor& rows) const {
    const double* row = rows.data_ptr<double>();
    DisentanglementScorer scorer(types_, static_cast<int>(row[0]));
    for (std::int64_t sample = 0; sample < rows.size(0); ++sample, row += columns()) {
      if (!std::isnan(row[1])) {
        scorer.add(read(row));
      }
    }
    return scorer.score();
  }

 private:
  static constexpr std::int64_t kScores = 5;

  SampleScore read(const double* row) const {
    const auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
    SampleScore score{{}, row[1], known(row[2]), known(row[3]), known(row[4])};
    for (const double* from = row + kScores; from < row + columns() && !std::isnan(*from); from += 2) {
      score.matches.push_back({static_cast<int>(from[0]), static_cast<int>(from[1]), 0});
    }
    return score;
  }

  std::int64_t types_, most_matches_ = 0;
};

/// A row for each graph of a batch.
at::Tensor score_samples(GraphModel& model, const Dataset& dataset, std::span<const std::int64_t> graphs, int layer,
                         const SampleRows& rows, ChanceDraws chance) {
  const GraphBatch batch = select_graphs(dataset.graphs, graphs);
  const at::Tensor coefficients =
      model.factor_coefficients(move_batch(batch, device_of(model)), layer - 1).to(at::kCPU, at::kDouble).contiguous();
  require(coefficients.dim() == 2 && coefficients.size(0) == batch.num_edges(), "factor coefficients are ",
          coefficients.sizes(), "; expected a row for each of ", batch.num_edges(), " edges");
  const std::int64_t factors = coefficients.size(1);
  const DisentanglementScorer scorer(dataset.truth.num_types(), static_cast<int>(factors), chance);
  const std::int64_t* nodes = batch.graph_offsets.data_ptr<std::int64_t>();
  at::Tensor result = at::zeros({static_cast<std::int64_t>(graphs.size()), rows.columns()}, at::kDouble);
  LocalEdges edges;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    edges.cut(batch, static_cast<std::int64_t>(index));
    const double* values = coefficients.data_ptr<double>() + edges.first_edge * factors;
    const FactorGraphs view{nodes[index + 1] - nodes[index],
                            static_cast<int>(factors),
                            edges.sources,
                            edges.targets,
                            {values, edges.sources.size() * static_cast<std::size_t>(factors)}};
    rows.write(static_cast<int>(factors), scorer.score_sample(view, dataset.truth, graphs[index]),
               result.data_ptr<double>() + static_cast<std::int64_t>(index) * rows.columns());
  }
  return result;
}

}  // namespace

const char* metric_name(Task task) {
  switch (task) {
    case Task::kMultiLabel:
      return "micro_f1";
    case Task::kRegression:
      return "mae";
    case Task::kGraphClass:
      return "accuracy";
    case Task::kNodeClass:
      return "mean_recall";
    case Task::kNone:
      break;
  }
  fail("unknown task ", static_cast<int>(task));
}

TargetKind target_kind(Task task) {
  switch (task) {
    case Task::kMultiLabel:
      return TargetKind::kLabels;
    case Task::kRegression:
      return TargetKind::kValues;
    case Task::kGraphClass:
    case Task::kNodeClass:
      return TargetKind::kClasses;
    case Task::kNone:
      break;
  }
  fail("there is nothing to score without a task");
}

bool better_metric(Task task, double left, double right) {
  return smaller_is_better(metric_name(task)) ? left < right : left > right;
}

TaskScore score_task(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size,
                     bool last_batch_only) {
  ScoreSum sum(dataset);
  predict_part(model, dataset, part, batch_size, last_batch_only,
               [&](const at::Tensor& prediction, const at::Tensor& targets) { sum.add(prediction, targets); });
  return sum.score();
}

OwnObjective score_objective(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size,
                             std::uint64_t seed) {
  const EvaluationMode mode(model);
  OwnObjective mean;
  double graphs = 0;
  for (const auto ids : cut_batches(part.graphs, batch_size)) {
    const LabelledBatch batch = select_batch(dataset, ids, part.counted);
    const Lesson lesson{batch.targets, 1, RandomStream(seed, concat("objective/graph ", graphs)).next()};
    const OwnObjective own = model.own_objective(batch.graphs, lesson);
    const auto count = static_cast<double>(ids.size());
    mean.value += own.value * count;
    mean.terms.resize(own.terms.size());
    for (std::size_t index = 0; index < own.terms.size(); ++index) {
      mean.terms[index].first = own.terms[index].first;
      mean.terms[index].second += own.terms[index].second * count;
    }
    graphs += count;
  }
  mean.value /= graphs;
  for (auto& [name, value] : mean.terms) {
    value /= graphs;
  }
  return mean;
}

PartScores score_part(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size,
                      Group* group) {
  Answers answers(target_kind(dataset.task), std::max<std::int64_t>(dataset.num_outputs, 1));
  if (group != nullptr) {
    require(!part.empty(), "data set ", dataset.name, ": there are no graphs to score");
    const DealtPart dealt(dataset, part, batch_size, *group);
    const at::Tensor prediction = dealt.predict(model);
    answers.add(prediction, dealt.targets());
    return {score_predictions(dataset, prediction, dealt.targets(), dealt.batch_rows()), answers.rows(),
            score_answers(answers)};
  }
  ScoreSum sum(dataset);
  predict_part(model, dataset, part, batch_size, /*last_batch_only=*/false,
               [&](const at::Tensor& prediction, const at::Tensor& targets) {
                 sum.add(prediction, targets);
                 answers.add(prediction, targets);
               });
  return {sum.score(), answers.rows(), score_answers(answers)};
}

TaskScore score_predictions(const Dataset& dataset, const at::Tensor& prediction, const at::Tensor& targets,
                            std::span<const std::int64_t> batch_rows) {
  ScoreSum sum(dataset);
  std::int64_t first = 0;
  for (const std::int64_t rows : batch_rows) {
    sum.add(prediction.narrow(0, first, rows), targets.narrow(0, first, rows));
    first += rows;
  }
  require(first == prediction.size(0), "there are ", prediction.size(0), " predictions for ", first, " targets");
  return sum.score();
}

std::optional<DisentanglementScore> score_factors(GraphModel& model, const Dataset& dataset,
                                                  std::span<const std::int64_t> graphs, int layer,
                                                  std::int64_t batch_size, Group* group) {
  if (layer == 0 || graphs.empty() || dataset.truth.empty() || model.num_factor_layers() == 0) {
    return {};
  }
  require_usage(layer >= 1 && layer <= model.num_factor_layers(), "'metric_layer' is ", layer, "; the model has ",
                model.num_factor_layers(), " layers with factor graphs");
  const EvaluationMode mode(model);
  const auto batches = cut_batches(graphs, batch_size);
  const ChanceDraws chance = ChanceDraws::for_samples(static_cast<std::int64_t>(graphs.size()));
  const SampleRows rows(dataset.truth, graphs);
  std::optional<DealtBatches> dealt;
  if (group != nullptr) {
    std::vector<std::int64_t> sizes;
    for (const auto batch : batches) {
      sizes.push_back(static_cast<std::int64_t>(batch.size()));
    }
    dealt.emplace(std::move(sizes), *group);
  }
  std::vector<at::Tensor> own{at::zeros({0, rows.columns()}, at::kDouble)};
  for (std::size_t index = 0; index < batches.size(); ++index) {
    if (!dealt || dealt->is_own(index)) {
      own.push_back(score_samples(model, dataset, batches[index], layer, rows, chance));
    }
  }
  return rows.score(dealt ? dealt->gather(at::cat(own)) : at::cat(own));
}

}  // namespace factorgcn
