// Steps that several processes share. A batch is cut into `shards` pieces in the order of its graphs, each a batch of
// its own with its own moments and dropout; what a step needs of them are sums over pieces, which update_rows.h adds in
// their order. So weights are the same bits for one process and for many; the number of shards is part of the result,
// that of processes is not. Beside the plain step it costs that exchange, and a copy of the gradients per shard.
#include <ATen/Context.h>
#include <ATen/ops/index_select.h>

#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/objective.h"
#include "train/step_runner.h"
#include "train/update_rows.h"

namespace factorgcn {
namespace {

/// Shards go to processes in order, in pieces as equal as can be.
std::vector<std::int64_t> first_shards(std::int64_t shards, Group* group) {
  const std::int64_t ranks = group == nullptr ? 1 : group->size();
  require_usage(shards >= ranks, "there are ", ranks, " processes, but 'shards' is ", shards,
                "; cut batches into at least one shard for each process (--shards ", ranks,
                "); the result depends on the number of shards, not on that of processes");
  std::vector<std::int64_t> first;
  for (std::int64_t rank = 0; rank <= ranks; ++rank) {
    first.push_back(rank * shards / ranks);
  }
  return first;
}

class ShardedStepRunner : public StepRunner {
 public:
  explicit ShardedStepRunner(const StepParts& parts)
      : own_(parts),
        device_(device_of(parts.model)),
        shards_(parts.options.shards),
        first_shards_(first_shards(shards_, parts.options.group)),
        rank_(parts.options.group == nullptr ? 0 : static_cast<std::size_t>(parts.options.group->rank())),
        rows_(parts.model, parts.adam, parts.options, first_shards_, SummedBuffers::kAll) {
    require_usage(!parts.model.has_own_objective(),
                  "this model learns from whole batches, whose parts it puts together anew: a batch cannot be cut; "
                  "leave 'shards' at 1 and train it with one process");
    const auto graphs = static_cast<std::int64_t>(parts.part.graphs.size());
    require_usage(std::min(graphs, parts.options.batch_size) >= shards_, "'shards' is ", shards_,
                  ", but a batch has only ", std::min(graphs, parts.options.batch_size),
                  " graphs to cut; choose fewer shards or a larger batch size");
  }

  void begin_epoch(std::span<const std::int64_t> graphs, std::int64_t /*first*/, double /*progress*/) override {
    batches_ = cut_batches(graphs, own_.options.batch_size);
    losses_.clear();
    prepared_.clear();
  }

  void step(std::int64_t batch, std::uint64_t seed) override {
    const std::span<const std::int64_t> graphs = batches_[static_cast<std::size_t>(batch)];
    if (prepared_.empty()) {
      prepare(graphs);
    }
    const BatchPieces pieces(own_.dataset.task, part_targets(own_.dataset, graphs, own_.part.counted).targets,
                             own_.dataset.num_outputs, own_.class_weights);
    rows_.begin();
    for (std::int64_t shard = first_shards_[rank_]; shard < first_shards_[rank_ + 1]; ++shard) {
      const std::int64_t piece = shard - first_shards_[rank_];
      const LabelledBatch data = std::move(prepared_[static_cast<std::size_t>(piece)]);
      if (const std::size_t size = graphs_of(graphs, shard).size(); size > 0) {
        run_shard(data, static_cast<double>(size) / static_cast<double>(graphs.size()), pieces,
                  RandomStream(seed, concat("train/shard ", shard)).next(), piece);
      }
    }
    prepared_.clear();
    rows_.start();
    if (static_cast<std::size_t>(batch) + 1 < batches_.size()) {
      prepare(batches_[static_cast<std::size_t>(batch) + 1]);  // while the rows are on their way
    }
    losses_.push_back(rows_.finish());
  }

  bool tells_at_once() const override { return true; }
  bool stop_asked() const override { return rows_.stop_asked(); }
  std::vector<BatchLoss> settle() override { return std::exchange(losses_, {}); }

 private:
  std::span<const std::int64_t> graphs_of(std::span<const std::int64_t> graphs, std::int64_t shard) const {
    const auto count = static_cast<std::int64_t>(graphs.size());
    const std::int64_t begin = shard * count / shards_, end = (shard + 1) * count / shards_;
    return graphs.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

  /// Cuts this process's shards from a batch.
  void prepare(std::span<const std::int64_t> graphs) {
    for (std::int64_t shard = first_shards_[rank_]; shard < first_shards_[rank_ + 1]; ++shard) {
      const std::span<const std::int64_t> own = graphs_of(graphs, shard);
      prepared_.push_back(own.empty() ? LabelledBatch() : select_batch(own_.dataset, own, own_.part.counted));
    }
  }

  /// `piece`: the shard's place among those of this process.
  void run_shard(const LabelledBatch& data, double share, const BatchPieces& pieces, std::uint64_t seed,
                 std::int64_t piece) {
    if (data.targets.size(0) == 0) {
      return;  // none of its nodes counts
    }
    at::manual_seed(seed);
    own_.adam.zero_gradients();
    ModelOutput output = own_.model.forward(move_batch(data.graphs, device_), own_.options.lambda > 0);
    output.prediction =
        data.rows.defined() ? at::index_select(output.prediction, 0, data.rows.to(device_)) : output.prediction;
    const double task_share = pieces.piece_share(data.targets);
    const at::Tensor weights = pieces.class_weights.defined() ? pieces.class_weights.to(device_) : at::Tensor();
    const at::Tensor task =
        task_loss(own_.dataset.task, output.prediction, data.targets.to(device_), weights).mul(task_share);
    at::Tensor total = task;
    double regulariser = 0;
    if (output.regulariser.defined()) {
      regulariser = output.regulariser.item<double>() * share;
      total = task.add(output.regulariser, own_.options.lambda * share);
    }
    total.backward();
    rows_.take_gradients(piece, rows_.parameters());
    rows_.take_loss(piece, {total.item<double>(), task.item<double>(), regulariser});
    rows_.take_buffers(piece, share);
  }

  StepParts own_;
  at::Device device_;
  std::int64_t shards_;
  std::vector<std::int64_t> first_shards_;  ///< of each process
  std::size_t rank_;
  UpdateRows rows_;
  std::vector<std::span<const std::int64_t>> batches_;
  std::vector<LabelledBatch> prepared_;  ///< this process's shards of the next batch; none yet in an epoch
  std::vector<BatchLoss> losses_;
};

}  // namespace

std::unique_ptr<StepRunner> make_sharded_runner(const StepParts& parts) {
  return std::make_unique<ShardedStepRunner>(parts);
}

}  // namespace factorgcn
