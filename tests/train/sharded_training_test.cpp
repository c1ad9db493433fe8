// Batches in pieces: the sums are those of the whole batch, and follow from the number of shards alone.
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/types.h>

#include "factorgcn/base/error.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/trainer.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::message_of;
using testing::same_bits;
using testing::tiny_dataset;
using testing::TinyModel;

RC_GTEST_PROP(BatchPieces, ALossIsTheSumOfItsPieces, ()) {
  const auto rows = *rc::gen::inRange<std::int64_t>(1, 40);
  const auto classes = *rc::gen::inRange<std::int64_t>(1, 5);
  const auto pieces = *rc::gen::inRange<std::int64_t>(1, 6);
  const Task task = *rc::gen::element(Task::kMultiLabel, Task::kRegression, Task::kGraphClass, Task::kNodeClass);
  torch::manual_seed(*rc::gen::inRange(0, 1000));
  const bool counted = task == Task::kGraphClass || task == Task::kNodeClass;
  const torch::Tensor prediction = torch::randn({rows, classes});
  const torch::Tensor targets =
      counted ? torch::randint(classes, {rows}, torch::kLong) : torch::randint(2, {rows, classes}).to(torch::kFloat);
  const BatchPieces whole(task, targets, classes);
  double sum = 0;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t begin = piece * rows / pieces, length = (piece + 1) * rows / pieces - begin;
    if (length > 0) {
      const torch::Tensor own = targets.narrow(0, begin, length);
      const double share = whole.piece_share(own);
      if (share > 0) {
        sum += share * task_loss(task, prediction.narrow(0, begin, length), own, whole.class_weights).item<double>();
      }
    }
  }
  const double expected = task_loss(task, prediction, targets).item<double>();
  RC_ASSERT(std::abs(sum - expected) <= 1e-5 * (1 + std::abs(expected)));
}

TrainState trained(std::int64_t shards, double dropout, double lambda = 0.1) {
  static const Dataset dataset = tiny_dataset();
  TinyModel model(3, 3, dropout);
  TrainOptions options;
  options.seed = 5;
  options.epochs = 3;
  options.batch_size = 10;  // 36 training graphs: the last batch has 6
  options.learning_rate = 0.05;
  options.lambda = lambda;
  options.shards = shards;
  Trainer trainer(model, dataset, options);
  Observer silent;
  EXPECT_EQ(trainer.run(silent), RunStatus::kFinished);
  return trainer.capture();
}

TEST(ShardedTraining, WithoutDropoutTheStepsAreThoseOfTheWholeBatch) {
  const TrainState whole = trained(1, 0.0);
  for (const std::int64_t shards : {2, 3, 7, 10}) {
    const TrainState cut = trained(shards, 0.0);
    for (std::size_t index = 0; index < whole.weights.size(); ++index) {
      // The model's running mean adds 0.01 times itself to predictions; each shard sees it as the step found it, plus
      // its own graphs', so steps are equal but for that.
      EXPECT_LT((whole.weights[index].second - cut.weights[index].second).abs().max().item<double>(), 5e-3)
          << whole.weights[index].first << ", " << shards << " shards";
    }
    EXPECT_NEAR(whole.history.back().loss, cut.history.back().loss, 1e-3);
    EXPECT_NEAR(whole.history.back().regulariser, cut.history.back().regulariser, 1e-3);
  }
}

TEST(ShardedTraining, RunningMeansAreThoseOfTheWholeBatch) {
  // The buffer moves by a tenth of the batch's mean: shards of unequal sizes must weigh by their graphs.
  const TrainState whole = trained(1, 0.0), cut = trained(3, 0.0);
  const auto& [name, seen] = whole.weights.back();
  ASSERT_EQ(name, "seen");
  EXPECT_LT((seen - cut.weights.back().second).abs().max().item<double>(), 1e-5);
}

TEST(ShardedTraining, DropoutDiffersBetweenShards) {
  EXPECT_FALSE(same_bits(trained(2, 0.5).weights, trained(3, 0.5).weights));
  EXPECT_TRUE(same_bits(trained(3, 0.5).weights, trained(3, 0.5).weights));
}

TEST(ShardedTraining, GoesOnFromAnyBatch) {
  const Dataset dataset = tiny_dataset();
  TrainOptions options;
  options.seed = 5;
  options.epochs = 3;
  options.batch_size = 10;
  options.learning_rate = 0.05;
  options.lambda = 0.1;
  options.shards = 4;
  Observer silent;
  TrainState middle;
  TinyModel first;
  {
    Trainer trainer(first, dataset, options);
    int batches = 0;
    trainer.run(silent, [&](bool) {
      if (++batches == 6) {
        middle = trainer.capture();
      }
    });
    TinyModel second;
    Trainer continued(second, dataset, options);
    continued.restore(middle);
    continued.run(silent);
    EXPECT_TRUE(same_bits(trainer.capture().weights, continued.capture().weights));
    EXPECT_TRUE(same_bits(trainer.capture().second_moments, continued.capture().second_moments));
  }
}

TEST(ShardedTraining, ALossThatIsNotFiniteStopsBeforeTheStep) {
  const Dataset dataset = tiny_dataset();
  TinyModel model;
  model.forwards_until_nan = 5;
  TrainOptions options;
  options.epochs = 2;
  options.batch_size = 10;
  options.shards = 2;
  Trainer trainer(model, dataset, options);
  Observer silent;
  EXPECT_EQ(trainer.run(silent), RunStatus::kDiverged);
  EXPECT_NE(trainer.message().find("batch 3 of 4"), std::string::npos) << trainer.message();
  for (const auto& [name, tensor] : trainer.capture().weights) {
    EXPECT_TRUE(torch::isfinite(tensor).all().item<bool>()) << name;
  }
}

TEST(ShardedTraining, RefusesMoreShardsThanGraphs) {
  const Dataset dataset = tiny_dataset();
  TinyModel model;
  TrainOptions options;
  options.batch_size = 10;
  options.shards = 11;
  EXPECT_NE(message_of<UsageError>([&] { Trainer trainer(model, dataset, options); }).find("'shards' is 11"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
