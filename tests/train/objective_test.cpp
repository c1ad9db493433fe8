// Losses against values worked out by hand.
#include "factorgcn/train/objective.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "factorgcn/base/error.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::message_of;

double loss(Task task, const torch::Tensor& prediction, const torch::Tensor& targets) {
  return task_loss(task, prediction, targets).item<double>();
}

TEST(Objective, MultiLabelIsBinaryCrossEntropy) {
  const double z = 0.7;
  const double one = -std::log(1 / (1 + std::exp(-z)));
  const double zero = -std::log(1 - 1 / (1 + std::exp(-z)));
  EXPECT_NEAR(loss(Task::kMultiLabel, torch::tensor({{z, z}}, torch::kFloat64), torch::tensor({{1.0F, 0.0F}})),
              (one + zero) / 2, 1e-12);
  // Large logits must not overflow: log(1 + e^1000) is 1000.
  EXPECT_NEAR(loss(Task::kMultiLabel, torch::tensor({{1000.0}}, torch::kFloat64), torch::zeros({1, 1})), 1000, 1e-9);
}

TEST(Objective, RegressionIsMeanAbsoluteError) {
  EXPECT_NEAR(loss(Task::kRegression, torch::tensor({{1.0, -2.0}, {0.0, 4.0}}, torch::kFloat64),
                   torch::tensor({{0.0, 0.0}, {0.0, 1.0}}, torch::kFloat64)),
              (1 + 2 + 0 + 3) / 4.0, 1e-12);
}

TEST(Objective, GraphClassIsCrossEntropy) {
  const double p = std::exp(2.0) / (std::exp(2.0) + std::exp(0.0));
  EXPECT_NEAR(loss(Task::kGraphClass, torch::tensor({{2.0, 0.0}, {2.0, 0.0}}, torch::kFloat64), torch::tensor({0, 1})),
              (-std::log(p) - std::log(1 - p)) / 2, 1e-12);
}

TEST(Objective, NodeClassWeighsRareClassesMore) {
  // Three of four nodes are of class 0: weights 1/4 and 3/4.
  const double p = std::exp(2.0) / (std::exp(2.0) + std::exp(0.0));
  const torch::Tensor scores = torch::tensor({{2.0, 0.0}, {2.0, 0.0}, {0.0, 2.0}, {2.0, 0.0}}, torch::kFloat64);
  const double weighted = 0.25 * (-std::log(p) - std::log(p) - std::log(1 - p)) + 0.75 * -std::log(1 - p);
  EXPECT_NEAR(loss(Task::kNodeClass, scores, torch::tensor({0, 0, 0, 1})), weighted / (3 * 0.25 + 0.75), 1e-12);
}

TEST(Objective, NodeClassWithASingleClassStaysFinite) {
  const torch::Tensor scores = torch::tensor({{1.0, 0.0}, {1.0, 0.0}}, torch::kFloat64);
  EXPECT_NEAR(loss(Task::kNodeClass, scores, torch::tensor({0, 0})), std::log(1 + std::exp(-1.0)), 1e-12);
}

TEST(Objective, ClassWeightsAreThoseOfTheTrainingPart) {
  Dataset dataset;
  dataset.name = "d";
  dataset.task = Task::kGraphClass;
  dataset.num_outputs = 3;
  dataset.graphs = make_store(std::vector<Graph>(6, {"g", 2, {}, {}, torch::ones({2, 1})}));
  dataset.targets = torch::tensor({0, 0, 0, 1, 2, 2});
  dataset.split.train = {0, 1, 2, 3};
  EXPECT_FALSE(class_weight_values(ClassWeights::kTask, dataset).defined());
  EXPECT_FALSE(class_weight_values(ClassWeights::kNone, dataset).defined());
  // Two classes of four graphs: 4 / 2 / 3 and 4 / 2 / 1; the third is not there.
  const torch::Tensor balanced = class_weight_values(ClassWeights::kBalanced, dataset);
  EXPECT_TRUE(torch::allclose(balanced, torch::tensor({2.0F / 3, 2.0F, 0.0F})));
  const torch::Tensor scores = torch::tensor({{2.0F, 0.0F, 0.0F}, {0.0F, 1.0F, 0.0F}});
  const double first = std::log(std::exp(2.0) + 2) - 2, second = std::log(std::exp(1.0) + 2) - 1;
  EXPECT_NEAR(task_loss(Task::kGraphClass, scores, torch::tensor({0, 1}), balanced).item<double>(),
              (first * 2 / 3 + second * 2) / (2.0 / 3 + 2), 1e-6);

  // Nodes: every node of a graph, or those the split names.
  dataset.task = Task::kNodeClass;
  dataset.targets = torch::tensor({0, 0, 0, 1, 0, 0, 1, 1, 2, 2, 2, 2});
  EXPECT_TRUE(class_weight_values(ClassWeights::kNone, dataset).equal(torch::ones({3})));
  EXPECT_TRUE(torch::allclose(class_weight_values(ClassWeights::kBalanced, dataset),
                              torch::tensor({8.0F / 2 / 5, 8.0F / 2 / 3, 0.0F})));
  dataset.node_split = true;
  EXPECT_TRUE(torch::allclose(class_weight_values(ClassWeights::kBalanced, dataset),
                              torch::tensor({4.0F / 2 / 3, 4.0F / 2 / 1, 0.0F})));
  dataset.task = Task::kRegression;
  EXPECT_NE(message_of<UsageError>([&] { class_weight_values(ClassWeights::kBalanced, dataset); }).find("classes"),
            std::string::npos);
}

TEST(Objective, AddsLambdaTimesTheRegulariser) {
  const torch::Tensor x = torch::tensor({{2.0}}, torch::kFloat64).requires_grad_();
  const Loss result = objective(Task::kRegression, {x, (x * x).sum()}, torch::zeros({1, 1}, torch::kFloat64), 0.25);
  EXPECT_DOUBLE_EQ(result.task, 2.0);
  EXPECT_DOUBLE_EQ(result.regulariser, 4.0);
  EXPECT_DOUBLE_EQ(result.value, 3.0);
  result.total.backward();
  EXPECT_DOUBLE_EQ(x.grad().item<double>(), 1.0 + 0.25 * 4.0);
}

TEST(Objective, WithoutRegulariserTheTaskAlone) {
  const Loss result = objective(Task::kRegression, {torch::ones({1, 1}), {}}, torch::zeros({1, 1}), 0.5);
  EXPECT_EQ(result.value, 1.0);
  EXPECT_EQ(result.regulariser, 0.0);
}

TEST(Objective, RefusesShapesThatDoNotFit) {
  EXPECT_NE(message_of<Error>([] {
              task_loss(Task::kMultiLabel, torch::ones({2, 3}), torch::ones({2, 1}));
            }).find("[2, 3]"),
            std::string::npos);
  EXPECT_NE(message_of<Error>([] {
              task_loss(Task::kGraphClass, torch::ones({2, 3}), torch::ones({3}, torch::kLong));
            }).find("[rows, classes]"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
