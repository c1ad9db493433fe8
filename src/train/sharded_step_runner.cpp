// Steps that several processes share. A batch is cut into `shards` pieces in the order of its graphs, each a batch of
// its own with its own moments and dropout; what a step needs of them are sums over pieces, and these are added in the
// order of the pieces. So weights are the same bits for one process and for many; the number of shards is part of the
// result, that of processes is not.
//
// Exchanged per step, as one row of numbers per shard: gradients, changes of buffers such as running moments, losses,
// and whether a signal asks for an end. Each process adds up its slice of all rows, then slices are gathered:
// with L numbers a row, P processes and n shards each, a process sends (P - 1) / P * n * L numbers, then (P - 1) / P *
// L. Beside the plain step it costs that, and a copy of the gradients per shard.
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGINT, SIGTERM as base/interrupt.h has them

#include <cmath>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/objective.h"
#include "train/step_runner.h"

namespace factorgcn {
namespace {

/// What a row holds after gradients and buffers.
enum Extra { kValue, kTask, kRegulariser, kInterrupts, kTerminations, kExtras };

class ShardedStepRunner : public StepRunner {
 public:
  explicit ShardedStepRunner(const StepParts& parts)
      : own_(parts),
        device_(device_of(parts.model)),
        shards_(parts.options.shards),
        ranks_(parts.options.group == nullptr ? 1 : parts.options.group->size()),
        rank_(parts.options.group == nullptr ? 0 : parts.options.group->rank()) {
    require_usage(shards_ >= ranks_, "there are ", ranks_, " processes, but 'shards' is ", shards_,
                  "; cut batches into at least one shard for each process (--shards ", ranks_,
                  "); the result depends on the number of shards, not on that of processes");
    require_usage(!parts.model.has_own_objective(),
                  "this model learns from whole batches, whose parts it puts together anew: a batch cannot be cut; "
                  "leave 'shards' at 1 and train it with one process");
    const auto graphs = static_cast<std::int64_t>(parts.part.graphs.size());
    require_usage(std::min(graphs, parts.options.batch_size) >= shards_, "'shards' is ", shards_,
                  ", but a batch has only ", std::min(graphs, parts.options.batch_size),
                  " graphs to cut; choose fewer shards or a larger batch size");
    for (const auto& item : parts.model.named_parameters()) {
      parameters_.push_back(item.value());
      length_ += item.value().numel();
    }
    for (const auto& item : parts.model.named_buffers()) {
      if (item.value().is_floating_point()) {
        buffers_.push_back(item.value());
        length_ += item.value().numel();
      }
    }
    extras_ = length_;
    const std::int64_t used = length_ + kExtras;
    length_ = (used + ranks_ - 1) / ranks_ * ranks_;  // so that slices are equally long
    const at::TensorOptions type = at::TensorOptions().dtype(parameters_.front().scalar_type());
    rows_ = at::zeros({first_shard(rank_ + 1) - first_shard(rank_), length_}, type);
  }

  void begin_epoch(std::span<const std::int64_t> graphs, std::int64_t /*first*/, double /*progress*/) override {
    batches_ = cut_batches(graphs, own_.options.batch_size);
    losses_.clear();
  }

  void step(std::int64_t batch, std::uint64_t seed) override {
    const std::span<const std::int64_t> graphs = batches_[static_cast<std::size_t>(batch)];
    const BatchPieces pieces(own_.dataset.task, part_targets(own_.dataset, graphs, own_.part.counted).targets,
                             own_.dataset.num_outputs, own_.class_weights);
    before_.clear();
    for (const at::Tensor& buffer : buffers_) {
      before_.push_back(buffer.clone());
    }
    rows_.zero_();
    for (std::int64_t shard = first_shard(rank_); shard < first_shard(rank_ + 1); ++shard) {
      const auto count = static_cast<std::int64_t>(graphs.size());
      const std::int64_t begin = shard * count / shards_, end = (shard + 1) * count / shards_;
      if (begin < end) {
        run_shard(graphs.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
                  static_cast<double>(end - begin) / static_cast<double>(count), pieces,
                  RandomStream(seed, concat("train/shard ", shard)).next(), rows_[shard - first_shard(rank_)]);
      }
    }
    note_signal();
    apply(exchange());
  }

  bool tells_at_once() const override { return true; }
  bool stop_asked() const override { return stop_asked_; }
  std::vector<BatchLoss> settle() override { return std::exchange(losses_, {}); }

 private:
  /// Shards go to processes in order, in pieces as equal as can be.
  std::int64_t first_shard(int rank) const { return rank * shards_ / ranks_; }

  void run_shard(std::span<const std::int64_t> graphs, double share, const BatchPieces& pieces, std::uint64_t seed,
                 at::Tensor row) {
    const LabelledBatch data = select_batch(own_.dataset, graphs, own_.part.counted);
    if (data.targets.size(0) == 0) {
      return;  // none of its nodes counts
    }
    learn(data, share, pieces, seed, row);
    const at::NoGradGuard no_grad;
    std::int64_t place = extras_;
    for (std::size_t index = buffers_.size(); index-- > 0;) {
      at::Tensor& buffer = buffers_[index];
      place -= buffer.numel();
      row.narrow(0, place, buffer.numel()).copy_(buffer.sub(before_[index]).flatten()).mul_(share);
      buffer.copy_(before_[index]);
    }
  }

  void learn(const LabelledBatch& data, double share, const BatchPieces& pieces, std::uint64_t seed, at::Tensor row) {
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

    const at::NoGradGuard no_grad;
    std::int64_t place = 0;
    for (const at::Tensor& parameter : parameters_) {
      if (parameter.grad().defined()) {
        row.narrow(0, place, parameter.numel()).copy_(parameter.grad().flatten());
      }
      place += parameter.numel();
    }
    row[extras_ + kValue] = total.item<double>();
    row[extras_ + kTask] = task.item<double>();
    row[extras_ + kRegulariser] = regulariser;
  }

  void note_signal() {
    if (const int signal = interrupt_signal(); signal != 0) {
      rows_[0][extras_ + (signal == SIGTERM ? kTerminations : kInterrupts)] = 1;
    }
  }

  /// The sum of all shards' rows, added in their order.
  at::Tensor exchange() {
    if (ranks_ == 1) {
      return add_up(rows_);
    }
    const std::int64_t slice = length_ / ranks_, here = rows_.size(0);
    std::vector<std::int64_t> send(static_cast<std::size_t>(ranks_), here), receive;
    for (int rank = 0; rank < ranks_; ++rank) {
      receive.push_back(first_shard(rank + 1) - first_shard(rank));
    }
    const at::Tensor slices = rows_.view({here, ranks_, slice}).transpose(0, 1).contiguous().view({-1, slice});
    const at::Tensor mine = own_.options.group->all_to_all(slices, send, receive);
    return own_.options.group->all_gather(add_up(mine)).flatten();
  }

  static at::Tensor add_up(const at::Tensor& rows) {
    at::Tensor sum = rows[0].clone();
    for (std::int64_t row = 1; row < rows.size(0); ++row) {
      sum.add_(rows[row]);
    }
    return sum;
  }

  void apply(const at::Tensor& sum) {
    const auto extra = [&](Extra which) { return sum[extras_ + which].item<double>(); };
    losses_.push_back({extra(kValue), extra(kTask), extra(kRegulariser)});
    if (extra(kInterrupts) > 0 || extra(kTerminations) > 0) {
      stop_asked_ = true;
      if (interrupt_signal() == 0) {
        request_interrupt(extra(kInterrupts) > 0 ? SIGINT : SIGTERM);  // another rank's is ours, too
      }
    }
    if (!std::isfinite(losses_.back().value)) {
      return;
    }
    const at::NoGradGuard no_grad;
    std::int64_t place = 0;
    for (at::Tensor& parameter : parameters_) {
      const at::Tensor gradient = sum.narrow(0, place, parameter.numel()).view(parameter.sizes());
      if (parameter.grad().defined()) {
        parameter.mutable_grad().copy_(gradient);
      } else {
        parameter.mutable_grad() = gradient.to(device_, parameter.scalar_type(), /*non_blocking=*/false,
                                               /*copy=*/true);
      }
      place += parameter.numel();
    }
    for (at::Tensor& buffer : buffers_) {
      buffer.add_(sum.narrow(0, place, buffer.numel()).view(buffer.sizes()).to(device_));
      place += buffer.numel();
    }
    if (own_.options.clip_norm > 0) {
      own_.adam.limit_gradients(own_.options.clip_norm);
    }
    own_.adam.step();
  }

  StepParts own_;
  at::Device device_;
  std::int64_t shards_;
  int ranks_, rank_;
  std::vector<at::Tensor> parameters_, buffers_;
  std::vector<at::Tensor> before_;        ///< buffers, as the step found them
  std::int64_t length_ = 0, extras_ = 0;  ///< of a row; where its extras begin
  at::Tensor rows_;                       ///< [shards of this process, length]
  std::vector<std::span<const std::int64_t>> batches_;
  std::vector<BatchLoss> losses_;
  bool stop_asked_ = false;
};

}  // namespace

std::unique_ptr<StepRunner> make_sharded_runner(const StepParts& parts) {
  return std::make_unique<ShardedStepRunner>(parts);
}

}  // namespace factorgcn
