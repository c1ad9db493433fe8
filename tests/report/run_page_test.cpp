// Factor graphs as a page shows them: checked against the scorer and against the data, edge by edge.
#include "factorgcn/report/run_page.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/evaluate.h"

namespace factorgcn {
namespace {

class FactorGraphPage : public ::testing::Test {
 protected:
  FactorGraphPage() : dataset_(make_synthetic({.factors = 4, .train = 10, .validation = 10, .test = 40, .seed = 3})) {
    model_ = make_model("factorgcn", model_input(dataset_), {}, 1);
    part_ = page_factor_graphs(*model_, dataset_, dataset_.split.test, 1, 16);
  }

  Dataset dataset_;
  std::shared_ptr<GraphModel> model_;
  PageFactorGraphs part_;
};

TEST_F(FactorGraphPage, HoldsEveryGraphWithItsEdgesOnce) {
  ASSERT_EQ(part_.samples.size(), dataset_.split.test.size());
  EXPECT_EQ(part_.shown_layer, 0);
  EXPECT_EQ(part_.layers.size(), 2U);
  EXPECT_EQ(part_.types, dataset_.truth.type_names);
  for (std::size_t index = 0; index < part_.samples.size(); ++index) {
    const PageSample& sample = part_.samples[index];
    const std::int64_t graph = dataset_.split.test[index];
    EXPECT_EQ(sample.id, std::to_string(graph));
    const GraphBatch batch = select_graphs(dataset_.graphs, std::vector{graph});
    EXPECT_EQ(sample.nodes, batch.num_nodes());
    std::set<std::pair<std::int32_t, std::int32_t>> expected, shown;
    const std::int32_t* sources = batch.edges.in_sources.data_ptr<std::int32_t>();
    const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    for (std::int32_t node = 0; node < batch.num_nodes(); ++node) {
      for (std::int64_t edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
        if (sources[edge] < node) {
          expected.insert({sources[edge], node});
        }
      }
    }
    for (std::size_t edge = 0; edge < sample.edges.size(); edge += 2) {
      EXPECT_TRUE(shown.insert({sample.edges[edge], sample.edges[edge + 1]}).second) << "twice";
    }
    EXPECT_EQ(shown, expected);
  }
  Page page;
  page.factor_graphs = {part_};
  EXPECT_NO_THROW(check_page(page));
}

TEST_F(FactorGraphPage, CoefficientsAreTheMeanOfBothDirections) {
  const std::int64_t graph = dataset_.split.test[5];
  const PageSample& sample = part_.samples[5];
  const std::size_t factors = part_.layers[0].factors.size();
  const GraphBatch batch = select_graphs(dataset_.graphs, std::vector{graph});
  model_->eval();
  const at::NoGradGuard no_grad;
  const at::Tensor coefficients = model_->factor_coefficients(batch, 0);
  const std::int32_t* sources = batch.edges.in_sources.data_ptr<std::int32_t>();
  const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  const auto directed = [&](std::int32_t source, std::int32_t target, int factor) {
    for (std::int64_t edge = offsets[target]; edge < offsets[target + 1]; ++edge) {
      if (sources[edge] == source) {
        return coefficients[edge][factor].item<double>();
      }
    }
    ADD_FAILURE() << "no edge from " << source << " to " << target;
    return 0.0;
  };
  for (std::size_t edge = 0; edge < sample.edges.size() / 2; ++edge) {
    const std::int32_t s = sample.edges[2 * edge], t = sample.edges[2 * edge + 1];
    for (std::size_t factor = 0; factor < factors; ++factor) {
      EXPECT_NEAR(sample.layers[0].coefficients[edge * factors + factor],
                  (directed(s, t, factor) + directed(t, s, factor)) / 2, 1e-6);
    }
  }
}

TEST_F(FactorGraphPage, WhatAFactorKeepsDiffersFromTheTruthAsItsScoreSays) {
  double total = 0;
  for (const PageSample& sample : part_.samples) {
    const PageReading& reading = sample.layers[0];
    ASSERT_EQ(reading.matches.size(), sample.truth.size());
    double own = 0;
    for (const PageMatch& match : reading.matches) {
      const PageTruth& truth = sample.truth[match.truth];
      EXPECT_EQ(truth.missing, 0);
      ASSERT_GE(match.factor, 0);
      EXPECT_EQ(match.kept.size(), truth.edges.size());
      std::vector<std::int32_t> differing;
      std::set_symmetric_difference(match.kept.begin(), match.kept.end(), truth.edges.begin(), truth.edges.end(),
                                    std::back_inserter(differing));
      EXPECT_EQ(2.0 * static_cast<double>(differing.size()), match.ged) << "sample " << sample.id;
      own += match.ged;
    }
    EXPECT_DOUBLE_EQ(*reading.ged, own / static_cast<double>(reading.matches.size()));
    total += *reading.ged;
  }
  const auto score = score_factors(*model_, dataset_, dataset_.split.test, 1, 16);
  EXPECT_NEAR(total / static_cast<double>(part_.samples.size()), score->ged_e, 1e-9);
}

TEST_F(FactorGraphPage, SaysWhatASampleIs) {
  for (const PageSample& sample : part_.samples) {
    for (const PageTruth& truth : sample.truth) {
      EXPECT_NE(sample.label.find(part_.types[truth.type]), std::string::npos) << sample.label;
    }
    ASSERT_FALSE(sample.facts.empty());
    EXPECT_EQ(sample.facts.back().label, "predicted");
  }
}

TEST_F(FactorGraphPage, LeavesTheModelInItsModeAndRefusesUnknownLayers) {
  model_->train();
  page_factor_graphs(*model_, dataset_, std::vector{dataset_.split.test[0]}, 2, 16);
  EXPECT_TRUE(model_->is_training());
  EXPECT_EQ(error_text([&] { page_factor_graphs(*model_, dataset_, dataset_.split.test, 3, 16); }),
            "page: layer 3 is not among the 2 layers with factor graphs");
}

TEST(FactorGraphsWithoutTruth, AreShownWithoutMatches) {
  Dataset dataset = make_synthetic({.factors = 2, .train = 2, .validation = 2, .test = 4, .seed = 1});
  dataset.truth = {};
  dataset.graph_names.assign(8, "a name");
  const auto model = make_model("factorgcn", model_input(dataset), {}, 1);
  const PageFactorGraphs part = page_factor_graphs(*model, dataset, dataset.split.test, 1, 3);
  ASSERT_EQ(part.samples.size(), 4U);
  EXPECT_TRUE(part.samples[3].truth.empty());
  EXPECT_FALSE(part.samples[3].layers[0].ged.has_value());
  EXPECT_TRUE(part.samples[3].layers[0].matches.empty());
  EXPECT_EQ(part.samples[3].label, "a name");
}

TEST(FactorGraphsOfOneNetwork, HaveEveryLayerAndColourNodesByWhatIsKnown) {
  // Two directed edges, one edge both ways, a self loop; nodes 0 and 1 are trained on, 2 is tested, 3 has no label.
  Graph graph;
  graph.num_nodes = 4;
  graph.source = {0, 2, 3, 2, 1};
  graph.target = {1, 1, 2, 3, 1};
  graph.features = at::tensor({1.0F, 0.0F, 0.5F, 0.25F}).reshape({4, 1});
  Dataset dataset;
  dataset.name = "net";
  dataset.task = Task::kNodeClass;
  dataset.num_outputs = 2;
  dataset.graphs = make_store(std::vector{graph});
  dataset.targets = at::tensor(std::vector<std::int64_t>{0, 1, 1, 0});
  dataset.split = {{0, 1}, {}, {2}};
  dataset.node_split = true;
  dataset.output_names = {"red", "blue"};
  dataset.node_names = {"Ann", "Bo", "Cy", "</script>"};
  dataset.graph_names = {"1"};
  const auto model = make_model("factorgcn", model_input(dataset), {}, 1);
  const PageFactorGraphs part = page_factor_graphs(*model, dataset, std::vector<std::int64_t>{0}, 2, 16);
  EXPECT_EQ(part.shown_layer, 1);
  ASSERT_EQ(part.samples.size(), 1U);
  const PageSample& sample = part.samples[0];
  EXPECT_EQ(sample.label, "");
  EXPECT_EQ(sample.node_labels, dataset.node_names);
  EXPECT_EQ(sample.edges, (std::vector<std::int32_t>{0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(sample.directions, (std::vector<std::uint8_t>{1, 2, 0}));
  ASSERT_EQ(sample.layers.size(), static_cast<std::size_t>(model->num_factor_layers()));
  std::map<std::string, std::vector<std::int32_t>> colours;
  for (std::size_t index = 0; index < part.colourings.size(); ++index) {
    colours[part.colourings[index].name] = sample.colours[index];
  }
  EXPECT_EQ(colours.at("class"), (std::vector<std::int32_t>{0, 1, 1, -1}));
  EXPECT_EQ(colours.at("part of the data"), (std::vector<std::int32_t>{0, 0, 2, -1}));
  const std::vector<std::int32_t>& predicted = colours.at("predicted class");
  EXPECT_TRUE(std::all_of(predicted.begin(), predicted.end(), [](auto label) { return label == 0 || label == 1; }));
  EXPECT_EQ(colours.at("right or wrong (test nodes)"),
            (std::vector<std::int32_t>{-1, -1, predicted[2] == 1 ? 0 : 1, -1}));
  // A lone direction counts as it is: the page shows what the model says of it.
  model->eval();
  const at::NoGradGuard no_grad;
  const GraphBatch batch = select_graphs(dataset.graphs, std::vector<std::int64_t>{0});
  const at::Tensor values = model->factor_coefficients(batch, 1);
  const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  const std::int32_t* sources = batch.edges.in_sources.data_ptr<std::int32_t>();
  const std::int64_t first = std::find(sources + offsets[1], sources + offsets[2], 0) - sources;
  EXPECT_FLOAT_EQ(sample.layers[1].coefficients[0], values[first][0].item<float>());
  Page page;
  page.factor_graphs = {part};
  EXPECT_NO_THROW(check_page(page));
}

TEST(PageCurveRun, HoldsWhatChangesAndTheBestEpoch) {
  std::vector<EpochRecord> history(3);
  for (int index = 0; index < 3; ++index) {
    EpochRecord& record = history[index];
    record.epoch = index + 1;
    record.loss = 3.0 - index;
    record.task_loss = 2.0 - 0.5 * index;
    record.validation_loss = 1.0 + index;
    record.metric_name = "accuracy";
    record.validation_metric = 0.5 + 0.1 * index;
    record.learning_rate = 0.01;
    record.best = index < 2;
  }
  const PageCurveRun run = page_curve_run(history, "fold 3");
  EXPECT_EQ(run.label, "fold 3");
  EXPECT_EQ(run.best, 2);
  std::vector<std::string> names;
  for (const PageSeries& series : run.series) {
    names.push_back(series.panel + ": " + series.name);
  }
  // The discriminator's loss and the learning rate never change here.
  EXPECT_EQ(names, (std::vector<std::string>{"loss: training, total", "loss: training, task alone",
                                             "loss: validation, task", "accuracy in %: validation"}));
  EXPECT_EQ(run.series[0].values, (std::vector<double>{3, 2, 1}));
  EXPECT_DOUBLE_EQ(run.series[3].values[2], 70);
  EXPECT_EQ(error_text([] { page_curve_run({}, "x"); }), "page: the run 'x' has no epoch to draw");
}

TEST(RunPage, RefusesFoldersThatAreNoRuns) {
  const TemporaryFolder folder;
  EXPECT_NE(usage_error_text([&] { run_page(folder.path()); }).find("is not a run directory"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
