// Each slip of the published evaluation applies to its own data set, and changes what it should.
#include "factorgcn/train/protocol.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "factorgcn/data/registry.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/run_metrics.h"
#include "factorgcn/train/trainer.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

ProtocolSlips slips_of(const std::string& name, Task task = Task::kGraphClass) {
  Dataset dataset;
  dataset.name = name;
  dataset.task = task;
  dataset.split.validation = {0};
  return protocol_slips("published", dataset);
}

TEST(Protocol, KnowsWhichSlipBelongsWhere) {
  EXPECT_TRUE(slips_of("synthetic").test_on_validation);
  EXPECT_FALSE(slips_of("Synthetic").test_on_validation) << "a file of somebody's own";
  EXPECT_FALSE(slips_of("zinc").test_on_validation);
  EXPECT_TRUE(slips_of("zinc").factors_on_training);
  EXPECT_TRUE(slips_of("pattern").choose_on_last_batch);
  EXPECT_FALSE(slips_of("pattern").dropout_at_evaluation);
  for (const char* name : {"mutag", "imdb-b", "collab"}) {
    EXPECT_TRUE(slips_of(name).dropout_at_evaluation) << name;
    EXPECT_FALSE(slips_of(name).choose_on_test) << "there are validation graphs";
  }
}

TEST(Protocol, CorrectedHasNoSlips) {
  Dataset dataset = testing::tiny_dataset();
  for (const char* name : {"synthetic", "zinc", "pattern", "mutag"}) {
    dataset.name = name;
    const ProtocolSlips slips = protocol_slips("corrected", dataset);
    EXPECT_FALSE(slips.test_on_validation || slips.factors_on_training || slips.choose_on_last_batch ||
                 slips.dropout_at_evaluation || slips.choose_on_test)
        << name;
  }
}

TEST(Protocol, WithoutValidationGraphsTheTestCurveChooses) {
  Dataset dataset = testing::tiny_dataset();
  dataset.split.validation.clear();
  testing::TinyModel model;
  TrainOptions options;
  options.epochs = 2;
  options.batch_size = 20;
  EXPECT_EQ(
      testing::message_of<UsageError>([&] { Trainer(model, dataset, options); }),
      "data set tiny has no validation graphs to choose the best model on; make or import it with a larger validation "
      "part");
  options.slips.choose_on_test = true;
  Trainer trainer(model, dataset, options);
  Observer silent;
  trainer.run(silent);
  ASSERT_EQ(trainer.history().size(), 2U);
  EXPECT_EQ(trainer.history()[0].monitored, "test");
  EXPECT_DOUBLE_EQ(trainer.history()[1].validation_metric,
                   score_task(model, dataset, data_part(dataset, Part::kTest), 20).metric);
}

TEST(Protocol, TheLastBatchAloneMayChoose) {
  const Dataset dataset = testing::tiny_dataset();
  testing::TinyModel model;
  const DataPart part = data_part(dataset, Part::kValidation);  // 12 graphs
  DataPart last = part;
  last.graphs.erase(last.graphs.begin(), last.graphs.begin() + 10);
  const TaskScore all = score_task(model, dataset, part, 5);
  const TaskScore slip = score_task(model, dataset, part, 5, true);
  EXPECT_DOUBLE_EQ(slip.loss, score_task(model, dataset, last, 5).loss);
  EXPECT_NE(slip.loss, all.loss);
}

TEST(Protocol, FactorsMayBeScoredOnTrainingGraphs) {
  Dataset dataset = make_dataset(
      "synthetic", {{"train", std::int64_t{30}}, {"validation", std::int64_t{5}}, {"test", std::int64_t{12}}});
  dataset.name = "zinc";  // whose slip it is
  const auto model = make_model("factorgcn", model_input(dataset), {}, 0);
  RunConfig config;
  config.batch_size = 10;
  const auto scored = [&](std::span<const std::int64_t> graphs) {
    return score_factors(*model, dataset, graphs, config.metric_layer, config.batch_size)->ged_e;
  };
  const RunMetrics corrected = measure(*model, dataset, config);
  EXPECT_EQ(corrected.splits.at("ged_e"), "test");
  EXPECT_DOUBLE_EQ(corrected.test.at("ged_e"), scored(dataset.split.test));
  config.protocol = "published";
  const RunMetrics published = measure(*model, dataset, config);
  EXPECT_EQ(published.splits.at("ged_e"), "train");
  EXPECT_DOUBLE_EQ(published.test.at("ged_e"), scored(std::span(dataset.split.train).first(10)));
  EXPECT_NE(published.test.at("ged_e"), corrected.test.at("ged_e"));
  EXPECT_EQ(published.splits.at("micro_f1"), "test");
}

}  // namespace
}  // namespace factorgcn
