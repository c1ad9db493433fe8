// Summaries against numbers counted by hand.
#include "factorgcn/data/summary.h"

#include <gtest/gtest.h>

#include <vector>

#include "data/tiny_dataset.h"
#include "factorgcn/data/synthetic.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

void expect_range(const ValueRange& range, double min, double mean, double max) {
  EXPECT_DOUBLE_EQ(range.min, min);
  EXPECT_DOUBLE_EQ(range.mean, mean);
  EXPECT_DOUBLE_EQ(range.max, max);
}

TEST(Summarise, CountsTheTinyDataSet) {
  const DatasetSummary summary = summarise(tiny_dataset());
  EXPECT_EQ(summary.name, "tiny");
  EXPECT_EQ(summary.task, Task::kMultiLabel);
  EXPECT_EQ(summary.graphs, 3);
  EXPECT_EQ(summary.nodes, 6);
  EXPECT_EQ(summary.directed_edges, 7);
  EXPECT_EQ(summary.self_loops, 1);
  EXPECT_EQ(summary.feature_columns, 2);
  EXPECT_EQ(summary.node_types, 0);
  EXPECT_EQ(summary.outputs, 2);
  expect_range(summary.nodes_per_graph, 1, 2, 3);
  expect_range(summary.edges_per_graph, 0, 7.0 / 3, 5);
  expect_range(summary.in_degree, 0, 7.0 / 6, 3);
  EXPECT_EQ(summary.output_shares, (std::vector<double>{2.0 / 3, 1.0 / 3}));
  EXPECT_TRUE(summary.target_ranges.empty());
  EXPECT_EQ(summary.train, 1);
  EXPECT_EQ(summary.validation, 1);
  EXPECT_EQ(summary.test, 1);
  ASSERT_EQ(summary.truth_types.size(), 3U);
  EXPECT_EQ(summary.truth_types[0].name, "thin");
  EXPECT_EQ(summary.truth_types[0].graphs, 2);
  EXPECT_DOUBLE_EQ(summary.truth_types[0].mean_entries, 3);
  EXPECT_EQ(summary.truth_types[1].graphs, 1);
  EXPECT_DOUBLE_EQ(summary.truth_types[1].mean_entries, 2);
  EXPECT_EQ(summary.truth_types[2].graphs, 0);
  EXPECT_DOUBLE_EQ(summary.truth_types[2].mean_entries, 0);
}

TEST(Summarise, CountsAGraphOnceForSeveralPartsOfOneType) {
  Dataset dataset = tiny_dataset();
  dataset.truth.add_part(0, std::vector<std::int32_t>{0}, std::vector<std::int32_t>{1});
  const DatasetSummary summary = summarise(dataset);
  EXPECT_EQ(summary.truth_types[0].graphs, 2);
  EXPECT_DOUBLE_EQ(summary.truth_types[0].mean_entries, 7.0 / 3);
}

TEST(Summarise, KnowsTheOtherTasks) {
  Dataset regression = tiny_dataset();
  regression.task = Task::kRegression;
  regression.targets = brute_force::tensor(std::vector<float>{-1, 4, 2, 4, 5, 4}).reshape({3, 2});
  const DatasetSummary values = summarise(regression);
  EXPECT_TRUE(values.output_shares.empty());
  ASSERT_EQ(values.target_ranges.size(), 2U);
  expect_range(values.target_ranges[0], -1, 2, 5);
  expect_range(values.target_ranges[1], 4, 4, 4);

  Dataset nodes = tiny_dataset();
  nodes.task = Task::kNodeClass;
  nodes.num_outputs = 3;
  nodes.targets = brute_force::tensor(std::vector<std::int64_t>{0, 0, 0, 1, 1, 0});
  nodes.graphs.features = brute_force::tensor(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  nodes.num_node_types = 6;
  nodes.truth = {};
  const DatasetSummary classes = summarise(nodes);
  EXPECT_EQ(classes.output_shares, (std::vector<double>{4.0 / 6, 2.0 / 6, 0}));
  EXPECT_EQ(classes.feature_columns, 0);
  EXPECT_EQ(classes.node_types, 6);
  EXPECT_TRUE(classes.truth_types.empty());
}

TEST(Summarise, FitsTheSyntheticDefinition) {
  SyntheticOptions options;
  options.train = 200;
  options.validation = 0;
  options.test = 0;
  options.factors = 5;
  const DatasetSummary summary = summarise(make_synthetic(options));
  EXPECT_EQ(summary.self_loops, 200 * 15);
  expect_range(summary.nodes_per_graph, 15, 15, 15);
  const std::vector<double> entries{12, 16, 24, 24, 24};
  std::int64_t parts = 0;
  double shares = 0;
  for (std::size_t type = 0; type < 5; ++type) {
    EXPECT_DOUBLE_EQ(summary.truth_types[type].mean_entries, entries[type]);
    EXPECT_DOUBLE_EQ(summary.output_shares[type], static_cast<double>(summary.truth_types[type].graphs) / 200);
    parts += summary.truth_types[type].graphs;
    shares += summary.output_shares[type];
  }
  EXPECT_EQ(parts, 600);
  EXPECT_NEAR(shares, 3, 1e-12);
}

TEST(Summary, UndirectedEdgesLeaveOutWhatWasAdded) {
  Dataset dataset = tiny_dataset();  // three edges and a loop, all of them both ways
  EXPECT_EQ(summarise(dataset).undirected_edges, 4);
  dataset.added_self_loops = 1;
  EXPECT_EQ(summarise(dataset).undirected_edges, 3);
  dataset.graphs = make_store(std::vector<Graph>{{"one way", 2, {0}, {1}, brute_force::counting_features(2, 1)},
                                                 {"a", 1, {}, {}, brute_force::counting_features(1, 1)},
                                                 {"b", 1, {}, {}, brute_force::counting_features(1, 1)}});
  EXPECT_EQ(summarise(dataset).undirected_edges, std::nullopt);
}

TEST(Summary, CountsClasses) {
  const DatasetSummary summary = summarise(tiny_dataset());
  EXPECT_EQ(summary.output_counts, (std::vector<std::int64_t>{2, 1}));
}

TEST(Summary, NodesInNoPartHaveNoClass) {
  Dataset dataset = tiny_dataset();
  dataset.task = Task::kNodeClass;
  dataset.node_split = true;
  dataset.targets = brute_force::tensor(std::vector<std::int64_t>{0, 1, 0, 1, 1, 0});
  dataset.split = {{0, 1}, {3}, {4}};
  const DatasetSummary summary = summarise(dataset);
  EXPECT_EQ(summary.output_counts, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(summary.output_shares, (std::vector<double>{0.25, 0.75}));
}

}  // namespace
}  // namespace factorgcn
