// Scaled and sparse input: each way of scaling against its formula, sparse features against dense ones in every model.
#include "factorgcn/nn/input_scale.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "factorgcn/graph/sparse_features.h"
#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

/// [rows, columns], two values of three 0.
at::Tensor mostly_zero(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  RandomStream random(seed, "test/mostly zero");
  const at::Tensor values = random_tensor({rows, columns}, random, at::kFloat);
  const at::Tensor chosen = random_tensor({rows, columns}, random, at::kFloat);
  return at::where(chosen > 0.4, values, at::zeros_like(values));
}

TEST(InputScale, RowsAddUpToOne) {
  const at::Tensor x = at::tensor({1.0F, -3.0F, 0.0F, 0.0F, 0.0F, 2.0F}).view({3, 2});
  const at::Tensor expected = at::tensor({0.25F, -0.75F, 0.0F, 0.0F, 0.0F, 1.0F}).view({3, 2});
  EXPECT_TRUE(scaled_rows(x).equal(expected));
  EXPECT_TRUE(dense_features(scaled_rows(compressed_features(x))).equal(expected));
}

TEST(InputScale, ColumnsAreThoseOfTheTrainingPart) {
  Dataset dataset;
  dataset.name = "d";
  // The last graph is not trained on. The third column does not vary, the fourth is large and varies little.
  const std::vector<Graph> graphs{
      {"a", 2, {}, {}, at::tensor({1.0F, 0.0F, 7.0F, 1e6F, 3.0F, 0.0F, 7.0F, 1e6F + 4}).view({2, 4})},
      {"b", 1, {}, {}, at::tensor({5.0F, 6.0F, 7.0F, 1e6F + 8}).view({1, 4})},
      {"c", 1, {}, {}, at::tensor({900.0F, 900.0F, 9.0F, 0.0F}).view({1, 4})}};
  dataset.graphs = make_store(graphs);
  dataset.split = {{0, 1}, {2}, {}};
  const ColumnScale dense = column_scale(dataset);
  const at::Tensor trained = dataset.graphs.features.narrow(0, 0, 3).to(at::kDouble);
  EXPECT_LT(difference(dense.mean.to(at::kDouble), trained.mean(0)), 1e-2);
  const at::Tensor deviation = trained.var(0, /*unbiased=*/false).sqrt();
  for (const int column : {0, 1, 3}) {
    EXPECT_NEAR(dense.factor[column].item<double>() * deviation[column].item<double>(), 1, 1e-5) << column;
  }
  EXPECT_EQ(dense.factor[2].item<double>(), 1);
  const at::Tensor scaled = scaled_columns(dataset.graphs.features, dense).narrow(0, 0, 3);
  EXPECT_LT(scaled.mean(0).abs().max().item<double>(), 1e-2);

  dataset.graphs.features = compressed_features(dataset.graphs.features);
  const ColumnScale sparse = column_scale(dataset);
  EXPECT_EQ(sparse.mean.abs().max().item<double>(), 0);
  EXPECT_LT(difference(sparse.factor, dense.factor), 1e-6);
}

TEST(InputScale, IsKeptWithTheModel) {
  Dataset dataset;
  dataset.name = "d";
  dataset.graphs = make_store(std::vector<Graph>{{"a", 3, {}, {}, at::tensor({2.0F, 4.0F, 6.0F}).view({3, 1})}});
  dataset.split.train = {0};
  const ModelInput input{Task::kGraphClass, 1, 0, 2};
  const auto model = make_model("gcn", input, {{"scale", std::string("standard")}}, 0);
  model->learn_input(dataset);
  EXPECT_EQ(model->named_buffers()["input_mean"].item<double>(), 4);
  EXPECT_NEAR(model->named_buffers()["input_factor"].item<double>(), 1 / std::sqrt(8.0 / 3), 1e-6);
  EXPECT_EQ(usage_error_text([] {
              make_model("gcn", {Task::kGraphClass, 0, 3, 2}, {{"scale", std::string("rows")}}, 0);
            }),
            "gcn: scale is rows, but nodes have types; values alone can be scaled");
}

/// Predictions and gradients of a model on one batch.
std::pair<ModelOutput, std::vector<at::Tensor>> run_model(const std::string& name, const GraphBatch& batch, Task task,
                                                          const Settings& settings) {
  const ModelInput input{task, batch.features.size(1), 0, testing::kOutputs, testing::kEdgeTypes};
  const auto model = make_model(name, input, settings, 3);
  ModelOutput output = model->forward(batch, true);
  RandomStream random(1, "test/direction");
  at::Tensor total = (output.prediction * random_tensor(output.prediction.sizes(), random, at::kFloat)).sum();
  if (output.regulariser.defined()) {
    total = total + output.regulariser * 0.7;
  }
  auto gradients = torch::autograd::grad({total}, model->parameters(), {}, {}, false, /*allow_unused=*/true);
  return {output, gradients};
}

TEST(SparseInput, EqualsDenseInputInEveryModel) {
  RandomStream random(1, "test");
  GraphBatch dense = testing::twin_batch(false, random);
  dense.features = mostly_zero(dense.num_nodes(), 40, 3);
  GraphBatch sparse = dense;
  sparse.features = compressed_features(dense.features);
  for (const ModelEntry& entry : models()) {
    if (!entry.trained || entry.name == "aligned") {
      continue;  // the aligned model does not look at features
    }
    for (const char* scale : {"none", "rows"}) {
      for (const Task task : {Task::kGraphClass, Task::kNodeClass}) {
        Settings settings{{"scale", std::string(scale)}, {"batch_norm", false}};
        if (task == Task::kGraphClass) {
          settings["readout"] = std::string("layer_sum");
        }
        const auto [left, left_gradients] = run_model(entry.name, dense, task, settings);
        const auto [right, right_gradients] = run_model(entry.name, sparse, task, settings);
        EXPECT_LT(difference(left.prediction, right.prediction), 1e-3) << entry.name;
        for (std::size_t index = 0; index < left_gradients.size(); ++index) {
          if (left_gradients[index].defined()) {
            const double size = left_gradients[index].abs().max().item<double>();
            EXPECT_LT(difference(left_gradients[index], right_gradients[index]), 1e-3 * (size + 1)) << entry.name;
          }
        }
      }
    }
  }
}

TEST(SparseInput, DropsWhatIsThere) {
  const at::Tensor x = compressed_features(mostly_zero(50, 60, 4));
  const at::Tensor dropped = drop_entries(x, 0.5, true);
  const at::Tensor values = sparse_rows(dropped).values, former = sparse_rows(x).values;
  const double kept = values.ne(0).sum().item<double>() / static_cast<double>(values.numel());
  EXPECT_GT(kept, 0.4);
  EXPECT_LT(kept, 0.6);
  EXPECT_TRUE(values.equal(at::where(values.ne(0), former * 2, at::zeros_like(former))));
  EXPECT_TRUE(sparse_rows(drop_entries(x, 0.5, false)).values.equal(former));
}

TEST(Dropout, ActsInTrainingAloneAndLeavesTheStackOfTiles) {
  RandomStream random(1, "test");
  GraphBatch batch = testing::twin_batch(false, random);
  batch.features = batch.features.to(at::kFloat);
  for (const char* name : {"factorgcn", "gcn"}) {
    const ModelInput input{Task::kGraphClass, testing::kFeatures, 0, 2};
    const auto plain = make_model(name, input, {}, 1);
    const auto dropping = make_model(name, input, {{"dropout", 0.5}, {"input_dropout", 0.25}}, 1);
    plain->eval();
    dropping->eval();
    EXPECT_TRUE(plain->forward(batch).prediction.equal(dropping->forward(batch).prediction)) << name;
    dropping->train();
    EXPECT_FALSE(dropping->forward(batch).prediction.equal(dropping->forward(batch).prediction)) << name;
  }
}

}  // namespace
}  // namespace factorgcn
