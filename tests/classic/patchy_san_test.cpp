// The network on fields against the same convolutions written as loops.
#include "factorgcn/classic/patchy_san.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error_text.h"
#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kFields = 4, kSize = 3, kTypes = 3;

PatchySanOptions small_options(bool edges) {
  PatchySanOptions options;
  options.node_types = kTypes;
  options.fields = kFields;
  options.size = kSize;
  options.field_filters = 5;
  options.filters = 2;
  options.window = 3;
  options.hidden = 6;
  options.outputs = 2;
  options.edges = edges;
  return options;
}

/// A graph of fields with random types and edges inside fields.
Graph random_fields(RandomStream& random) {
  Graph graph;
  graph.num_nodes = kFields * kSize;
  graph.features = at::empty({graph.num_nodes}, at::kLong);
  for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
    graph.features.data_ptr<std::int64_t>()[node] = static_cast<std::int64_t>(random.below(kTypes));
    for (std::int64_t other = 0; other < graph.num_nodes; ++other) {
      if (node / kSize == other / kSize && node != other && random.chance(0.4)) {
        graph.source.push_back(static_cast<std::int32_t>(node));
        graph.target.push_back(static_cast<std::int32_t>(other));
      }
    }
  }
  return graph;
}

double value(const at::Tensor& tensor, std::initializer_list<std::int64_t> at) {
  at::Tensor place = tensor;
  for (const std::int64_t index : at) {
    place = place[index];
  }
  return place.item<double>();
}

/// The whole network for one graph, one number at a time.
std::vector<double> by_loops(const PatchySan& model, const PatchySanOptions& options, const Graph& graph) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& item : model.named_parameters()) {
    weights[item.key()] = item.value();
  }
  std::vector<std::vector<double>> fields(kFields,
                                          std::vector<double>(static_cast<std::size_t>(options.field_filters)));
  for (std::int64_t filter = 0; filter < options.field_filters; ++filter) {
    for (std::int64_t field = 0; field < kFields; ++field) {
      double sum = value(weights["field_bias"], {filter});
      for (std::int64_t place = 0; place < kSize; ++place) {
        const std::int64_t type = graph.features.data_ptr<std::int64_t>()[field * kSize + place];
        if (type > 0) {
          sum += value(weights["node_table"], {1 + place * (kTypes - 1) + type - 1, filter});
        }
      }
      for (std::size_t edge = 0; options.edges && edge < graph.source.size(); ++edge) {
        if (graph.target[edge] / kSize == field) {
          const std::int64_t row = graph.source[edge] % kSize * kSize + graph.target[edge] % kSize;
          sum += value(weights["edge_table"], {row, filter});
        }
      }
      fields[static_cast<std::size_t>(field)][static_cast<std::size_t>(filter)] = std::max(0.0, sum);
    }
  }
  std::vector<double> row;
  for (std::int64_t first = 0; first + options.window <= kFields; ++first) {
    for (std::int64_t filter = 0; filter < options.filters; ++filter) {
      double sum = value(weights["filter_bias"], {filter});
      for (std::int64_t channel = 0; channel < options.field_filters; ++channel) {
        for (std::int64_t step = 0; step < options.window; ++step) {
          sum += value(weights["filter_weight"], {filter, channel * options.window + step}) *
                 fields[static_cast<std::size_t>(first + step)][static_cast<std::size_t>(channel)];
        }
      }
      row.push_back(std::max(0.0, sum));
    }
  }
  const auto linear = [&](const std::string& name, const std::vector<double>& in, bool relu) {
    std::vector<double> out;
    for (std::int64_t unit = 0; unit < weights[name + "_bias"].numel(); ++unit) {
      double sum = value(weights[name + "_bias"], {unit});
      for (std::size_t index = 0; index < in.size(); ++index) {
        sum += value(weights[name + "_weight"], {unit, static_cast<std::int64_t>(index)}) * in[index];
      }
      out.push_back(relu ? std::max(0.0, sum) : sum);
    }
    return out;
  };
  return linear("out", linear("hidden", row, true), false);
}

TEST(PatchySan, EqualsItsLoops) {
  RandomStream random(1, "test/patchy");
  for (const bool edges : {false, true}) {
    const PatchySanOptions options = small_options(edges);
    PatchySan model(options, 3);
    model.eval();
    const std::vector<Graph> graphs{random_fields(random), random_fields(random)};
    const at::Tensor found = model.forward(make_batch(graphs)).prediction;
    ASSERT_EQ(found.sizes(), (at::IntArrayRef{2, 2}));
    for (std::int64_t graph = 0; graph < 2; ++graph) {
      const std::vector<double> expected = by_loops(model, options, graphs[static_cast<std::size_t>(graph)]);
      for (std::int64_t output = 0; output < 2; ++output) {
        EXPECT_NEAR(value(found, {graph, output}), expected[static_cast<std::size_t>(output)], 1e-5);
      }
    }
  }
}

TEST(PatchySan, GivesTheEmptyPlaceNoGradient) {
  RandomStream random(2, "test/patchy");
  PatchySan model(small_options(true), 3);
  model.eval();  // dropout could drop the few units that let a gradient through
  const std::vector<Graph> graphs{random_fields(random)};
  model.forward(make_batch(graphs)).prediction.sum().backward();
  const at::Tensor table = model.named_parameters()["node_table"];
  EXPECT_EQ(table[0].abs().sum().item<double>(), 0);
  EXPECT_EQ(table.grad()[0].abs().sum().item<double>(), 0);
  EXPECT_GT(table.grad().abs().sum().item<double>(), 0);
}

TEST(PatchySan, DropsOutInTrainingOnly) {
  RandomStream random(4, "test/patchy");
  PatchySan model(small_options(true), 3);
  const std::vector<Graph> graphs{random_fields(random)};
  const GraphBatch batch = make_batch(graphs);
  model.eval();
  EXPECT_TRUE(model.forward(batch).prediction.equal(model.forward(batch).prediction));
  model.train();
  bool differs = false;
  for (int round = 0; round < 20 && !differs; ++round) {
    differs = !model.forward(batch).prediction.equal(model.forward(batch).prediction);
  }
  EXPECT_TRUE(differs);
}

TEST(PatchySan, RefusesOtherGraphs) {
  RandomStream random(3, "test/patchy");
  PatchySan model(small_options(true), 3);
  Graph graph = random_fields(random);
  graph.num_nodes -= 1;
  graph.features = graph.features.slice(0, 0, graph.num_nodes).clone();
  graph.source.clear();
  graph.target.clear();
  const std::vector<Graph> graphs{graph};
  EXPECT_NE(error_text([&] { model.forward(make_batch(graphs)); }).find("4 fields of 3"), std::string::npos);
  PatchySanOptions options = small_options(true);
  options.dropout = 1;
  EXPECT_NE(usage_error_text([&] { PatchySan(options, 0); }).find("dropout is 1"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
