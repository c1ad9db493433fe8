// Edge weights in layers: an edge of weight 3 is three parallel edges of weight 1, in predictions, regularisers and the
// gradients of all weights. What has no weights refuses to use them.
#include <ATen/ops/tensor.h>

#include "factorgcn/nn/input_scale.h"
#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

/// Random graphs with weights 1 to 3, or with every edge as often as it weighs.
GraphBatch weighted_batch(bool repeated, std::uint64_t seed) {
  RandomStream random(seed, "test/weighted");
  std::vector<Graph> graphs(3);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    Graph& graph = graphs[g];
    graph.num_nodes = 5 + static_cast<std::int64_t>(g);
    for (int e = 0; e < 14; ++e) {
      // The last node of each graph stays alone.
      const auto source = static_cast<std::int32_t>(random.below(graph.num_nodes - 1));
      const auto target = static_cast<std::int32_t>(random.below(graph.num_nodes - 1));
      const int weight = 1 + static_cast<int>(random.below(3));
      for (int copy = 0; copy < (repeated ? weight : 1); ++copy) {
        graph.source.push_back(source);
        graph.target.push_back(target);
        graph.weight.push_back(repeated ? 1.0F : static_cast<float>(weight));
      }
    }
    graph.features = random_tensor({graph.num_nodes, testing::kFeatures}, random, at::kFloat);
  }
  GraphBatch batch = make_batch(graphs);
  batch.features = batch.features.to(at::kDouble);
  return batch;
}

struct Outcome {
  ModelOutput output;
  std::vector<at::Tensor> gradients;
};

Outcome outcome_of(const std::string& name, Settings settings, const GraphBatch& batch, bool weighted, Task task) {
  settings["edge_weights"] = weighted;
  ModelInput input{task, testing::kFeatures, 0, testing::kOutputs};
  input.edge_weights = true;
  const auto model = make_model(name, input, settings, 3);
  model->to(at::kDouble);
  Outcome outcome{model->forward(batch, true), {}};
  RandomStream random(1, "test/direction");
  at::Tensor total = (outcome.output.prediction * random_tensor(outcome.output.prediction.sizes(), random)).sum();
  if (outcome.output.regulariser.defined()) {
    total = total + outcome.output.regulariser * 0.7;
  }
  outcome.gradients = torch::autograd::grad({total}, model->parameters(), {}, {}, false, /*allow_unused=*/true);
  return outcome;
}

class WeightedLayers : public ::testing::TestWithParam<std::pair<const char*, Settings>> {};

TEST_P(WeightedLayers, CountAnEdgeAsOftenAsItWeighs) {
  const auto& [name, settings] = GetParam();
  for (const Task task : {Task::kGraphClass, Task::kNodeClass}) {
    const Outcome weighted = outcome_of(name, settings, weighted_batch(false, 5), true, task);
    const Outcome repeated = outcome_of(name, settings, weighted_batch(true, 5), false, task);
    EXPECT_LT(difference(weighted.output.prediction, repeated.output.prediction), 1e-10) << name;
    ASSERT_EQ(weighted.output.regulariser.defined(), repeated.output.regulariser.defined());
    if (weighted.output.regulariser.defined()) {
      EXPECT_LT(difference(weighted.output.regulariser, repeated.output.regulariser), 1e-10) << name;
    }
    ASSERT_EQ(weighted.gradients.size(), repeated.gradients.size());
    for (std::size_t index = 0; index < weighted.gradients.size(); ++index) {
      ASSERT_EQ(weighted.gradients[index].defined(), repeated.gradients[index].defined());
      if (weighted.gradients[index].defined()) {
        EXPECT_LT(difference(weighted.gradients[index], repeated.gradients[index]), 1e-9) << name << " " << index;
      }
    }
    const Outcome ignored = outcome_of(name, settings, weighted_batch(false, 5), false, task);
    EXPECT_GT(difference(weighted.output.prediction, ignored.output.prediction), 1e-6) << name;
  }
}

const Settings kSmall{{"hidden", std::int64_t{8}}, {"batch_norm", false}};
Settings with(Settings settings, const Settings& more) {
  settings.insert(more.begin(), more.end());
  return settings;
}

INSTANTIATE_TEST_SUITE_P(
    All, WeightedLayers,
    ::testing::Values(
        std::pair{"factorgcn", kSmall}, std::pair{"factorgcn", with(kSmall, {{"norm", std::string("symmetric")}})},
        std::pair{"factorgcn", with(kSmall, {{"norm", std::string("none")}, {"discriminator_depth", std::int64_t{3}}})},
        std::pair{"gcn", kSmall}, std::pair{"gcn", with(kSmall, {{"norm", std::string("none")}})},
        std::pair{"gat", with(kSmall, {{"heads", std::int64_t{4}}})},
        std::pair{"gat_dis", with(kSmall, {{"heads", std::int64_t{4}}})}, std::pair{"gin", kSmall},
        std::pair{"graphsage", kSmall}));

TEST(EdgeWeights, AreRefusedWhereTheyHaveNoMeaning) {
  ModelInput input{Task::kGraphClass, 3, 0, 2};
  EXPECT_EQ(usage_error_text([&] {
              make_model("gcn", input, {{"edge_weights", true}}, 0);
            }),
            "model gcn was asked to use edge weights, but these data have none; import them with --edge-weight COLUMN");
  input.edge_weights = true;
  EXPECT_EQ(usage_error_text([&] {
              make_model("mlp", input, {{"edge_weights", true}}, 0);
            }),
            "model mlp does not look at edge weights; these do: factorgcn, aligned, gcn, gat, gat_dis, gin, graphsage");
  EXPECT_NO_THROW(make_model("mlp", input, {{"edge_weights", false}}, 0));
}

TEST(EdgeWeights, AreDividedByTheMeanOfTheTrainingPart) {
  Dataset dataset;
  dataset.name = "d";
  std::vector<Graph> graphs(2);
  for (Graph& graph : graphs) {
    graph = {"g", 2, {0, 1}, {1, 0}, at::tensor({1.0F, 2.0F}).view({2, 1})};
    graph.weight = {1, 3};
  }
  graphs[1].weight = {10, 30};
  dataset.graphs = make_store(graphs);
  dataset.split.train = {0};
  EXPECT_EQ(mean_edge_weight(dataset), 2);
  dataset.split.train = {3};  // a node of the second graph
  dataset.node_split = true;
  EXPECT_EQ(mean_edge_weight(dataset), 20);
  dataset.graphs.edge_weights.fill_(0);
  EXPECT_NE(usage_error_text([&] { mean_edge_weight(dataset); }).find("all edge weights are 0"), std::string::npos);
  dataset.graphs.edge_weights[2] = -1;
  EXPECT_NE(usage_error_text([&] { mean_edge_weight(dataset); }).find("weight -1"), std::string::npos);
  dataset.graphs.edge_weights = at::Tensor();
  EXPECT_NE(usage_error_text([&] { mean_edge_weight(dataset); }).find("--edge-weight"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
