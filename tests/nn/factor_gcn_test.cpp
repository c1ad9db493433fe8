// FactorGcn: published sizes, every readout against plain libtorch, options refused by name, and the registry.
#include "factorgcn/nn/factor_gcn.h"

#include <ATen/ops/_unique.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/relu.h>
#include <gtest/gtest.h>

#include "base/error_text.h"
#include "factorgcn/nn/registry.h"
#include "nn/dense_twin.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;
using testing::weight_of;

FactorGcnOptions zinc_options() {
  FactorGcnOptions options;
  options.node_types = 28;
  options.outputs = 1;
  options.hidden = 144;
  options.factors = {8, 8, 4, 2};
  options.batch_norm = true;
  options.size_norm = true;
  options.readout = Readout::kMeanMlp;
  return options;
}

FactorGcnOptions pattern_options() {
  FactorGcnOptions options = zinc_options();
  options.node_types = 200;
  options.outputs = 2;
  options.factors = {4, 2, 2};
  options.readout = Readout::kNodeMlp;
  return options;
}

FactorGcnOptions synthetic_options() {
  FactorGcnOptions options;
  options.in_features = 6;
  options.outputs = 4;
  return options;
}

FactorGcnOptions tu_options() {
  FactorGcnOptions options;
  options.in_features = 6;
  options.outputs = 2;
  options.hidden = 64;
  options.factors = {4, 4, 2, 2, 1};
  options.batch_norm = true;
  options.activation = Activation::kRelu;
  options.readout = Readout::kLayerSum;
  options.dropout = 0.4;
  return options;
}

GraphBatch random_batch(bool types, RandomStream& random) {
  std::vector<Graph> graphs(4);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    Graph& graph = graphs[g];
    graph.num_nodes = 3 + static_cast<std::int64_t>(g);
    for (int e = 0; e < 9; ++e) {
      graph.source.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes)));
      graph.target.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes)));
    }
    if (types) {
      graph.features = at::zeros({graph.num_nodes}, at::TensorOptions().dtype(at::kLong));
      for (std::int64_t i = 0; i < graph.num_nodes; ++i) {
        graph.features[i] = static_cast<std::int64_t>(random.below(28));
      }
    } else {
      graph.features = random_tensor({graph.num_nodes, 6}, random, at::kFloat);
    }
  }
  return make_batch(graphs);
}

/// The whole forward pass from the formulas, in training mode without dropout.
ModelOutput twin_forward(const FactorGcn& model, const GraphBatch& batch) {
  const FactorGcnOptions& o = model.options();
  const auto modules = model.named_children();
  at::Tensor x =
      o.node_types > 0 ? at::embedding(weight_of(model, "embedding"), batch.features) : batch.features.to(at::kDouble);
  const at::Tensor sizes = batch.graph_offsets.diff();
  const at::Tensor size_scale = sizes.to(at::kDouble).rsqrt().repeat_interleave(sizes).unsqueeze(1);
  std::vector<at::Tensor> levels{x};
  ModelOutput output;
  for (std::size_t l = 0; l < o.factors.size(); ++l) {
    const std::string number = std::to_string(l + 1);
    const testing::LayerTwin layer(*modules["layer" + number], batch.edges, levels.back(), o.norm, o.factors[l],
                                   o.gate_scale);
    const at::Tensor loss = testing::discriminator_loss(*modules["discriminator" + number], layer, batch.graph_offsets,
                                                        o.discriminator_depth);
    output.regulariser = output.regulariser.defined() ? output.regulariser + loss : loss;
    at::Tensor next = o.size_norm ? layer.out * size_scale : layer.out;
    if (o.batch_norm) {
      next = at::batch_norm(next, weight_of(model, "norm" + number + "_gamma"),
                            weight_of(model, "norm" + number + "_beta"), {}, {}, true, 0.1, 1e-5, false);
    }
    levels.push_back(o.activation == Activation::kRelu   ? at::relu(next)
                     : o.activation == Activation::kTanh ? at::tanh(next)
                     : o.activation == Activation::kElu  ? at::elu(next)
                                                         : at::leaky_relu(next, 0.2));
  }
  const auto linear = [&](const at::Tensor& in, const std::string& name) {
    return at::linear(in, weight_of(model, name + "_weight"), weight_of(model, name + "_bias"));
  };
  const auto pool = [&](const at::Tensor& in, bool mean) {
    std::vector<at::Tensor> rows;
    for (std::int64_t g = 0; g < batch.num_graphs(); ++g) {
      const at::Tensor part =
          in.slice(0, batch.graph_offsets[g].item<std::int64_t>(), batch.graph_offsets[g + 1].item<std::int64_t>());
      rows.push_back(mean ? part.mean(0) : part.sum(0));
    }
    return at::stack(rows);
  };
  switch (o.readout) {
    case Readout::kMeanTanh:
      output.prediction = linear(at::tanh(pool(levels.back(), true)), "head");
      break;
    case Readout::kMeanRelu:
      output.prediction = linear(at::relu(pool(levels.back(), true)), "head");
      break;
    case Readout::kMeanMlp:
      output.prediction = linear(at::relu(linear(at::relu(pool(levels.back(), true)), "head1")), "head2");
      break;
    case Readout::kNodeMlp:
      output.prediction = linear(at::relu(linear(at::relu(levels.back()), "head1")), "head2");
      break;
    case Readout::kNodeLinear:
      output.prediction = linear(levels.back(), "head");
      break;
    case Readout::kLayerSum:
      output.prediction = linear(pool(levels[0], false), "head0");
      for (std::size_t l = 1; l < levels.size(); ++l) {
        output.prediction = output.prediction + linear(pool(levels[l], false), "head" + std::to_string(l));
      }
      break;
  }
  return output;
}

TEST(FactorGcn, PublishedSizes) {
  EXPECT_EQ(count_parameters(FactorGcn(zinc_options(), 0)), 40747);
  EXPECT_EQ(count_parameters(FactorGcn(pattern_options(), 0)), 54116);
}

TEST(FactorGcn, EveryNetworkEqualsItsTwin) {
  RandomStream random(1, "test");
  std::vector<FactorGcnOptions> cases{zinc_options(), synthetic_options(), tu_options()};
  cases.push_back(zinc_options());
  cases.back().readout = Readout::kNodeMlp;
  cases.back().discriminator_depth = 3;
  cases.back().norm = EdgeNorm::kSymmetric;
  cases.push_back(synthetic_options());
  cases.back().readout = Readout::kNodeLinear;
  cases.back().size_norm = true;
  cases.back().gate_scale = 1.0;
  for (const Activation activation : {Activation::kTanh, Activation::kElu}) {  // which batch norm does not do
    cases.push_back(zinc_options());
    cases.back().activation = activation;
    cases.back().readout = Readout::kMeanRelu;
  }
  for (FactorGcnOptions& options : cases) {
    options.dropout = 0;
    FactorGcn model(options, 3);
    model.to(at::kDouble);
    GraphBatch batch = random_batch(options.node_types > 0, random);
    if (options.node_types == 0) {
      batch.features = batch.features.to(at::kDouble);
    }
    const ModelOutput actual = model.forward(batch), expected = twin_forward(model, batch);
    EXPECT_LT(difference(actual.prediction, expected.prediction), 1e-10) << readout_name(options.readout);
    EXPECT_LT(difference(actual.regulariser, expected.regulariser), 1e-10) << readout_name(options.readout);
  }
}

TEST(FactorGcn, TilesGiveTheSameAsOneOperationAfterTheOther) {
  RandomStream random(5, "test");
  for (FactorGcnOptions options : {zinc_options(), pattern_options(), synthetic_options(), tu_options()}) {
    options.dropout = 0;
    const GraphBatch batch = random_batch(options.node_types > 0, random);
    std::vector<std::vector<at::Tensor>> results;
    for (const bool tiles : {false, true}) {
      options.tiles = tiles;
      FactorGcn model(options, 3);
      model.to(at::kDouble);
      GraphBatch used = batch;
      used.features = options.node_types > 0 ? batch.features : batch.features.to(at::kDouble);
      const ModelOutput output = model.forward(used);
      (output.prediction.square().sum() + 0.3 * output.regulariser).backward();
      std::vector<at::Tensor> all{output.prediction.detach(), output.regulariser.detach()};
      for (const at::Tensor& parameter : model.parameters()) {
        all.push_back(parameter.grad());
      }
      for (const at::Tensor& moments : model.buffers()) {
        all.push_back(moments.clone());
      }
      model.eval();
      const at::NoGradGuard no_gradient;
      all.push_back(model.forward(used).prediction);
      all.push_back(model.forward(used, false).prediction);
      results.push_back(all);
    }
    ASSERT_EQ(results[0].size(), results[1].size());
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      EXPECT_LT(difference(results[1][i], results[0][i]), 1e-11) << readout_name(options.readout) << ", result " << i;
    }
  }
}

TEST(FactorGcn, TheRegulariserIsLeftOutWhenNotAskedFor) {
  RandomStream random(2, "test");
  const GraphBatch batch = random_batch(false, random);
  FactorGcn model(synthetic_options(), 0);
  EXPECT_TRUE(model.forward(batch).regulariser.defined());
  EXPECT_FALSE(model.forward(batch, false).regulariser.defined());
  FactorGcnOptions plain = synthetic_options();
  plain.discriminator = false;
  EXPECT_FALSE(FactorGcn(plain, 0).forward(batch).regulariser.defined());
  EXPECT_LT(count_parameters(FactorGcn(plain, 0)), count_parameters(model));
}

TEST(FactorGcn, DropoutActsOnlyWhileTraining) {
  RandomStream random(3, "test");
  const GraphBatch batch = random_batch(false, random);
  FactorGcn model(tu_options(), 0);
  model.eval();
  at::NoGradGuard no_gradient;
  EXPECT_TRUE(model.forward(batch).prediction.equal(model.forward(batch).prediction));
  model.train();
  EXPECT_FALSE(model.forward(batch).prediction.equal(model.forward(batch).prediction));
}

TEST(FactorGcn, InitialWeightsDependOnTheSeedAlone) {
  const auto first = FactorGcn(synthetic_options(), 7).parameters(),
             again = FactorGcn(synthetic_options(), 7).parameters();
  const auto other = FactorGcn(synthetic_options(), 8).parameters();
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_TRUE(first[i].equal(again[i]));
    EXPECT_FALSE(first[i].equal(other[i]));
    EXPECT_LE(first[i].abs().max().item<float>(), 1.0F);
  }
}

TEST(FactorGcn, CoefficientsOfEachLayer) {
  RandomStream random(4, "test");
  const GraphBatch batch = random_batch(false, random);
  FactorGcn model(synthetic_options(), 0);
  ASSERT_EQ(model.num_factor_layers(), 2);
  for (int layer = 0; layer < 2; ++layer) {
    const at::Tensor c = model.factor_coefficients(batch, layer);
    EXPECT_EQ(c.sizes(), (std::vector<std::int64_t>{batch.num_edges(), layer == 0 ? 4 : 2}));
    EXPECT_GT(c.min().item<float>(), 0.0F);
    EXPECT_LT(c.max().item<float>(), 1.0F);
  }
  EXPECT_EQ(error_text([&] { model.factor_coefficients(batch, 2); }), "factorgcn: layer 3 asked for, but there are 2");
}

TEST(FactorGcn, CoefficientsNearOneAreToldApart) {
  RandomStream random(4, "test");
  const GraphBatch batch = random_batch(false, random);
  FactorGcn model(synthetic_options(), 0);
  {
    const at::NoGradGuard no_gradient;
    for (const auto& parameter : model.named_parameters()) {
      if (parameter.key() == "layer1.gate_bias") {
        parameter.value().fill_(2.0);  // gates of sigmoid(24) and thereabouts
      }
    }
  }
  const at::Tensor c = model.factor_coefficients(batch, 0);
  const auto kinds = [](const at::Tensor& values) { return std::get<0>(at::_unique(values.flatten())).numel(); };
  EXPECT_GT(kinds(c), 2 * kinds(c.to(at::kFloat)));
}

TEST(FactorGcn, OneHotTypesAreTheColumnsTheyStandFor) {
  RandomStream random(6, "test");
  GraphBatch types = random_batch(true, random);
  FactorGcnOptions one_hot = tu_options();
  one_hot.in_features = 0;
  one_hot.node_types = 28;
  one_hot.embedding = 0;
  FactorGcnOptions plain = tu_options();
  plain.in_features = 28;
  GraphBatch columns = types;
  columns.features = at::one_hot(types.features, 28).to(at::kFloat);
  FactorGcn model(one_hot, 3), twin(plain, 3);
  EXPECT_EQ(count_parameters(model), count_parameters(twin));
  model.eval();
  twin.eval();
  EXPECT_TRUE(model.forward(types).prediction.equal(twin.forward(columns).prediction));
}

TEST(FactorGcn, DropoutIsKeptOnlyWhereAskedFor) {
  RandomStream random(7, "test");
  const GraphBatch batch = random_batch(false, random);
  FactorGcn model(tu_options(), 0);
  model.eval();
  const at::Tensor quiet = model.forward(batch).prediction;
  EXPECT_TRUE(quiet.equal(model.forward(batch).prediction));
  model.keep_dropout(true);
  EXPECT_FALSE(quiet.equal(model.forward(batch).prediction));
}

TEST(FactorGcn, BadOptionsAndInputsAreNamed) {
  const auto refuse = [](auto change) {
    FactorGcnOptions options = synthetic_options();
    change(options);
    return usage_error_text([&] { FactorGcn(options, 0); });
  };
  EXPECT_EQ(
      refuse([](auto& o) { o.hidden = 30; }),
      "factorgcn: hidden width 30 does not divide by the 4 factors of layer 1; choose hidden as a multiple of each "
      "layer's factors, such as 32");
  EXPECT_EQ(refuse([](auto& o) { o.in_features = 0; }),
            "factorgcn: in_features is 0 and node_types is 0; exactly one of them must be positive");
  EXPECT_EQ(refuse([](auto& o) { o.factors.clear(); }),
            "factorgcn: factors is empty; give the number of factors of each layer");
  EXPECT_EQ(refuse([](auto& o) { o.gate_scale = -1; }), "factorgcn: gate_scale is -1; it must be positive");
  EXPECT_EQ(refuse([](auto& o) { o.dropout = 1; }), "factorgcn: dropout is 1; it must be in 0 .. 1, below 1");
  EXPECT_EQ(refuse([](auto& o) { o.outputs = 0; }), "factorgcn: outputs is 0; it must be at least 1");
  RandomStream random(5, "test");
  FactorGcn model(synthetic_options(), 0), typed(zinc_options(), 0);
  const GraphBatch types = random_batch(true, random), values = random_batch(false, random);
  EXPECT_EQ(error_text([&] { typed.forward(values); }),
            "factorgcn: expected int64 node types, got features of type Float");
  EXPECT_NE(error_text([&] { model.forward(types); }).find("expected 6 columns"), std::string::npos);
}

TEST(ReadoutNames, GoBothWays) {
  for (const Readout readout : {Readout::kMeanTanh, Readout::kMeanRelu, Readout::kMeanMlp, Readout::kNodeMlp,
                                Readout::kNodeLinear, Readout::kLayerSum}) {
    EXPECT_EQ(readout_from_name(readout_name(readout)), readout);
  }
  EXPECT_EQ(usage_error_text([] { readout_from_name("max"); }),
            "readout is \"max\": choose one of mean_tanh, mean_relu, mean_mlp, node_mlp, node_linear, layer_sum");
}

TEST(ModelRegistry, BuildsByNameAndRefusesWhatDoesNotFit) {
  const ModelInput input{Task::kMultiLabel, 6, 0, 4};
  EXPECT_EQ(make_model("factorgcn", input, {}, 0)->num_factor_layers(), 2);
  const Settings three{{"factors", std::vector<std::int64_t>{2, 2, 1}}, {"hidden", std::int64_t{8}}};
  EXPECT_EQ(make_model("factorgcn", input, three, 0)->num_factor_layers(), 3);
  EXPECT_NE(usage_error_text([&] { make_model("factorgnc", input, {}, 0); }).find("did you mean factorgcn?"),
            std::string::npos);
  EXPECT_NE(usage_error_text([&] {
              make_model("factorgcn", input, {{"hiden", std::int64_t{8}}}, 0);
            }).find("hidden"),
            std::string::npos);
  EXPECT_EQ(usage_error_text([&] {
              make_model("factorgcn", input, {{"readout", std::string("node_mlp")}}, 0);
            }),
            "model factorgcn: readout node_mlp does not fit a task of kind multi-label");
  const ModelInput typed{Task::kGraphClass, 0, 3, 2};
  EXPECT_NO_THROW(make_model("factorgcn", typed, {{"node_types", std::int64_t{200}}}, 0));
  EXPECT_NE(usage_error_text([&] {
              make_model("factorgcn", typed, {{"node_types", std::int64_t{2}}}, 0);
            }).find("2"),
            std::string::npos);
  const ModelInput nodes{Task::kNodeClass, 6, 0, 2};
  EXPECT_NO_THROW(make_model("factorgcn", nodes, {}, 0));
}

TEST(GraphModel, AModelWithoutFactorsSaysSo) {
  struct Plain : GraphModel {
    ModelOutput forward(const GraphBatch&, bool) override { return {}; }
  } plain;
  EXPECT_EQ(plain.num_factor_layers(), 0);
  EXPECT_EQ(error_text([&] { plain.factor_coefficients({}, 0); }),
            "this model has no edge coefficients that could be read as factor graphs");
}

}  // namespace
}  // namespace factorgcn
