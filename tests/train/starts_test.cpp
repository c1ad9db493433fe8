// Several starts: the best of them goes on, a run stopped anywhere ends in the same bits, a start that diverges is
// given up; and models that are chosen by an objective of their own.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/trainer.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::message_of;
using testing::same_bits;
using testing::tiny_dataset;
using testing::TinyModel;

/// Weights that another seed would draw.
NamedTensors other_weights(std::uint64_t seed) {
  TinyModel model;
  NamedTensors weights = copy_weights(model);
  RandomStream random(seed, "test/starts");
  for (auto& [name, tensor] : weights) {
    for (std::int64_t index = 0; name == "weight" && index < tensor.numel(); ++index) {
      tensor.view({-1})[index] = random.uniform(-1, 1);
    }
  }
  return weights;
}

TrainOptions three_starts() {
  TrainOptions options;
  options.seed = 11;
  options.epochs = 6;
  options.batch_size = 10;
  options.learning_rate = 0.05;
  options.lambda = 0.1;
  options.clip_norm = 0.3;
  options.schedule.kind = "one_cycle";
  options.starts = 3;
  options.start_epochs = 2;
  options.fresh_weights = other_weights;
  return options;
}

struct Listener : Observer {
  void on_batch(const BatchProgress& progress) override { last = progress; }
  void on_message(const std::string& line) override { lines.push_back(line); }
  BatchProgress last;
  std::vector<std::string> lines;
};

class StartsTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_interrupt(); }
  void TearDown() override { clear_interrupt(); }
  const Dataset dataset = tiny_dataset();
};

TEST_F(StartsTest, TheBestGoesOn) {
  TinyModel model;
  Trainer trainer(model, dataset, three_starts());
  Listener listener;
  ASSERT_EQ(trainer.run(listener), RunStatus::kFinished);
  const std::vector<EpochRecord>& history = trainer.history();
  ASSERT_EQ(history.size(), 3U * 2 + 4);
  std::int64_t best = 1;
  for (std::int64_t start = 2; start <= 3; ++start) {
    const auto last = [&](std::int64_t of) { return history[static_cast<std::size_t>(2 * of - 1)].validation_loss; };
    best = last(start) < last(best) ? start : best;
  }
  for (std::size_t index = 0; index < history.size(); ++index) {
    EXPECT_EQ(history[index].start, index < 6 ? static_cast<std::int64_t>(index / 2 + 1) : best);
    EXPECT_EQ(history[index].epoch, static_cast<std::int64_t>(index < 6 ? index % 2 + 1 : index - 3));
  }
  const std::vector<EpochRecord> course = course_of(history);
  ASSERT_EQ(course.size(), 6U);
  for (std::size_t index = 0; index < course.size(); ++index) {
    EXPECT_EQ(course[index].epoch, static_cast<std::int64_t>(index + 1));
  }
  EXPECT_EQ(trainer.epochs_done(), 6);
  EXPECT_EQ(listener.last.graphs_done, listener.last.graphs_total);
  EXPECT_EQ(listener.last.start, 0);
  EXPECT_EQ(listener.lines.size(), 4U);
  EXPECT_EQ(listener.lines.back(), concat("start ", best, " goes on: the best of 3"));
}

TEST_F(StartsTest, OneStartIsAsIfThereWereNoOthers) {
  TrainOptions alone = three_starts();
  alone.starts = 1;
  TinyModel model, same;
  Trainer first(model, dataset, alone);
  Listener listener;
  first.run(listener);
  EXPECT_EQ(first.history().front().start, 0);
  alone.fresh_weights = {};
  Trainer second(same, dataset, alone);
  second.run(listener);
  EXPECT_TRUE(same_bits(first.capture().weights, second.capture().weights));
  TrainOptions several = alone;
  several.starts = 2;
  EXPECT_NE(message_of<Error>([&] { Trainer(same, dataset, several); }).find("weights"), std::string::npos);
}

TEST_F(StartsTest, StoppedAnywhereItEndsInTheSameBits) {
  TinyModel whole_model;
  Trainer whole(whole_model, dataset, three_starts());
  Listener listener;
  whole.run(listener);
  const TrainState expected = whole.capture();
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "checkpoint.safetensors";
  for (const int stop : {1, 7, 8, 9, 16, 23, 24, 25, 33}) {
    SCOPED_TRACE(stop);
    clear_interrupt();
    TinyModel first_model;
    Trainer first(first_model, dataset, three_starts());
    int batches = 0;
    first.run(listener, [&](bool) {
      if (++batches == stop) {
        save_checkpoint(file, {RunConfig{}, first.capture()});
        request_interrupt(SIGINT);
      }
    });
    clear_interrupt();
    TinyModel second_model;
    Trainer second(second_model, dataset, three_starts());
    second.restore(load_checkpoint(file).state);
    EXPECT_EQ(second.run(listener), RunStatus::kFinished);
    const TrainState end = second.capture();
    EXPECT_TRUE(same_bits(end.weights, expected.weights));
    EXPECT_TRUE(same_bits(end.second_moments, expected.second_moments));
    EXPECT_TRUE(same_bits(end.best_weights, expected.best_weights));
    std::vector<EpochRecord> left = end.history, right = expected.history;
    for (auto* records : {&left, &right}) {
      std::for_each(records->begin(), records->end(), [](EpochRecord& record) { record.seconds = 0; });
    }
    EXPECT_EQ(history_text(left), history_text(right));
  }
}

TEST_F(StartsTest, AStartThatDivergesIsGivenUp) {
  TinyModel model;
  model.forwards_until_nan = 5;  // in the second epoch of the first start
  Trainer trainer(model, dataset, three_starts());
  Listener listener;
  EXPECT_EQ(trainer.run(listener), RunStatus::kFinished);
  EXPECT_EQ(listener.lines[1], "start 1 of 3 is given up");
  EXPECT_GT(trainer.history().back().start, 1);
  EXPECT_EQ(trainer.message(), "");

  TinyModel hopeless;
  hopeless.infinite_when_scored = true;
  Trainer lost(hopeless, dataset, three_starts());
  EXPECT_EQ(lost.run(listener), RunStatus::kDiverged);
}

/// Predicts as the tiny model does, and says what it is to be chosen by.
class Opinionated : public TinyModel {
 public:
  bool has_own_objective() const override { return true; }
  ModelOutput lesson(const GraphBatch& batch, const Lesson& lesson) override {
    EXPECT_EQ(lesson.targets.size(0), batch.num_graphs());
    progress.push_back(lesson.progress);
    seeds.push_back(lesson.seed);
    return forward(batch);
  }
  OwnObjective own_objective(const GraphBatch&, const Lesson& lesson) override {
    EXPECT_FALSE(is_training());
    EXPECT_EQ(lesson.progress, 1);
    const double value = std::abs(static_cast<double>(progress.size()) - 8.0);  // the best after eight batches
    return {value, {{"distance", value}}};
  }
  std::vector<double> progress;
  std::vector<std::uint64_t> seeds;
};

TEST_F(StartsTest, AnObjectiveOfItsOwnChooses) {
  TrainOptions options = three_starts();
  options.starts = 1;
  Opinionated model;
  Trainer trainer(model, dataset, options);
  Listener listener;
  trainer.run(listener);
  EXPECT_EQ(trainer.best_epoch(), 2);
  EXPECT_EQ(trainer.history()[2].objective, 4);
  EXPECT_EQ(trainer.history()[2].objective_terms.at("distance"), 4);
  EXPECT_EQ(model.progress.front(), 0);
  EXPECT_EQ(model.progress[4], 1.0 / 6);
  std::sort(model.seeds.begin(), model.seeds.end());
  EXPECT_EQ(std::adjacent_find(model.seeds.begin(), model.seeds.end()), model.seeds.end());
  options.shards = 2;
  EXPECT_NE(message_of<UsageError>([&] { Trainer(model, dataset, options); }).find("shards"), std::string::npos);
  options.shards = 1;
  options.lambda = 0;  // nothing but the task
  Opinionated other;
  Trainer plain(other, dataset, options);
  plain.run(listener);
  EXPECT_TRUE(other.progress.empty());
}

}  // namespace
}  // namespace factorgcn
