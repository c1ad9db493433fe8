// The public data sets, read from zip archives, have their published sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "factorgcn/data/tu.h"
#include "factorgcn/data/zinc.h"
#include "io/mirror.h"

namespace factorgcn {
namespace {

std::map<std::int64_t, int> count_classes(const Dataset& dataset) {
  std::map<std::int64_t, int> counts;
  const auto* classes = dataset.targets.data_ptr<std::int64_t>();
  for (std::int64_t graph = 0; graph < dataset.targets.numel(); ++graph) {
    ++counts[classes[graph]];
  }
  return counts;
}

TEST_F(RealData, Mutag) {
  const ZipSource files(archive("MUTAG"));
  const Dataset dataset = make_tu_dataset(read_tu(files, "MUTAG"), {});
  check_dataset(dataset);
  EXPECT_EQ(dataset.graphs.num_graphs(), 188);
  EXPECT_EQ(dataset.graphs.num_nodes(), 3371);
  EXPECT_EQ(dataset.added_self_loops, 3371);
  EXPECT_EQ(dataset.graphs.num_edges() - dataset.added_self_loops, 2 * 3721);
  EXPECT_EQ(dataset.num_node_types, 7);
  EXPECT_EQ(dataset.output_names, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(count_classes(dataset), (std::map<std::int64_t, int>{{0, 63}, {1, 125}}));
  EXPECT_EQ(dataset.truth.type_names, (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(dataset.truth.entry_sources.size(), 2U * 3721U);
}

TEST_F(RealData, ImdbBinary) {
  const ZipSource files(archive("IMDB-BINARY"));
  const Dataset dataset = make_tu_dataset(read_tu(files, "IMDB-BINARY"), {});
  check_dataset(dataset);
  EXPECT_EQ(dataset.graphs.num_graphs(), 1000);
  EXPECT_EQ(dataset.graphs.num_nodes(), 19773);
  EXPECT_EQ(dataset.graphs.num_edges() - dataset.added_self_loops, 2 * 96531);
  EXPECT_EQ(count_classes(dataset), (std::map<std::int64_t, int>{{0, 500}, {1, 500}}));
  EXPECT_TRUE(dataset.truth.empty());
  // Node types are in-degrees, the self loop counted: no node has less than 1.
  const auto* types = dataset.graphs.features.data_ptr<std::int64_t>();
  const auto* degrees = dataset.graphs.in_degrees.data_ptr<std::int32_t>();
  EXPECT_TRUE(std::equal(types, types + 19773, degrees));
  EXPECT_EQ(*std::max_element(types, types + 19773), dataset.num_node_types - 1);
}

TEST_F(RealData, Zinc) {
  const ZipSource files(archive("ZINC"));
  const Dataset dataset = read_zinc(files);
  check_dataset(dataset);
  EXPECT_EQ(dataset.graphs.num_graphs(), 12000);
  EXPECT_EQ(dataset.graphs.num_nodes(), 277864);
  EXPECT_EQ(dataset.graphs.num_edges(), 2 * 298985);
  EXPECT_EQ(dataset.added_self_loops, 0);
  EXPECT_EQ(dataset.split.train.size(), 10000U);
  EXPECT_EQ(dataset.split.validation.size(), 1000U);
  EXPECT_EQ(dataset.split.test.size(), 1000U);
  EXPECT_NEAR(static_cast<double>(dataset.graphs.num_nodes()) / 12000, 23.16, 0.005);
  EXPECT_NEAR(static_cast<double>(dataset.graphs.num_edges()) / 12000, 49.83, 0.005);
  EXPECT_EQ(dataset.num_node_types, 28);
  const auto* types = dataset.graphs.features.data_ptr<std::int64_t>();
  EXPECT_EQ(std::set<std::int64_t>(types, types + dataset.graphs.num_nodes()).size(), 21U);
  EXPECT_EQ(dataset.truth.type_names, (std::vector<std::string>{"SINGLE", "DOUBLE", "TRIPLE"}));
  EXPECT_EQ(dataset.truth.entry_sources.size(), 2U * 298985U);
  EXPECT_FLOAT_EQ(dataset.targets.data_ptr<float>()[0], 0.83503556F);
}

/// The largest: 362 MB of text in the archive.
TEST_F(RealData, Collab) {
  const ZipSource files(archive("COLLAB"));
  TuTables tables = read_tu(files, "COLLAB");
  std::int64_t self_loops = 0;
  for (std::size_t edge = 0; edge < tables.edge_source.size(); ++edge) {
    self_loops += tables.edge_source[edge] == tables.edge_target[edge] ? 1 : 0;
  }
  EXPECT_EQ(self_loops, 2837);
  // Each line is one direction; a self loop is one line and one undirected edge.
  EXPECT_EQ((tables.num_edges() + self_loops) / 2, 12'288'916);

  const std::int64_t listed = tables.num_edges();
  const Dataset dataset = make_tu_dataset(std::move(tables), {});
  check_dataset(dataset);
  EXPECT_EQ(dataset.graphs.num_graphs(), 5000);
  EXPECT_EQ(dataset.graphs.num_nodes(), 372'474);
  EXPECT_EQ(dataset.added_self_loops, 372'474 - 2837);
  EXPECT_EQ(dataset.graphs.num_edges(), listed + dataset.added_self_loops) << "no reverse is missing";
  EXPECT_EQ(count_classes(dataset), (std::map<std::int64_t, int>{{0, 2600}, {1, 775}, {2, 1625}}));
}

}  // namespace
}  // namespace factorgcn
