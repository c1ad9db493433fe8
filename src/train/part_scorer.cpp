// See the header. Cost: one forward pass in batches as large as is sensible, one copy of the predictions.
#include "train/part_scorer.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/weights.h"
#include "train/batch_loader.h"
#include "train/dealt_part.h"
#include "train/recorded.h"

namespace factorgcn {
namespace {

/// Nodes that a forward pass takes at once, where its graphs are small: enough to keep a GPU busy.
constexpr double kNodesAtOnce = 250'000;

class PlainScorer : public PartScorer {
 public:
  PlainScorer(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size,
              bool last_batch_only)
      : model_(model), dataset_(dataset), part_(part), batch_size_(batch_size), last_batch_only_(last_batch_only) {}

  TaskScore score(std::uint64_t seed) override {
    at::manual_seed(seed);
    return score_task(model_, dataset_, part_, batch_size_, last_batch_only_);
  }

 private:
  GraphModel& model_;
  const Dataset& dataset_;
  DataPart part_;
  std::int64_t batch_size_;
  bool last_batch_only_;
};

class SharedScorer : public PartScorer {
 public:
  SharedScorer(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size, Group& group)
      : model_(model), dataset_(dataset), part_(dataset, part, batch_size, group) {}

  TaskScore score(std::uint64_t seed) override {
    at::manual_seed(seed);
    return score_predictions(dataset_, part_.predict(model_), part_.targets(), part_.batch_rows());
  }

 private:
  GraphModel& model_;
  const Dataset& dataset_;
  DealtPart part_;
};

std::int64_t graphs_at_once(const Dataset& dataset, const std::vector<std::int64_t>& graphs, std::int64_t batch_size) {
  const auto* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  double nodes = 0;
  for (const std::int64_t graph : graphs) {
    nodes += static_cast<double>(offsets[graph + 1] - offsets[graph]);
  }
  const auto count = static_cast<double>(graphs.size());
  const auto fitting = static_cast<std::int64_t>(kNodesAtOnce * count / nodes);
  return std::clamp<std::int64_t>(fitting, std::min<std::int64_t>(batch_size, static_cast<std::int64_t>(count)),
                                  std::max<std::int64_t>(static_cast<std::int64_t>(count), 1));
}

/// The part, or its last batch alone.
std::vector<std::int64_t> scored_graphs(const DataPart& part, std::int64_t batch_size, bool last_batch_only) {
  if (!last_batch_only) {
    return part.graphs;
  }
  const auto last = cut_batches(part.graphs, batch_size).back();
  return {last.begin(), last.end()};
}

class PaddedScorer : public PartScorer {
 public:
  PaddedScorer(GraphModel& model, const Dataset& dataset, const DataPart& part, std::int64_t batch_size,
               bool last_batch_only, std::shared_ptr<const DeviceData> data)
      : model_(model),
        dataset_(dataset),
        device_(data->device),
        graphs_(scored_graphs(part, batch_size, last_batch_only)),
        at_once_(graphs_at_once(dataset, graphs_, batch_size)),
        targets_(part_targets(dataset, graphs_, part.counted)),
        capacity_(listed_capacity(dataset.graphs, graphs_, at_once_)),
        // Which nodes count is looked up when the predictions are back.
        loader_(std::move(data), {capacity_}, at_once_, static_cast<std::int64_t>(graphs_.size()), {}) {
    for (std::size_t begin = 0; begin < graphs_.size(); begin += static_cast<std::size_t>(batch_size)) {
      const auto first = targets_.graph_rows.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto size = std::min<std::size_t>(static_cast<std::size_t>(batch_size), graphs_.size() - begin);
      batch_rows_.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), std::int64_t{0}));
    }
  }

  TaskScore score(std::uint64_t seed) override {
    const bool was_training = model_.is_training();
    model_.eval();
    const at::NoGradGuard no_grad;
    loader_.begin(graphs_);
    for (std::int64_t batch = 0; batch < loader_.num_batches(); ++batch) {
      loader_.bring(batch);
      if (work_ == nullptr) {
        record();
      }
      if (batch == 0) {
        at::manual_seed(seed);
      }
      work_->run();
      loader_.prepare_next(batch);
    }
    model_.train(was_training);
    return score_predictions(dataset_, predictions(), targets_.targets, batch_rows_);
  }

 private:
  void record() {
    const std::int64_t rows = is_node_task(dataset_.task) ? capacity_.nodes : capacity_.graphs;
    results_ = at::zeros({loader_.num_batches(), rows, std::max<std::int64_t>(dataset_.num_outputs, 1)},
                         at::TensorOptions().dtype(at::kFloat).device(device_));
    loader_.room(0);  // its memory must not be the recording's
    work_ = std::make_unique<Recorded>(device_, [this] {
      loader_.assemble(0);
      const at::Tensor prediction = model_.forward(loader_.room(0).graphs, false).prediction;
      results_.index_copy_(0, loader_.position(), prediction.to(at::kFloat).unsqueeze(0));
    });
  }

  /// Of what counts, in main memory.
  at::Tensor predictions() const {
    const at::Tensor all = results_.to(at::kCPU);
    std::vector<at::Tensor> pieces;
    for (std::int64_t batch = 0; batch < loader_.num_batches(); ++batch) {
      const std::int64_t rows = is_node_task(dataset_.task) ? loader_.nodes_of(batch) : loader_.graphs_of(batch);
      pieces.push_back(all[batch].narrow(0, 0, rows));
    }
    const at::Tensor together = at::cat(pieces);
    return targets_.rows.defined() ? at::index_select(together, 0, targets_.rows) : together;
  }

  GraphModel& model_;
  const Dataset& dataset_;
  at::Device device_;
  std::vector<std::int64_t> graphs_;
  std::int64_t at_once_;
  PartTargets targets_;
  BatchCapacity capacity_;
  BatchLoader loader_;
  std::vector<std::int64_t> batch_rows_;  ///< rows that count of each of the configured batches
  std::unique_ptr<Recorded> work_;
  at::Tensor results_;  ///< [batches, rows, columns]
};

}  // namespace

std::unique_ptr<PartScorer> make_part_scorer(GraphModel& model, const Dataset& dataset, const DataPart& part,
                                             std::int64_t batch_size, bool last_batch_only,
                                             std::shared_ptr<const DeviceData> data, Group* group) {
  require(!part.empty(), "data set ", dataset.name, ": there are no graphs to score");
  if (group != nullptr && data == nullptr && !last_batch_only) {
    return std::make_unique<SharedScorer>(model, dataset, part, batch_size, *group);
  }
  if (data == nullptr) {
    return std::make_unique<PlainScorer>(model, dataset, part, batch_size, last_batch_only);
  }
  return std::make_unique<PaddedScorer>(model, dataset, part, batch_size, last_batch_only, std::move(data));
}

}  // namespace factorgcn
