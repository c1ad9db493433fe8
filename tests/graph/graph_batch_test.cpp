// Batches made straight from graphs.
#include "factorgcn/graph/graph_batch.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/error_text.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::counting_features;
using brute_force::tensor;
using brute_force::values;

TEST(MakeBatch, ShiftsIdsOfASmallBatchByHand) {
  const std::vector<Graph> graphs{{"a", 2, {0, 1}, {1, 0}, counting_features(2, 1)},
                                  {"b", 1, {}, {}, counting_features(1, 1, 10)},
                                  {"c", 2, {0}, {1}, counting_features(2, 1, 20)}};
  const GraphBatch batch = make_batch(graphs);
  EXPECT_EQ(batch.num_graphs(), 3);
  EXPECT_EQ(batch.num_nodes(), 5);
  EXPECT_EQ(batch.num_edges(), 3);
  EXPECT_EQ(values<std::int64_t>(batch.graph_offsets), (std::vector<std::int64_t>{0, 2, 3, 5}));
  EXPECT_EQ(values<std::int64_t>(batch.edges.in_offsets), (std::vector<std::int64_t>{0, 1, 2, 2, 2, 3}));
  EXPECT_EQ(values<std::int32_t>(batch.edges.in_sources), (std::vector<std::int32_t>{1, 0, 3}));
  EXPECT_EQ(values<std::int64_t>(batch.edges.out_offsets), (std::vector<std::int64_t>{0, 1, 2, 2, 3, 3}));
  EXPECT_EQ(values<std::int32_t>(batch.edges.out_targets), (std::vector<std::int32_t>{1, 0, 4}));
  EXPECT_EQ(values<std::int64_t>(batch.edges.in_to_out), (std::vector<std::int64_t>{1, 0, 2}));
  EXPECT_EQ(values<float>(batch.features), (std::vector<float>{0, 1, 10, 20, 21}));
}

TEST(MakeBatch, EqualsTheUnionOfItsGraphs) {
  EXPECT_TRUE(rc::check("a batch is the disjoint union", [] {
    const std::int64_t columns = *rc::gen::inRange(0, 3);
    std::vector<Graph> graphs;
    for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
      graphs.push_back(brute_force::random_graph(columns));
    }
    const GraphBatch batch = make_batch(graphs);
    check_adjacency(batch.edges);
    RC_ASSERT(brute_force::is_union(batch, graphs));
  }));
}

TEST(MakeBatch, RefusesGraphsThatDoNotFit) {
  EXPECT_EQ(error_text([] { make_batch({}); }),
            "no graphs were given; at least 1 is needed to know the features' type");
  const Graph narrow{"narrow", 1, {}, {}, counting_features(1, 2)};
  const Graph wide{"wide", 1, {}, {}, counting_features(1, 3)};
  const Graph typed{"typed", 1, {}, {}, tensor(std::vector<std::int64_t>{0})};
  const Graph broken{"broken", 1, {0}, {1}, counting_features(1, 2)};
  EXPECT_EQ(error_text([&] {
              make_batch(std::vector{narrow, wide});
            }),
            "wide: features have 3 columns, but those of narrow have 2; all graphs must have the same");
  EXPECT_EQ(error_text([&] {
              make_batch(std::vector{narrow, typed});
            }),
            "typed: features have type Long, but those of narrow have type Float; all graphs must have the same");
  EXPECT_EQ(error_text([&] {
              make_batch(std::vector{narrow, broken});
            }),
            "broken: edge 0 names node 1, but there are 1 nodes; ids must be in 0 .. 0");
}

}  // namespace
}  // namespace factorgcn
