// Canonical orders and the fields cut by them: by hand, and unchanged when nodes are renumbered.
#include "factorgcn/classic/receptive_fields.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error_text.h"
#include "classic/plain_graphs.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/classic/canonical.h"
#include "factorgcn/classic/registry.h"

namespace factorgcn {
namespace {

using testing::plain;
using testing::random_order;
using testing::random_plain;
using testing::renumbered;
using Ids = std::vector<std::int32_t>;

class Fields : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_label_canonically()) {
      GTEST_SKIP() << "this build has no nauty";
    }
  }
};

/// Edges between positions of an order.
std::set<std::pair<int, int>> edges_by_position(const PlainGraph& graph, const Ids& order) {
  std::vector<int> place(order.size());
  for (std::size_t position = 0; position < order.size(); ++position) {
    place[static_cast<std::size_t>(order[position])] = static_cast<int>(position);
  }
  std::set<std::pair<int, int>> edges;
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    for (const std::int32_t neighbour : graph.around(node)) {
      edges.emplace(place[static_cast<std::size_t>(node)], place[static_cast<std::size_t>(neighbour)]);
    }
  }
  return edges;
}

TEST_F(Fields, CanonicalOrderOfRenumberedGraphsShowsTheSameEdges) {
  RandomStream random(1, "test/canonical");
  std::set<std::set<std::pair<int, int>>> seen;
  for (int round = 0; round < 40; ++round) {
    const std::int64_t nodes = 2 + round % 9;
    const PlainGraph graph = random_plain(nodes, 0.4, 2, random);
    const PlainGraph other = renumbered(graph, random_order(nodes, random));
    const Ids order = canonical_order(graph, graph.labels);
    const Ids other_order = canonical_order(other, other.labels);
    EXPECT_EQ(std::set<std::int32_t>(order.begin(), order.end()).size(), static_cast<std::size_t>(nodes));
    EXPECT_EQ(edges_by_position(graph, order), edges_by_position(other, other_order));
    for (std::size_t position = 0; position < order.size(); ++position) {
      const std::int64_t label = graph.labels[static_cast<std::size_t>(order[position])];
      EXPECT_EQ(label, other.labels[static_cast<std::size_t>(other_order[position])]);
      EXPECT_TRUE(position == 0 || graph.labels[static_cast<std::size_t>(order[position - 1])] <= label);
    }
    seen.insert(edges_by_position(graph, order));
  }
  EXPECT_GT(seen.size(), 20U) << "different graphs look different";
}

TEST_F(Fields, CanonicalOrderRunsInParallel) {
  RandomStream random(2, "test/canonical");
  std::vector<PlainGraph> graphs;
  for (int graph = 0; graph < 200; ++graph) {
    graphs.push_back(random_plain(1 + graph % 70, 0.3, 2, random));
  }
  std::vector<Ids> serial, parallel(graphs.size());
  for (const PlainGraph& graph : graphs) {
    serial.push_back(canonical_order(graph, graph.labels));
  }
  const int before = num_threads();
  set_num_threads(4);
  parallel_tasks(static_cast<std::int64_t>(graphs.size()), [&](std::int64_t index) {
    const auto which = static_cast<std::size_t>(index);
    parallel[which] = canonical_order(graphs[which], graphs[which].labels);
  });
  set_num_threads(before);
  EXPECT_EQ(serial, parallel);
}

TEST_F(Fields, CanonicalOrderRefusesWrongColours) {
  const PlainGraph graph = plain(2, {{0, 1}});
  const std::vector<std::int64_t> one{0};
  EXPECT_NE(error_text([&] { canonical_order(graph, one); }).find("1 colours for 2 nodes"), std::string::npos);
  EXPECT_TRUE(canonical_order(PlainGraph{}, {}).empty());
}

TEST(FieldsWithoutLibrary, SaysWhatIsMissing) {
  if (can_label_canonically()) {
    GTEST_SKIP() << "this build has nauty";
  }
  const PlainGraph graph = plain(1, {});
  EXPECT_NE(error_text([&] { canonical_order(graph, graph.labels); }).find("libnauty2-dev"), std::string::npos);
}

TEST(RankNodes, ByHand) {
  // A path of four with a leaf at its second node: 0 - 1 - 2 - 3, 1 - 4.
  const std::vector<PlainGraph> graphs{plain(5, {{0, 1}, {1, 2}, {2, 3}, {1, 4}})};
  EXPECT_EQ(rank_nodes(graphs, NodeRanking::kDegree)[0], (std::vector<std::int64_t>{1, 3, 2, 1, 1}));
  // Ordered pairs through node 1: {0, 4} to each other and to {2, 3}: 2 * (1 + 4); through node 2: {0, 1, 4} with 3.
  const auto between = rank_nodes(graphs, NodeRanking::kBetweenness)[0];
  EXPECT_EQ(between, (std::vector<std::int64_t>{0, 10000000, 6000000, 0, 0}));
  const auto wl = rank_nodes(graphs, NodeRanking::kWl)[0];
  EXPECT_EQ(wl[0], wl[4]);
  EXPECT_NE(wl[0], wl[3]) << "leaves of different neighbours";
  EXPECT_GT(wl[1], wl[2]);
  EXPECT_GT(wl[2], wl[0]);
  for (const NodeRanking ranking : {NodeRanking::kDegree, NodeRanking::kBetweenness, NodeRanking::kWl}) {
    EXPECT_EQ(node_ranking_from_name(node_ranking_name(ranking)), ranking);
  }
  EXPECT_NE(usage_error_text([] { node_ranking_from_name("age"); }).find("'age'"), std::string::npos);
}

TEST_F(Fields, OfAPathByHand) {
  // 0 - 1 - 2 - 3 - 4 with labels that tell all nodes apart; by betweenness: 2, then 1 and 3, then the ends.
  const PlainGraph path = plain(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {10, 11, 12, 13, 14});
  const auto scores = rank_nodes(std::vector<PlainGraph>{path}, NodeRanking::kBetweenness)[0];
  const Ids fields = receptive_fields(path, scores, {.fields = 6, .size = 3});
  const Ids expected{2,  1,  3,  // both neighbours score alike: the smaller label first
                     1,  2,  0,  // the neighbour that scores higher first
                     3,  2,  4,  //
                     0,  1,  2,  // two rings
                     4,  3,  2,  //
                     -1, -1, -1};
  EXPECT_EQ(fields, expected);
  const Ids wide = receptive_fields(path, scores, {.fields = 1, .size = 7});
  EXPECT_EQ(wide, (Ids{2, 1, 3, 0, 4, -1, -1})) << "all nodes, then empty places";
  EXPECT_NE(error_text([&] { receptive_fields(path, scores, {.fields = 0, .size = 3}); }).find("0 fields"),
            std::string::npos);
}

Dataset typed_dataset(const std::vector<PlainGraph>& graphs) {
  std::vector<Graph> made;
  for (const PlainGraph& graph : graphs) {
    Graph own;
    own.num_nodes = graph.num_nodes();
    own.features = at::empty({own.num_nodes}, at::kLong);
    for (std::int64_t node = 0; node < own.num_nodes; ++node) {
      own.features.data_ptr<std::int64_t>()[node] = graph.labels[static_cast<std::size_t>(node)];
      for (const std::int32_t neighbour : graph.around(node)) {
        own.source.push_back(static_cast<std::int32_t>(node));
        own.target.push_back(neighbour);
      }
    }
    made.push_back(own);
  }
  Dataset dataset;
  dataset.name = "typed";
  dataset.task = Task::kGraphClass;
  dataset.num_outputs = 2;
  dataset.num_node_types = 3;
  dataset.graphs = make_store(made);
  dataset.targets = at::empty({static_cast<std::int64_t>(graphs.size())}, at::kLong).fill_(1);
  dataset.split.train = {0};
  dataset.split.test = {1};
  return dataset;
}

TEST_F(Fields, DoNotSeeTheNumberingOfNodes) {
  RandomStream random(3, "test/fields");
  for (const NodeRanking ranking : {NodeRanking::kDegree, NodeRanking::kBetweenness, NodeRanking::kWl}) {
    for (int round = 0; round < 15; ++round) {
      const std::int64_t nodes = 4 + round % 8;
      const PlainGraph graph = random_plain(nodes, 0.35, 3, random);
      const Dataset dataset = typed_dataset({graph, renumbered(graph, random_order(nodes, random))});
      const Dataset fields =
          field_dataset(dataset, {.fields = 0, .size = 4, .ranking = ranking, .labels = NodeLabels::kTypes});
      check_dataset(fields);
      EXPECT_EQ(fields.num_node_types, *std::max_element(graph.labels.begin(), graph.labels.end()) + 2);
      const std::int64_t places = fields.graphs.num_nodes() / 2;
      EXPECT_EQ(places, nodes * 4);
      EXPECT_TRUE(fields.graphs.features.slice(0, 0, places).equal(fields.graphs.features.slice(0, places)));
      EXPECT_TRUE(fields.graphs.in_degrees.slice(0, 0, places).equal(fields.graphs.in_degrees.slice(0, places)));
      const std::int64_t edges = fields.graphs.num_edges() / 2;
      const auto half = [&](std::int64_t begin) {
        const auto* const first = fields.graphs.in_sources.data_ptr<std::int32_t>() + begin;
        const auto* const degrees = fields.graphs.in_degrees.data_ptr<std::int32_t>();
        std::set<std::pair<std::int64_t, std::int32_t>> pairs;
        std::int64_t at = 0;
        for (std::int64_t node = 0; node < places; ++node) {
          for (std::int32_t edge = 0; edge < degrees[node]; ++edge) {
            pairs.emplace(node, first[at++]);
          }
        }
        return pairs;
      };
      EXPECT_EQ(half(0), half(edges));
    }
  }
}

TEST_F(Fields, OfAnotherSplitOrOtherGraphsAreNotMixedUp) {
  const ClassicEntry& entry = *find_classic("patchy_san");
  const Settings settings{{"field_size", std::int64_t{3}}};
  Dataset first = typed_dataset({plain(3, {{0, 1}, {1, 2}}, {0, 1, 2}), plain(1, {}, {2})});
  const Dataset one = network_view(entry, first, settings);
  first.split.train = {1};
  first.split.test = {0};
  const Dataset two = network_view(entry, first, settings);
  EXPECT_EQ(two.split.train, first.split.train);
  EXPECT_EQ(two.graphs.features.data_ptr(), one.graphs.features.data_ptr()) << "fields are not made again";
  const Dataset third =
      network_view(entry, typed_dataset({plain(3, {{0, 1}}, {0, 1, 2}), plain(1, {}, {2})}), settings);
  EXPECT_NE(third.graphs.num_edges(), one.graphs.num_edges());
  const Dataset wide = network_view(entry, first, {{"field_size", std::int64_t{4}}});
  EXPECT_EQ(wide.graphs.num_nodes() * 3, one.graphs.num_nodes() * 4);
}

TEST_F(Fields, BecomeADataSet) {
  const PlainGraph triangle = plain(3, {{0, 1}, {1, 2}, {2, 0}}, {0, 1, 2});
  const Dataset dataset = typed_dataset({triangle, plain(1, {}, {2})});
  const Dataset fields =
      field_dataset(dataset, {.fields = 2, .size = 3, .ranking = NodeRanking::kDegree, .labels = NodeLabels::kTypes});
  EXPECT_EQ(fields.graphs.num_nodes(), 2 * 2 * 3);
  EXPECT_EQ(fields.num_node_types, 4);
  const auto* const types = fields.graphs.features.data_ptr<std::int64_t>();
  EXPECT_EQ(std::vector<std::int64_t>(types, types + 12),
            (std::vector<std::int64_t>{1, 2, 3, 2, 1, 3, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(fields.graphs.num_edges(), 2 * 6) << "both fields show the triangle, both ways";
  EXPECT_EQ(fields.split.test, dataset.split.test);
  EXPECT_TRUE(fields.targets.equal(dataset.targets));
}

}  // namespace
}  // namespace factorgcn
