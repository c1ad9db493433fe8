// Steps of fixed shape. One piece of recorded work holds all of a step: assembling the batch, forward, losses,
// backward, Adam, writing the losses into an array with a row per batch. The host only starts it again and
// again; nothing it does waits for the GPU, but for a look every few steps, so that it never runs far ahead of it.
#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/ops/late_losses.h"
#include "factorgcn/train/objective.h"
#include "train/batch_loader.h"
#include "train/recorded.h"
#include "train/step_runner.h"

namespace factorgcn {
namespace {

/// Steps that may be under way: an interrupt takes effect after so many at the latest.
constexpr int kStepsAhead = 16;

/// Everything that training changes, kept beside it on the same device.
class TrainingState {
 public:
  TrainingState(GraphModel& model, Adam& adam) : adam_(adam), live_(adam.state()) {
    for (const at::Tensor& buffer : model.buffers()) {
      live_.push_back(buffer);
    }
    for (const at::Tensor& tensor : live_) {
      kept_.push_back(tensor.detach().clone());
    }
  }

  void keep() {
    const at::NoGradGuard no_grad;
    for (std::size_t index = 0; index < live_.size(); ++index) {
      kept_[index].copy_(live_[index]);
    }
    if (on_cpu()) {
      steps_ = adam_.steps();
    }
  }

  void bring_back() {
    const at::NoGradGuard no_grad;
    for (std::size_t index = 0; index < live_.size(); ++index) {
      live_[index].copy_(kept_[index]);
    }
    if (on_cpu()) {
      adam_.set_steps(steps_);
    }
  }

 private:
  bool on_cpu() const { return adam_.values().device().is_cpu(); }

  Adam& adam_;
  std::vector<at::Tensor> live_, kept_;
  std::int64_t steps_ = 0;
};

class PaddedStepRunner : public StepRunner {
 public:
  PaddedStepRunner(const StepParts& parts, std::shared_ptr<const DeviceData> data)
      : own_(parts),
        device_(data->device),
        loader_(std::move(data), drawn_capacities(parts.dataset.graphs, parts.part.graphs, parts.options.batch_size),
                parts.options.batch_size, static_cast<std::int64_t>(parts.part.graphs.size()), parts.part.counted),
        work_(loader_.num_tiers()),
        good_(parts.model, parts.adam),
        before_recording_(parts.model, parts.adam) {
    const auto graphs = static_cast<std::int64_t>(parts.part.graphs.size());
    const std::int64_t batches = (graphs + parts.options.batch_size - 1) / parts.options.batch_size;
    losses_ = at::zeros({batches, 3}, at::TensorOptions().dtype(at::kDouble).device(device_));
    one_ = at::ones({}, own_.model.parameters().front().options().requires_grad(false));
    lambda_ = one_ * own_.options.lambda;
  }

  void begin_epoch(std::span<const std::int64_t> graphs, std::int64_t first, double /*progress*/) override {
    loader_.begin(graphs);
    settled_ = next_ = first;
    good_.keep();
  }

  void step(std::int64_t batch, std::uint64_t seed) override {
    require(batch == next_, "batch ", batch, " was asked for after ", next_, " batches");
    const std::size_t tier = loader_.tier_of(batch);
    loader_.bring(batch);
    if (work_[tier] == nullptr) {
      record(tier);
    }
    at::manual_seed(seed);
    work_[tier]->run();
    loader_.prepare_next(batch);
    ++next_;
    if (next_ % kStepsAhead == 0) {
      synchronize(device_);
    }
  }

  bool tells_at_once() const override { return device_.is_cpu(); }

  std::vector<BatchLoss> settle() override {
    std::vector<BatchLoss> losses;
    if (next_ == settled_) {
      return losses;
    }
    const at::Tensor rows = losses_.narrow(0, settled_, next_ - settled_).to(at::kCPU).contiguous();
    const double* row = rows.data_ptr<double>();
    bool finite = true;
    for (std::int64_t index = 0; index < next_ - settled_; ++index, row += 3) {
      losses.push_back({row[0], row[1], row[2]});
      finite = finite && std::isfinite(row[0]);
    }
    settled_ = next_;
    if (finite) {
      good_.keep();
    } else {
      good_.bring_back();
    }
    return losses;
  }

 private:
  void record(std::size_t tier) {
    before_recording_.keep();
    loader_.room(tier);  // its memory must not be the recording's
    work_[tier] = std::make_unique<Recorded>(
        device_, [this, tier] { train_on(tier); }, first_recorded());
    before_recording_.bring_back();
  }

  const Recorded* first_recorded() const {
    for (const auto& work : work_) {
      if (work != nullptr) {
        return work.get();
      }
    }
    return nullptr;
  }

  void train_on(std::size_t tier) {
    loader_.assemble(tier);
    const PaddedBatch& batch = loader_.room(tier);
    own_.adam.zero_gradients();
    const StepOutput output = own_.model.forward_in_step(batch.graphs, own_.options.lambda > 0);
    const at::Tensor task =
        padded_task_loss(own_.dataset.task, output.prediction, batch.targets, batch.graphs, own_.class_weights);
    backward_in_step(task, output.regularisers, one_, lambda_);
    if (own_.options.clip_norm > 0) {
      wait_for_judges(task);
      own_.adam.limit_gradients(own_.options.clip_norm);
    }
    own_.adam.step();
    record_losses(task, output.regularisers, own_.options.lambda, losses_, loader_.position());
  }

  StepParts own_;
  at::Device device_;
  BatchLoader loader_;
  std::vector<std::unique_ptr<Recorded>> work_;  ///< by tier
  TrainingState good_;                           ///< when all losses so far were finite
  TrainingState before_recording_;
  at::Tensor one_, lambda_;  ///< the losses' own gradients, made once
  at::Tensor losses_;        ///< float64 [batches, 3]: total, task, regulariser
  std::int64_t settled_ = 0, next_ = 0;
};

}  // namespace

std::unique_ptr<StepRunner> make_padded_runner(const StepParts& parts, std::shared_ptr<const DeviceData> data) {
  return std::make_unique<PaddedStepRunner>(parts, std::move(data));
}

}  // namespace factorgcn
