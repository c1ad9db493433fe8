// Scores of a model: averages over uneven batches, and factor graphs handed to the scorer edge by edge.
#include "factorgcn/train/evaluate.h"

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/run_metrics.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::tiny_dataset;
using testing::TinyModel;

/// Knows the truth of the synthetic data: factor k is 1 on the edges of relation type k, and 0 elsewhere.
class Oracle : public GraphModel {
 public:
  explicit Oracle(const Dataset& dataset) : dataset_(dataset) { weight_ = register_parameter("w", torch::zeros({1})); }

  ModelOutput forward(const GraphBatch& batch, bool /*with_regulariser*/ = true) override {
    return {torch::ones({batch.num_graphs(), dataset_.num_outputs}), {}};
  }
  int num_factor_layers() const override { return 1; }
  at::Tensor factor_coefficients(const GraphBatch& batch, int layer) override {
    EXPECT_EQ(layer, 0);
    EXPECT_FALSE(is_training());
    EXPECT_FALSE(at::GradMode::is_enabled());
    const std::int64_t types = dataset_.truth.num_types();
    torch::Tensor result = torch::zeros({batch.num_edges(), types});
    const std::int64_t* nodes = batch.graph_offsets.data_ptr<std::int64_t>();
    const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    const std::int32_t* sources = batch.edges.in_sources.data_ptr<std::int32_t>();
    for (std::int64_t graph = 0; graph < batch.num_graphs(); ++graph, ++next_) {
      const std::int64_t id = ids.at(next_);
      for (std::int64_t index = 0; index < dataset_.truth.num_parts(id); ++index) {
        const auto part = dataset_.truth.part(id, index);
        for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
          const std::int64_t target = nodes[graph] + part.targets[entry];
          for (std::int64_t edge = offsets[target]; edge < offsets[target + 1]; ++edge) {
            if (sources[edge] == nodes[graph] + part.sources[entry]) {
              result[edge][part.type] = 1.0;
            }
          }
        }
      }
    }
    return result;
  }

  std::vector<std::int64_t> ids;  ///< graphs in the order in which they will be asked for

 private:
  const Dataset& dataset_;
  std::size_t next_ = 0;
  torch::Tensor weight_;
};

TEST(Evaluate, DoesNotDependOnTheBatchSize) {
  const Dataset dataset = tiny_dataset();
  TinyModel model;
  model.train();
  const TaskScore whole = score_task(model, dataset, whole_graphs(dataset.split.train), 1000);
  const TaskScore pieces = score_task(model, dataset, whole_graphs(dataset.split.train), 7);
  EXPECT_NEAR(whole.loss, pieces.loss, 1e-6);
  EXPECT_EQ(whole.metric, pieces.metric);
  EXPECT_TRUE(model.is_training()) << "the mode must be put back";
  const LabelledBatch all = select_batch(dataset, dataset.split.train);
  model.eval();
  EXPECT_NEAR(whole.loss, task_loss(dataset.task, model.forward(all.graphs).prediction, all.targets).item<double>(),
              1e-6);
  EXPECT_THROW(score_task(model, dataset, {}, 7), Error);
}

TEST(Evaluate, EachTaskHasItsMetric) {
  Dataset dataset = tiny_dataset();
  TinyModel model;
  const std::int64_t graphs = dataset.targets.size(0);
  const LabelledBatch all = select_batch(dataset, dataset.split.test);
  model.eval();
  const torch::Tensor prediction = model.forward(all.graphs).prediction;

  dataset.task = Task::kRegression;
  EXPECT_NEAR(score_task(model, dataset, whole_graphs(dataset.split.test), 4).metric,
              (prediction - all.targets).abs().mean().item<double>(), 1e-6);
  dataset.task = Task::kGraphClass;
  dataset.targets = torch::arange(graphs) % 3;
  const LabelledBatch classes = select_batch(dataset, dataset.split.test);
  EXPECT_NEAR(score_task(model, dataset, whole_graphs(dataset.split.test), 4).metric,
              (prediction.argmax(1) == classes.targets).to(torch::kFloat64).mean().item<double>(), 1e-12);
  EXPECT_STREQ(metric_name(Task::kMultiLabel), "micro_f1");
  EXPECT_STREQ(metric_name(Task::kRegression), "mae");
  EXPECT_STREQ(metric_name(Task::kGraphClass), "accuracy");
  EXPECT_STREQ(metric_name(Task::kNodeClass), "mean_recall");
  EXPECT_TRUE(better_metric(Task::kRegression, 1, 2));
  EXPECT_TRUE(better_metric(Task::kNodeClass, 2, 1));
  EXPECT_FALSE(better_metric(Task::kMultiLabel, 1, 1));
}

TEST(Evaluate, PerfectFactorsScorePerfectly) {
  SyntheticOptions options;
  options.train = 5;
  options.validation = 3;
  options.test = 20;
  const Dataset dataset = make_synthetic(options);
  Oracle oracle(dataset);
  oracle.ids = dataset.split.test;
  const auto score = score_factors(oracle, dataset, dataset.split.test, 1, 7);
  ASSERT_TRUE(score);
  EXPECT_EQ(score->samples, 20);
  EXPECT_EQ(score->ged_e, 0.0);
  EXPECT_EQ(score->ged_e_std, 0.0);
  EXPECT_EQ(score->c_score, 1.0);
  EXPECT_FALSE(score_factors(oracle, dataset, dataset.split.test, 0, 7));
  EXPECT_THROW(score_factors(oracle, dataset, dataset.split.test, 2, 7), UsageError);
}

TEST(RunMetrics, FactorsOfASingleGraphHaveNoCScore) {
  DisentanglementScore score;
  score.ged_e = 6;
  score.c_score = 1;
  score.samples = 1;
  score.ged_e_chance = 8;
  score.relation_auc = 0.9;
  score.relation_auc_chance = 0.6;
  RunMetrics metrics;
  put_factor_scores(score, metrics);
  EXPECT_FALSE(metrics.test.contains("c_score") || metrics.test.contains("ged_e_std"));
  EXPECT_EQ(metrics.test.at("ged_e_share"), 0.75);
  EXPECT_EQ(metrics.chance.at("ged_e"), 8);
  EXPECT_EQ(metrics.chance.at("relation_auc"), 0.6);
  score.samples = 2;
  put_factor_scores(score, metrics);
  EXPECT_EQ(metrics.test.at("c_score"), 1);
}

TEST(RunMetrics, FactorsThatNothingWasScoredOnAreNotPerfect) {
  RunMetrics metrics;
  put_factor_scores(DisentanglementScore(), metrics);
  EXPECT_TRUE(std::isnan(metrics.test.at("ged_e")));
  EXPECT_FALSE(metrics.test.contains("c_score") || metrics.chance.contains("ged_e"));
}

TEST(RunMetrics, WithoutATestPartTheValidationPartStandsInItsPlace) {
  SyntheticOptions options;
  options.train = 5;
  options.validation = 4;
  options.test = 3;
  Dataset dataset = make_synthetic(options);
  dataset.split.test.clear();
  Oracle oracle(dataset);
  oracle.ids = dataset.split.validation;
  RunConfig config;
  config.batch_size = 4;
  const RunMetrics metrics = measure(oracle, dataset, config);
  EXPECT_EQ(metrics.splits.at("micro_f1"), "validation");
  EXPECT_EQ(metrics.test.at("micro_f1"), metrics.validation.at("micro_f1"));
  EXPECT_FALSE(metrics.samples.contains("test"));
}

TEST(Evaluate, NoFactorsNoScore) {
  const Dataset dataset = tiny_dataset();
  TinyModel model;
  EXPECT_FALSE(score_factors(model, dataset, dataset.split.test, 1, 7));
}

TEST(RunMetrics, TheProtocolDecidesWhatTestMeans) {
  SyntheticOptions options;
  options.train = 5;
  options.validation = 4;
  options.test = 9;
  Dataset dataset = make_synthetic(options);
  // With every label predicted, F1 tells how many labels are set: make the two parts differ.
  dataset.targets.index_put_({torch::tensor(dataset.split.validation)}, 1.0F);
  Oracle oracle(dataset);
  RunConfig config;
  config.batch_size = 100;
  oracle.ids = dataset.split.test;
  const RunMetrics corrected = measure(oracle, dataset, config);
  EXPECT_EQ(corrected.validation.at("micro_f1"), 1.0);
  EXPECT_LT(corrected.test.at("micro_f1"), 1.0);
  EXPECT_EQ(corrected.splits.at("micro_f1"), "test");
  EXPECT_EQ(corrected.test.at("ged_e"), 0.0);
  EXPECT_EQ(corrected.factors, 4);
  EXPECT_EQ(corrected.parameters, 1);

  config.protocol = "published";
  Oracle second(dataset);
  second.ids = dataset.split.test;
  const RunMetrics published = measure(second, dataset, config);
  EXPECT_EQ(published.test.at("micro_f1"), 1.0);
  EXPECT_EQ(published.splits.at("micro_f1"), "validation");
  EXPECT_EQ(published.splits.at("ged_e"), "test");
  EXPECT_EQ(published.samples, (std::map<std::string, std::int64_t>{{"validation", 4}}));
}

TEST(RunMetrics, HoldsTheOtherMetricsIntervalsAndChance) {
  Dataset dataset = tiny_dataset();
  TinyModel model;
  RunConfig config;
  config.batch_size = 4;
  const RunMetrics metrics = measure(model, dataset, config);
  const std::string metric = metric_name(dataset.task);
  EXPECT_EQ(metrics.metric, metric);
  EXPECT_EQ(metrics.samples.at("test"), static_cast<std::int64_t>(dataset.split.test.size()));
  const PartScores part = score_part(model, dataset, data_part(dataset, Part::kTest), 4);
  EXPECT_EQ(part.task.metric, metrics.test.at(metric));
  EXPECT_EQ(part.task.loss, score_task(model, dataset, data_part(dataset, Part::kTest), 4).loss);
  for (const ScoredMetric& each : part.metrics) {
    const std::string name = each.metric->name;
    ASSERT_TRUE(metrics.test.contains(name) && metrics.validation.contains(name)) << name;
    if (each.score.value) {
      EXPECT_DOUBLE_EQ(metrics.test.at(name), *each.score.value) << name;
    }
    EXPECT_EQ(metrics.intervals.contains(name), each.score.interval.has_value()) << name;
    EXPECT_EQ(metrics.chance.contains(name), each.score.chance.has_value()) << name;
  }
  const RunMetrics read = metrics_from_json(nlohmann::json::parse(to_json(metrics).dump()));
  EXPECT_EQ(to_json(read).dump(), to_json(metrics).dump());
  EXPECT_EQ(to_json(metrics)["test"].items().begin().key(), metric) << "the task's metric comes first";
  EXPECT_THROW(metrics_from_json({{"intervals", {{"mae", {1}}}}}), UsageError);
}

TEST(RunMetrics, JsonHasTheAgreedKeysInOrder) {
  RunMetrics metrics;
  metrics.dataset = "synthetic";
  metrics.model = "factorgcn";
  metrics.factors = 4;
  metrics.status = RunStatus::kDiverged;
  metrics.validation = {{"loss", 0.1}, {"micro_f1", 0.75}};
  metrics.test = {{"micro_f1", 0.5}, {"ged_e", 10}, {"ged_e_std", 4}, {"c_score", std::nan("")}};
  metrics.splits = {{"micro_f1", "test"}, {"ged_e", "test"}};
  const nlohmann::ordered_json object = to_json(metrics);
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) {
    keys.push_back(key);
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"dataset", "model", "preset", "protocol", "seed", "device", "parameters",
                                            "epochs_run", "best_epoch", "seconds", "status", "factors", "validation",
                                            "test", "splits"}));
  EXPECT_EQ(object["test"].dump(), R"({"micro_f1":0.5,"ged_e":10.0,"ged_e_std":4.0,"c_score":null})");
  const RunMetrics read = metrics_from_json(nlohmann::json::parse(object.dump()));
  EXPECT_EQ(to_json(read).dump(), object.dump());
  EXPECT_EQ(read.status, RunStatus::kDiverged);
  EXPECT_THROW(status_from_name("lost"), Error);
}

}  // namespace
}  // namespace factorgcn
