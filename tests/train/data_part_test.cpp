// Splits of nodes: only their own nodes teach and are scored.
#include "factorgcn/train/data_part.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/trainer.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

/// Two graphs of three and two nodes; the class of a node is its feature.
Dataset node_dataset() {
  Dataset dataset;
  dataset.name = "nodes";
  dataset.task = Task::kNodeClass;
  dataset.num_outputs = 2;
  dataset.node_split = true;
  dataset.graphs = make_store(std::vector<Graph>{
      {"first", 3, {0, 1}, {1, 0}, torch::tensor({{1.0F}, {0.0F}, {1.0F}})},
      {"second", 2, {}, {}, torch::tensor({{0.0F}, {1.0F}})},
  });
  dataset.targets = torch::tensor({1, 0, 1, 0, 1}, torch::kLong);
  dataset.split = {{0, 3}, {1}, {2, 4}};
  check_dataset(dataset);
  return dataset;
}

/// Right about every node but those listed, whose class it turns round.
class NodeModel : public GraphModel {
 public:
  NodeModel() { slope_ = register_parameter("slope", torch::ones({1})); }
  ModelOutput forward(const GraphBatch& batch, bool /*with_regulariser*/ = true) override {
    const torch::Tensor score = (batch.features.flatten() * 2 - 1) * slope_;
    return {torch::stack({-score, score}, 1), {}};
  }
  torch::Tensor slope_;
};

TEST(DataPart, HoldsTheGraphsOfItsNodes) {
  const Dataset dataset = node_dataset();
  EXPECT_EQ(data_part(dataset, Part::kTrain).graphs, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(data_part(dataset, Part::kValidation).graphs, (std::vector<std::int64_t>{0}));
  EXPECT_TRUE(torch::equal(data_part(dataset, Part::kTest).counted, torch::tensor({false, false, true, false, true})));
  const DataPart whole = data_part(testing::tiny_dataset(), Part::kTest);
  EXPECT_FALSE(whole.counted.defined());
  EXPECT_EQ(whole.graphs.size(), 12U);
}

TEST(DataPart, BatchesPickTheCountedRows) {
  const Dataset dataset = node_dataset();
  const DataPart part = data_part(dataset, Part::kTest);
  const std::vector<std::int64_t> reversed{1, 0};
  const LabelledBatch batch = select_batch(dataset, reversed, part.counted);
  EXPECT_TRUE(torch::equal(batch.rows, torch::tensor({1, 4}, torch::kLong)));
  EXPECT_TRUE(torch::equal(batch.targets, torch::tensor({1, 1}, torch::kLong)));
  EXPECT_TRUE(torch::equal(batch.counted(torch::arange(5)), torch::tensor({1, 4}, torch::kLong)));
}

TEST(DataPart, ScoresOnlyItsOwnNodes) {
  Dataset dataset = node_dataset();
  dataset.targets[1] = 1;  // wrong, and a validation node
  NodeModel model;
  EXPECT_DOUBLE_EQ(score_task(model, dataset, data_part(dataset, Part::kTest), 1).metric, 1.0);
  EXPECT_DOUBLE_EQ(score_task(model, dataset, data_part(dataset, Part::kValidation), 1).metric, 0.0);
}

TEST(DataPart, TrainingSeesOnlyTrainingNodes) {
  // The training nodes say that the slope should turn, all other nodes that it should not.
  Dataset dataset = node_dataset();
  dataset.targets = torch::tensor({0, 0, 1, 1, 1}, torch::kLong);
  dataset.split = {{0, 3}, {1, 2}, {4}};
  NodeModel model;
  TrainOptions options;
  options.epochs = 30;
  options.batch_size = 2;
  options.learning_rate = 0.1;
  Trainer trainer(model, dataset, options);
  Observer silent;
  EXPECT_EQ(trainer.run(silent), RunStatus::kFinished);
  EXPECT_LT(model.slope_.item<double>(), 0.0);
}

TEST(DataPart, DataWithoutTaskCannotBeLearnt) {
  Dataset dataset = node_dataset();
  dataset.task = Task::kNone;
  const std::vector<std::int64_t> graphs{0};
  EXPECT_NE(testing::message_of<UsageError>([&] { select_batch(dataset, graphs); }).find("no labels to learn from"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
