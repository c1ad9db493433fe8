// A run in pieces: the same bits as in one go, results where it stands, data that lie in no file.
#include "factorgcn/train/training_session.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "base/temporary_folder.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/factor_values.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class SessionTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_interrupt(); }

  fs::path folder(const std::string& name) const { return temporary_.path() / name; }

  json layer(const std::string& name) const {
    return {{"data", {{"train", 40}, {"validation", 10}, {"test", 12}}},
            {"epochs", 3},
            {"batch_size", 16},
            {"seed", 5},
            {"out", folder(name).string()}};
  }

  RunConfig config(const std::string& name) const { return resolve_config(std::vector<json>{layer(name)}); }

  static NamedTensors weights(const fs::path& run) { return load_model(RunPaths(run).model).weights; }

  static bool same(const NamedTensors& one, const NamedTensors& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const auto& left, const auto& right) {
      return left.first == right.first && left.second.equal(right.second);
    });
  }

  Observer silent_;
  TemporaryFolder temporary_;
};

TEST_F(SessionTest, EndsInTheSameBitsHoweverItIsCut) {
  run_training(config("whole"), silent_);
  int pieces = 0;
  TrainingSession session = TrainingSession::begin(config("pieces"), silent_);
  while (session.train([](bool) { return true; }) == RunStatus::kInterrupted) {
    ++pieces;
    EXPECT_FALSE(fs::exists(folder("pieces") / "metrics.json"));
  }
  EXPECT_EQ(pieces, 3 * 3 - 1);  // the last batch ends the run
  const RunResult result = session.finish();
  EXPECT_EQ(result.status, RunStatus::kFinished);
  EXPECT_TRUE(same(weights(folder("whole")), weights(folder("pieces"))));
}

TEST_F(SessionTest, AnEpochIsAPiece) {
  TrainingSession session = TrainingSession::begin(config("epochs"), silent_);
  for (std::int64_t epoch = 1; epoch <= 3; ++epoch) {
    const RunStatus status = session.train([](bool epoch_done) { return epoch_done; });
    EXPECT_EQ(status, epoch < 3 ? RunStatus::kInterrupted : RunStatus::kFinished);
    EXPECT_EQ(session.trainer().epochs_done(), epoch);
  }
}

TEST_F(SessionTest, IsScoredWhereItStandsOrTakenUpAgain) {
  {
    TrainingSession session = TrainingSession::begin(config("early"), silent_);
    session.train([](bool epoch_done) { return epoch_done; });
    EXPECT_EQ(session.finish().status, RunStatus::kInterrupted);
    const RunResult result = session.finish(/*as_it_stands=*/true);
    EXPECT_EQ(result.status, RunStatus::kFinished);
    ASSERT_TRUE(result.metrics);
    EXPECT_EQ(result.metrics->epochs_run, 1);
  }
  run_training(config("whole"), silent_);
  TrainingSession again = TrainingSession::resume(folder("early"), silent_);
  EXPECT_FALSE(fs::exists(folder("early") / "metrics.json"));
  EXPECT_EQ(again.train(), RunStatus::kFinished);
  again.finish();
  EXPECT_TRUE(same(weights(folder("whole")), weights(folder("early"))));
}

TEST_F(SessionTest, DataThatLieInNoFileGoIntoTheRunsFolder) {
  const OpenedData made;
  const RunConfig source = config("source");
  const auto data = made.open(source.dataset, source.data);
  json given = layer("held");
  given.erase("data");
  given["dataset"] = RunPaths(folder("held")).data.string();
  OpenedData opened;
  opened.hold(given["dataset"], data);
  const RunConfig held = resolve_config(std::vector{given}, opened);
  {
    TrainingSession session = TrainingSession::begin(held, silent_, false, opened, nullptr, /*keep_data=*/true);
    session.train();
    session.finish();
  }
  fs::rename(folder("held"), folder("moved"));
  RunConfig again = read_run_config(folder("moved"));
  again.out = folder("moved").string();
  again.epochs = 1;
  run_training(again, silent_, /*force=*/true);  // a former run's data outlive it
  const LoadedRun run = load_run(folder("moved"));
  EXPECT_EQ(run.data->graphs.num_nodes(), data->graphs.num_nodes());
  EXPECT_TRUE(run.data->targets.equal(data->targets));
}

TEST_F(SessionTest, FactorValuesAreTheModelsCoefficients) {
  run_training(config("run"), silent_);
  const LoadedRun run = load_run(folder("run"));
  const FactorValues found = factor_values(run, 1);
  std::vector<std::int64_t> all(static_cast<std::size_t>(run.data->graphs.num_graphs()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  const GraphBatch batch = select_graphs(run.data->graphs, all);
  const at::Tensor expected = run.model->factor_coefficients(batch, 0);
  EXPECT_EQ(found.edge_index.size(1), batch.num_edges() - run.data->added_self_loops);
  EXPECT_TRUE(found.edge_index[0].ne(found.edge_index[1]).all().item<bool>());
  const at::Tensor targets =
      at::arange(batch.num_nodes(), at::kLong).repeat_interleave(batch.edges.in_offsets.diff(), 0);
  const at::Tensor real = batch.edges.in_sources.ne(targets);
  EXPECT_TRUE(found.edge_index[1].equal(targets.masked_select(real)));
  EXPECT_TRUE(at::allclose(found.values, expected.detach().to(at::kFloat).index({real}), 1e-5, 1e-6));
  EXPECT_THROW(factor_values(run, 9), UsageError);
}

}  // namespace
}  // namespace factorgcn
