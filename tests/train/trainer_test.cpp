// The loop: it learns, keeps the best model, stops on NaN, and continues from any batch to the same bits.
#include "factorgcn/train/trainer.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/labelled_batch.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::message_of;
using testing::same_bits;
using testing::tiny_dataset;
using testing::TinyModel;

TrainOptions quick_options() {
  TrainOptions options;
  options.seed = 11;
  options.epochs = 4;
  options.batch_size = 10;  // 36 training graphs: three whole batches and one of 6
  options.learning_rate = 0.05;
  options.weight_decay = 1e-3;
  options.lambda = 0.1;
  options.schedule.kind = "step";
  options.schedule.every = 2;
  return options;
}

struct Watcher : Observer {
  void on_batch(const BatchProgress& progress) override { batches.push_back(progress); }
  void on_epoch(const EpochRecord& record) override { epochs.push_back(record); }
  void on_message(const std::string& line) override { messages.push_back(line); }
  std::vector<BatchProgress> batches;
  std::vector<EpochRecord> epochs;
  std::vector<std::string> messages;
};

class TrainerTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_interrupt(); }
  void TearDown() override { clear_interrupt(); }
  const Dataset dataset = tiny_dataset();
};

/// Everything of a state but its seconds.
void expect_same(const TrainState& left, const TrainState& right) {
  EXPECT_EQ(left.epoch, right.epoch);
  EXPECT_EQ(left.batch, right.batch);
  EXPECT_EQ(left.step, right.step);
  EXPECT_EQ(left.best_epoch, right.best_epoch);
  EXPECT_EQ(left.best_metric, right.best_metric);
  EXPECT_EQ(left.best_loss, right.best_loss);
  EXPECT_TRUE(same_bits(left.weights, right.weights));
  EXPECT_TRUE(same_bits(left.first_moments, right.first_moments));
  EXPECT_TRUE(same_bits(left.second_moments, right.second_moments));
  EXPECT_TRUE(same_bits(left.best_weights, right.best_weights));
  ASSERT_EQ(left.history.size(), right.history.size());
  for (std::size_t index = 0; index < left.history.size(); ++index) {
    EXPECT_EQ(left.history[index].loss, right.history[index].loss);
    EXPECT_EQ(left.history[index].regulariser, right.history[index].regulariser);
    EXPECT_EQ(left.history[index].validation_loss, right.history[index].validation_loss);
    EXPECT_EQ(left.history[index].validation_metric, right.history[index].validation_metric);
    EXPECT_EQ(left.history[index].learning_rate, right.history[index].learning_rate);
    EXPECT_EQ(left.history[index].best, right.history[index].best);
  }
}

TEST_F(TrainerTest, LearnsTinyData) {
  TinyModel model;
  TrainOptions options = quick_options();
  options.epochs = 60;
  options.schedule.kind = "none";
  const TaskScore before = score_task(model, dataset, whole_graphs(dataset.split.validation), 5);
  Trainer trainer(model, dataset, options);
  Watcher watcher;
  EXPECT_EQ(trainer.run(watcher), RunStatus::kFinished);
  trainer.use_best();
  const TaskScore after = score_task(model, dataset, whole_graphs(dataset.split.validation), 5);
  EXPECT_GT(after.metric, 0.99);
  EXPECT_LT(after.loss, before.loss / 2);
  EXPECT_EQ(after.metric, trainer.history()[static_cast<std::size_t>(trainer.best_epoch() - 1)].validation_metric);
  ASSERT_EQ(watcher.epochs.size(), 60U);
  EXPECT_LT(watcher.epochs.back().loss, watcher.epochs.front().loss);
}

TEST_F(TrainerTest, TellsItsProgress) {
  TinyModel model;
  Trainer trainer(model, dataset, quick_options());
  Watcher watcher;
  int calls = 0;
  int epoch_ends = 0;
  trainer.run(watcher, [&](bool epoch_done) {
    ++calls;
    epoch_ends += epoch_done ? 1 : 0;
  });
  EXPECT_EQ(calls, 16);
  EXPECT_EQ(epoch_ends, 4);
  ASSERT_EQ(watcher.batches.size(), 16U);
  const BatchProgress& last = watcher.batches.back();
  EXPECT_EQ(last.epoch, 4);
  EXPECT_EQ(last.epochs, 4);
  EXPECT_EQ(last.batch, 4);
  EXPECT_EQ(last.batches, 4);
  EXPECT_EQ(last.graphs_done, 4 * 36);
  EXPECT_EQ(last.graphs_total, 4 * 36);
  EXPECT_EQ(watcher.batches[3].graphs_done, 36);
  EXPECT_EQ(watcher.batches[4].graphs_done, 46);
  EXPECT_NEAR(last.seconds_left, 0, 1e-9);
  EXPECT_GT(watcher.batches.front().seconds_left, 0);
  EXPECT_NEAR(last.loss, last.task_loss + 0.1 * last.regulariser, 1e-6);
  // The mean over the epoch weighs batches by their graphs: 10, 10, 10 and 6.
  double sum = 0;
  for (std::size_t index = 12; index < 16; ++index) {
    sum += watcher.batches[index].loss * (index == 15 ? 6 : 10);
  }
  EXPECT_NEAR(last.mean_loss, sum / 36, 1e-9);
  EXPECT_NEAR(watcher.epochs.back().loss, sum / 36, 1e-9);
  EXPECT_EQ(watcher.epochs[1].learning_rate, 0.05);
  EXPECT_EQ(watcher.epochs[2].learning_rate, 0.025);
  EXPECT_EQ(watcher.epochs[0].metric_name, "micro_f1");
}

TEST_F(TrainerTest, PatienceEndsTrainingAndResumingDoesNotPassIt) {
  TrainOptions options = quick_options();
  options.epochs = 200;
  options.learning_rate = 0.5;
  options.patience = 5;
  TinyModel model;
  Trainer trainer(model, dataset, options);
  Watcher watcher;
  EXPECT_EQ(trainer.run(watcher), RunStatus::kFinished);
  EXPECT_LT(trainer.epochs_done(), 200);
  EXPECT_EQ(trainer.epochs_done(), trainer.best_epoch() + 5);

  TinyModel again;
  Trainer resumed(again, dataset, options);
  resumed.restore(trainer.capture());
  Watcher nothing;
  EXPECT_EQ(resumed.run(nothing), RunStatus::kFinished);
  EXPECT_TRUE(nothing.epochs.empty());
}

TEST_F(TrainerTest, TheSeedDecidesTheRun) {
  Watcher watcher;
  TrainState states[3];
  for (int run = 0; run < 3; ++run) {
    TinyModel model;
    TrainOptions options = quick_options();
    options.seed = run == 2 ? 12 : 11;
    at::manual_seed(static_cast<std::uint64_t>(run));  // whatever was drawn before must not matter
    Trainer trainer(model, dataset, options);
    trainer.run(watcher);
    states[run] = trainer.capture();
  }
  expect_same(states[0], states[1]);
  EXPECT_FALSE(same_bits(states[0].weights, states[2].weights));
}

TEST_F(TrainerTest, InterruptedAtAnyBatchAndResumedEndsInTheSameBits) {
  Watcher watcher;
  TinyModel whole;
  Trainer reference(whole, dataset, quick_options());
  ASSERT_EQ(reference.run(watcher), RunStatus::kFinished);
  const TrainState expected = reference.capture();
  for (int stop = 1; stop <= 16; ++stop) {
    SCOPED_TRACE(stop);
    clear_interrupt();
    TinyModel first_model;
    Trainer first(first_model, dataset, quick_options());
    int done = 0;
    const RunStatus status = first.run(watcher, [&](bool) {
      if (++done == stop) {
        request_interrupt(SIGINT);
      }
    });
    // The signal after the very last batch comes too late to interrupt anything.
    EXPECT_EQ(status, stop == 16 ? RunStatus::kFinished : RunStatus::kInterrupted);
    const TrainState state = first.capture();
    EXPECT_EQ(state.step, stop);
    EXPECT_EQ(state.epoch, stop / 4);
    EXPECT_EQ(state.batch, stop % 4);
    clear_interrupt();
    TinyModel second_model;
    Trainer second(second_model, dataset, quick_options());
    second.restore(state);
    EXPECT_EQ(second.run(watcher), RunStatus::kFinished);
    expect_same(second.capture(), expected);
  }
}

TEST_F(TrainerTest, ASignalBeforeTheFirstBatchCostsNothing) {
  TinyModel model;
  Trainer trainer(model, dataset, quick_options());
  Watcher watcher;
  request_interrupt(SIGTERM);
  EXPECT_EQ(trainer.run(watcher), RunStatus::kInterrupted);
  EXPECT_EQ(trainer.capture().step, 0);
  EXPECT_TRUE(watcher.batches.empty());
  EXPECT_EQ(trainer.best_epoch(), 0);
}

TEST_F(TrainerTest, NanStopsAndKeepsTheBestModel) {
  TinyModel model;
  model.forwards_until_nan = 9;  // the second batch of epoch 3
  Trainer trainer(model, dataset, quick_options());
  Watcher watcher;
  EXPECT_EQ(trainer.run(watcher), RunStatus::kDiverged);
  EXPECT_EQ(trainer.epochs_done(), 2);
  EXPECT_EQ(trainer.capture().step, 9);
  EXPECT_GE(trainer.best_epoch(), 1);
  const std::string expected_start = "epoch 3: the loss of batch 2 of 4 is nan";
  EXPECT_EQ(trainer.message().substr(0, expected_start.size()), expected_start);
  EXPECT_NE(trainer.message().find("the best model, of epoch " + std::to_string(trainer.best_epoch()) + ", is kept"),
            std::string::npos);
  EXPECT_NE(trainer.message().find("--learning-rate"), std::string::npos);
  EXPECT_EQ(watcher.messages, std::vector<std::string>{trainer.message()});

  // The best model is that of an undisturbed run of two epochs.
  TinyModel calm;
  TrainOptions options = quick_options();
  options.epochs = 2;
  Trainer reference(calm, dataset, options);
  reference.run(watcher);
  EXPECT_TRUE(same_bits(reference.best_weights(), trainer.best_weights()));
  trainer.use_best();
  EXPECT_TRUE(same_bits(copy_weights(model), reference.best_weights()));

  // A diverged state stays so.
  TinyModel other;
  Trainer again(other, dataset, quick_options());
  again.restore(trainer.capture());
  EXPECT_EQ(again.run(watcher), RunStatus::kDiverged);
  EXPECT_EQ(other.forwards, 0);
}

TEST_F(TrainerTest, NanInTheFirstEpochKeepsTheInitialWeights) {
  TinyModel model;
  model.forwards_until_nan = 2;
  const NamedTensors initial = copy_weights(model);
  Trainer trainer(model, dataset, quick_options());
  Watcher watcher;
  EXPECT_EQ(trainer.run(watcher), RunStatus::kDiverged);
  EXPECT_NE(trainer.message().find("the initial weights are kept"), std::string::npos);
  EXPECT_EQ(trainer.best_epoch(), 0);
  EXPECT_TRUE(same_bits(trainer.best_weights(), initial));
}

TEST_F(TrainerTest, AnInfiniteValidationLossStopsToo) {
  TinyModel model;
  model.infinite_when_scored = true;
  Trainer trainer(model, dataset, quick_options());
  Watcher watcher;
  EXPECT_EQ(trainer.run(watcher), RunStatus::kDiverged);
  EXPECT_EQ(trainer.epochs_done(), 1);
  EXPECT_NE(trainer.message().find("epoch 1: the validation loss is "), std::string::npos) << trainer.message();
  EXPECT_EQ(trainer.best_epoch(), 0);
}

TEST_F(TrainerTest, AmongEqualMetricsTheLowerLossIsBest) {
  TinyModel model(3, 3, 0.0);
  TrainOptions options = quick_options();
  options.epochs = 40;
  options.schedule.kind = "none";
  Trainer trainer(model, dataset, options);
  Watcher watcher;
  trainer.run(watcher);
  // The metric saturates at 1 while the loss still falls: the best epoch is then the one of the lowest loss.
  const auto& history = trainer.history();
  std::int64_t expected = 0;
  for (const EpochRecord& record : history) {
    if (expected == 0) {
      expected = record.epoch;
      continue;
    }
    const EpochRecord& best = history[static_cast<std::size_t>(expected - 1)];
    if (record.validation_metric > best.validation_metric ||
        (record.validation_metric == best.validation_metric && record.validation_loss < best.validation_loss)) {
      expected = record.epoch;
      EXPECT_TRUE(record.best);
    } else {
      EXPECT_FALSE(record.best);
    }
  }
  EXPECT_EQ(trainer.best_epoch(), expected);
  int saturated = 0;
  for (const EpochRecord& record : history) {
    saturated += record.validation_metric == 1.0 ? 1 : 0;
  }
  EXPECT_GT(saturated, 5) << "the data no longer show what this test is about";
  EXPECT_GT(expected, 40 - saturated + 1);
}

TEST_F(TrainerTest, AStateThatDoesNotFitChangesNothing) {
  TinyModel model;
  Trainer trainer(model, dataset, quick_options());
  Watcher watcher;
  trainer.run(watcher);
  const TrainState good = trainer.capture();

  TinyModel other;
  Trainer target(other, dataset, quick_options());
  const TrainState before = target.capture();
  const auto refuse = [&](auto change, const std::string& text) {
    TrainState bad = good;
    change(bad);
    const std::string message = message_of<Error>([&] { target.restore(bad); });
    EXPECT_NE(message.find(text), std::string::npos) << message;
    expect_same(target.capture(), before);
  };
  refuse([](TrainState& s) { s.weights[0].first = "other"; }, "tensor 'weight' is missing");
  refuse([](TrainState& s) { s.weights.emplace_back("extra", torch::ones({1})); }, "tensor 'extra' is unknown");
  refuse([](TrainState& s) { s.weights.push_back(s.weights[0]); }, "occurs twice");
  refuse([](TrainState& s) { s.best_weights[1].second = torch::ones({4}); },
         "tensor 'bias' is [4], the model's is [3]");
  refuse([](TrainState& s) { s.best_weights[2].second = torch::ones({3}, torch::kFloat64); },
         "tensor 'seen' is double");
  refuse([](TrainState& s) { s.second_moments.pop_back(); }, "second moments: tensor 'bias' is missing");
  refuse([](TrainState& s) { s.first_moments[0].second = torch::ones({1}); }, "first moments");
  refuse([](TrainState& s) { s.epoch = 5; }, "5 epochs are done already");
  refuse([](TrainState& s) { s.batch = 4; }, "an epoch has 4 batches");
  refuse([](TrainState& s) { s.step = 3; }, "3 steps do not fit");
  refuse([](TrainState& s) { s.history.pop_back(); }, "remembers 3 epochs of 4");
  refuse([](TrainState& s) { s.best_epoch = 9; }, "best epoch 9");
  target.restore(good);
  expect_same(target.capture(), good);
}

TEST_F(TrainerTest, RefusesDataWithoutTrainingOrValidationGraphs) {
  TinyModel model;
  Dataset bad = tiny_dataset();
  bad.split.validation.clear();
  EXPECT_NE(message_of<UsageError>([&] { Trainer(model, bad, quick_options()); }).find("no validation graphs"),
            std::string::npos);
  bad.split.train.clear();
  EXPECT_NE(message_of<UsageError>([&] { Trainer(model, bad, quick_options()); }).find("no training graphs"),
            std::string::npos);
}

TEST_F(TrainerTest, BatchesCarryTheTargetsOfTheirGraphs) {
  const std::vector<std::int64_t> ids{7, 3};
  const LabelledBatch batch = select_batch(dataset, ids);
  EXPECT_EQ(batch.graphs.num_graphs(), 2);
  EXPECT_TRUE(torch::equal(batch.targets[0], dataset.targets[7]));
  EXPECT_TRUE(torch::equal(batch.targets[1], dataset.targets[3]));

  Dataset nodes = tiny_dataset();
  nodes.task = Task::kNodeClass;
  nodes.targets = torch::arange(nodes.graphs.num_nodes());
  const LabelledBatch per_node = select_batch(nodes, ids);
  const std::int64_t* offsets = nodes.graphs.node_offsets.data_ptr<std::int64_t>();
  ASSERT_EQ(per_node.targets.size(0), per_node.graphs.num_nodes());
  EXPECT_EQ(per_node.targets[0].item<std::int64_t>(), offsets[7]);
  EXPECT_EQ(per_node.targets[offsets[8] - offsets[7]].item<std::int64_t>(), offsets[3]);
  EXPECT_THROW(select_batch(dataset, {}), Error);
  EXPECT_THROW(cut_batches(ids, 0), Error);
}

}  // namespace
}  // namespace factorgcn
