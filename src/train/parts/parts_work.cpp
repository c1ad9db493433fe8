// Steps and scores over all parts of a graph.
#include "train/parts/parts_work.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/classification.h"
#include "factorgcn/nn/models_in_parts.h"
#include "factorgcn/train/objective.h"
#include "train/update_rows.h"

namespace factorgcn {
namespace {

/// The cross entropy of a role's nodes: of each part the share that its nodes have in the whole.
class RoleLoss {
 public:
  RoleLoss(PartedGraph& graph, Part role, ClassWeights weights) {
    const at::Tensor counts = graph.class_counts(role);
    weights_ = node_class_weights(weights, counts);
    whole_ = weight_of(counts);
    for (std::size_t own = 0; own < graph.own_parts(); ++own) {
      labelled_.push_back(graph.labelled(own, role));
    }
  }

  const PartedGraph::Labelled& labelled(std::size_t own) const { return labelled_[own]; }

  at::Tensor of_part(std::size_t own, const at::Tensor& prediction) const {
    const auto& [rows, classes] = labelled_[own];
    if (rows.numel() == 0) {
      return prediction.sum() * 0;  // other parts' nodes depend on this part's: the way back must exist
    }
    const double share = weight_of(at::bincount(classes, {}, weights_.numel())) / whole_;
    return task_loss(Task::kNodeClass, at::index_select(prediction, 0, rows), classes, weights_).mul(share);
  }

 private:
  double weight_of(const at::Tensor& counts) const {
    double sum = 0;
    for (std::int64_t label = 0; label < counts.numel(); ++label) {
      sum += static_cast<double>(counts.data_ptr<std::int64_t>()[label]) *
             static_cast<double>(weights_.data_ptr<float>()[label]);
    }
    return sum;
  }

  at::Tensor weights_;
  double whole_ = 0;
  std::vector<PartedGraph::Labelled> labelled_;
};

std::vector<std::int64_t> parts_of_ranks(const PartedGraph& graph, Group* group) {
  return first_parts(static_cast<std::int64_t>(graph.manifest().parts.size()), group == nullptr ? 1 : group->size());
}

class PartsStepRunner : public StepRunner {
 public:
  PartsStepRunner(GraphModel& model, PartedGraph& graph, const PartNetworks& networks, const TrainOptions& options,
                  Adam& adam)
      : graph_(graph),
        networks_(networks),
        lambda_(options.lambda),
        loss_(graph, Part::kTrain, options.class_weights),
        rows_(model, adam, options, parts_of_ranks(graph, options.group), SummedBuffers::kNone) {
    for (const auto& network : networks_) {
      share_weights(model, *network);
      auto& own = parameters_.emplace_back();
      for (const auto& item : network->named_parameters()) {
        own.push_back(item.value());
      }
    }
  }

  void begin_epoch(std::span<const std::int64_t> /*graphs*/, std::int64_t /*first*/, double /*progress*/) override {
    losses_.clear();
  }

  void step(std::int64_t /*batch*/, std::uint64_t seed) override {
    rows_.begin();
    for (std::size_t own = 0; own < networks_.size(); ++own) {
      networks_[own]->train();
      for (at::Tensor& parameter : parameters_[own]) {
        parameter.mutable_grad().reset();
      }
      graph_.pieces()[own].seed = RandomStream(seed, concat("train/part ", graph_.first_part() + own)).next();
    }
    std::vector<ModelOutput> outputs = forward_in_parts(networks_, graph_.pieces(), graph_.links(), lambda_ > 0);
    at::Tensor all;
    std::vector<BatchLoss> losses;
    for (std::size_t own = 0; own < networks_.size(); ++own) {
      const at::Tensor task = loss_.of_part(own, outputs[own].prediction), &regulariser = outputs[own].regulariser;
      const at::Tensor total = regulariser.defined() ? task.add(regulariser, lambda_) : task;
      losses.push_back({total.item<double>(), task.item<double>(),
                        regulariser.defined() ? regulariser.item<double>() : 0.0});
      all = all.defined() ? all + total : total;
    }
    outputs.clear();
    all.backward();
    for (std::size_t own = 0; own < networks_.size(); ++own) {
      rows_.take_gradients(static_cast<std::int64_t>(own), parameters_[own]);
      rows_.take_loss(static_cast<std::int64_t>(own), losses[own]);
    }
    losses_.push_back(rows_.finish());
  }

  bool tells_at_once() const override { return true; }
  bool stop_asked() const override { return rows_.stop_asked(); }
  std::vector<BatchLoss> settle() override { return std::exchange(losses_, {}); }

 private:
  PartedGraph& graph_;
  const PartNetworks& networks_;
  double lambda_;
  RoleLoss loss_;
  UpdateRows rows_;
  std::vector<std::vector<at::Tensor>> parameters_;  ///< of each copy
  std::vector<BatchLoss> losses_;
};

/// The first of the largest scores; -1 where one is NaN.
std::int64_t chosen_class(const float* scores, std::int64_t classes) {
  std::int64_t best = 0;
  for (std::int64_t label = 0; label < classes; ++label) {
    if (std::isnan(scores[label])) {
      return -1;
    }
    best = scores[label] > scores[best] ? label : best;
  }
  return best;
}

class RoleScorer : public PartScorer {
 public:
  RoleScorer(PartedGraph& graph, const PartNetworks& networks, Part role)
      : graph_(graph), networks_(networks), loss_(graph, role, ClassWeights::kTask) {}

  TaskScore score(std::uint64_t /*seed*/) override {
    const PartsScore all = score_all();
    const auto recall = find_metric(metric_name(Task::kNodeClass))->score_counts(all.confusion).value;
    return {all.loss, recall.value_or(std::numeric_limits<double>::quiet_NaN())};
  }

  PartsScore score_all() {
    const at::NoGradGuard no_grad;
    for (const auto& network : networks_) {
      network->eval();  // a step puts them back
    }
    const std::vector<ModelOutput> outputs =
        forward_in_parts(networks_, graph_.pieces(), graph_.links(), /*with_regulariser=*/false);
    const std::int64_t classes = graph_.manifest().outputs, cells = classes * (classes + 1);
    std::vector<at::Tensor> own_rows;
    for (std::size_t own = 0; own < networks_.size(); ++own) {
      const Confusion counts = confusion_of(own, outputs[own].prediction);
      // Counts are exact in a double, and travel with the loss.
      at::Tensor row = at::empty({cells + 1}, at::kDouble);
      std::copy(counts.counts().begin(), counts.counts().end(), row.data_ptr<double>());
      row.data_ptr<double>()[cells] = loss_.of_part(own, outputs[own].prediction).item<double>();
      own_rows.push_back(row);
    }
    const at::Tensor all = graph_.links().gather(own_rows);
    PartsScore result{0, Confusion(classes)};
    for (std::int64_t part = 0; part < all.size(0); ++part) {
      const double* const row = all.data_ptr<double>() + part * (cells + 1);
      result.loss += row[cells];
      for (std::int64_t target = 0; target < classes; ++target) {
        for (std::int64_t chosen = 0; chosen <= classes; ++chosen) {
          result.confusion.add(target, chosen == classes ? -1 : chosen,
                               static_cast<std::int64_t>(row[target * (classes + 1) + chosen]));
        }
      }
    }
    return result;
  }

 private:
  Confusion confusion_of(std::size_t own, const at::Tensor& prediction) const {
    const std::int64_t classes = graph_.manifest().outputs;
    const at::Tensor scores = prediction.to(at::kFloat).contiguous();
    const auto& [rows, targets] = loss_.labelled(own);
    Confusion counts(classes);
    for (std::int64_t index = 0; index < rows.numel(); ++index) {
      const std::int64_t row = rows.data_ptr<std::int64_t>()[index];
      counts.add(targets.data_ptr<std::int64_t>()[index],
                 chosen_class(scores.data_ptr<float>() + row * classes, classes));
    }
    return counts;
  }

  PartedGraph& graph_;
  const PartNetworks& networks_;
  RoleLoss loss_;
};

std::int64_t nodes_in_role(const PartsManifest& manifest, Part role) {
  return manifest.total(role == Part::kTrain        ? &PartEntry::train
                        : role == Part::kValidation ? &PartEntry::validation
                                                    : &PartEntry::test);
}

}  // namespace

PartsScore score_parts(PartedGraph& graph, const PartNetworks& networks, Part role) {
  return RoleScorer(graph, networks, role).score_all();
}

TrainWork work_on_parts(GraphModel& model, PartedGraph& graph, const PartNetworks& networks,
                        const TrainOptions& options) {
  TrainWork work;
  work.name = graph.manifest().name;
  work.task = graph.manifest().task;
  if (nodes_in_role(graph.manifest(), Part::kTrain) > 0) {
    work.train.graphs = {0};  // the whole graph is a batch
  }
  work.make_runner = [&model, &graph, &networks, &options](Adam& adam, const DataPart&) {
    return std::make_unique<PartsStepRunner>(model, graph, networks, options, adam);
  };
  work.make_scorer = [&graph, &networks](Part role) -> std::unique_ptr<PartScorer> {
    return nodes_in_role(graph.manifest(), role) == 0 ? nullptr : std::make_unique<RoleScorer>(graph, networks, role);
  };
  return work;
}

}  // namespace factorgcn
