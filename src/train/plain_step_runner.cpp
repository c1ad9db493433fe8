// The CPU's steps, and a GPU's with models that cannot be recorded. What is added to the model's own cost is one copy
// of the batch and one pass over the parameters; on a GPU the way there and a wait for the loss, too.
#include <ATen/Context.h>
#include <ATen/ops/index_select.h>

#include <cmath>
#include <utility>

#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/objective.h"
#include "train/step_runner.h"

namespace factorgcn {
namespace {

class PlainStepRunner : public StepRunner {
 public:
  explicit PlainStepRunner(const StepParts& parts) : own_(parts), device_(device_of(parts.model)) {}

  void begin_epoch(std::span<const std::int64_t> graphs, std::int64_t /*first*/, double progress) override {
    progress_ = progress;
    batches_ = cut_batches(graphs, own_.options.batch_size);
    losses_.clear();
  }

  void step(std::int64_t batch, std::uint64_t seed) override {
    const LabelledBatch data = select_batch(own_.dataset, batches_[static_cast<std::size_t>(batch)], own_.part.counted);
    // Dropout draws from libtorch's own generator: seeded per step, it has no state to save.
    at::manual_seed(seed);
    own_.adam.zero_gradients();
    ModelOutput output = forward(data, seed);
    output.prediction =
        data.rows.defined() ? at::index_select(output.prediction, 0, data.rows.to(device_)) : output.prediction;
    const Loss loss =
        objective(own_.dataset.task, output, data.targets.to(device_), own_.options.lambda, own_.class_weights);
    losses_.push_back({loss.value, loss.task, loss.regulariser});
    if (std::isfinite(loss.value)) {
      loss.total.backward();
      if (own_.options.clip_norm > 0) {
        own_.adam.limit_gradients(own_.options.clip_norm);
      }
      own_.adam.step();
    }
  }

  bool tells_at_once() const override { return true; }

  std::vector<BatchLoss> settle() override { return std::exchange(losses_, {}); }

 private:
  ModelOutput forward(const LabelledBatch& data, std::uint64_t seed) {
    const bool judged = own_.options.lambda > 0;
    return judged && own_.model.has_own_objective() ? own_.model.lesson(data.graphs, {data.targets, progress_, seed})
                                                    : own_.model.forward(move_batch(data.graphs, device_), judged);
  }

  StepParts own_;
  at::Device device_;
  double progress_ = 0;
  std::vector<std::span<const std::int64_t>> batches_;
  std::vector<BatchLoss> losses_;
};

}  // namespace

std::unique_ptr<StepRunner> make_plain_runner(const StepParts& parts) {
  return std::make_unique<PlainStepRunner>(parts);
}

}  // namespace factorgcn
