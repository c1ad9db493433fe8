// Checks of one graph, and the edits of its edges.
#include "factorgcn/graph/graph.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::counting_features;
using brute_force::tensor;
using Ids = std::vector<std::int32_t>;
using EdgeSet = std::multiset<std::pair<std::int32_t, std::int32_t>>;

Graph triangle() { return {"triangle", 3, {0, 1, 2}, {1, 2, 0}, counting_features(3, 2)}; }

std::string message(const std::function<void(Graph&)>& spoil) {
  Graph graph = triangle();
  spoil(graph);
  return error_text([&] { check_graph(graph); });
}

EdgeSet edge_set(const Graph& graph) {
  EdgeSet edges;
  for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
    edges.insert({graph.source[edge], graph.target[edge]});
  }
  return edges;
}

TEST(CheckGraph, AllowsTheLegalOddCases) {
  EXPECT_EQ(message([](Graph&) {}), "no error");
  EXPECT_EQ(error_text([] { check_graph({"one", 1, {}, {}, counting_features(1, 1)}); }), "no error");
  EXPECT_EQ(error_text([] { check_graph({"isolated", 5, {0}, {1}, counting_features(5, 1)}); }), "no error");
  EXPECT_EQ(error_text([] {
              check_graph({"loops", 2, {0, 0, 1, 1}, {0, 0, 0, 0}, counting_features(2, 1)});
            }),
            "no error");
  EXPECT_EQ(error_text([] { check_graph({"types", 2, {}, {}, tensor(std::vector<std::int64_t>{0, 5})}); }), "no error");
  EXPECT_EQ(error_text([] { check_graph({"strided", 2, {}, {}, counting_features(3, 2).t()}); }), "no error");
}

TEST(CheckGraph, RefusesBadNodesAndEdges) {
  EXPECT_EQ(message([](Graph& g) { g.num_nodes = 0; }), "triangle: it has 0 nodes; a graph needs at least 1");
  EXPECT_EQ(message([](Graph& g) { g.num_nodes = -2; }), "triangle: it has -2 nodes; a graph needs at least 1");
  EXPECT_EQ(message([](Graph& g) { g.num_nodes = std::int64_t{1} << 31; }),
            "triangle: it has 2147483648 nodes; node ids are 32-bit, so at most 2147483647 are possible");
  EXPECT_EQ(message([](Graph& g) { g.source.pop_back(); }),
            "triangle: 2 edge sources but 3 edge targets; there must be as many");
  EXPECT_EQ(message([](Graph& g) { g.source[1] = 3; }),
            "triangle: edge 1 names node 3, but there are 3 nodes; ids must be in 0 .. 2");
  EXPECT_EQ(message([](Graph& g) { g.target[2] = -1; }),
            "triangle: edge 2 names node -1, but there are 3 nodes; ids must be in 0 .. 2");
}

TEST(CheckGraph, RefusesBadFeatures) {
  EXPECT_EQ(message([](Graph& g) { g.features = at::Tensor(); }),
            "triangle: it has no features; give float [nodes, columns] or int64 [nodes] types");
  EXPECT_EQ(message([](Graph& g) { g.features = counting_features(4, 2); }),
            "triangle: features of shape [4, 2] for 3 nodes; the shape must be [3, columns]");
  EXPECT_EQ(message([](Graph& g) { g.features = g.features.reshape({6}); }),
            "triangle: features of shape [6] for 3 nodes; the shape must be [3, columns]");
  EXPECT_EQ(message([](Graph& g) {
              g.features = at::empty({3, 0}, at::kFloat);
            }),
            "triangle: features have 0 columns; at least 1 is needed");
  EXPECT_EQ(message([](Graph& g) { g.features = g.features.to(at::kDouble); }),
            "triangle: features have type Double; they must be Float (values) or Long (node types)");
  EXPECT_EQ(message([](Graph& g) { g.features.data_ptr<float>()[3] = std::numeric_limits<float>::quiet_NaN(); }),
            "triangle: feature 1 of node 1 is nan; features must be finite");
  EXPECT_EQ(message([](Graph& g) { g.features.data_ptr<float>()[4] = -std::numeric_limits<float>::infinity(); }),
            "triangle: feature 0 of node 2 is -inf; features must be finite");
  EXPECT_EQ(message([](Graph& g) {
              g.features = tensor(std::vector<std::int64_t>{0, 1});
            }),
            "triangle: node types of shape [2] for 3 nodes; the shape must be [3]");
  EXPECT_EQ(message([](Graph& g) {
              g.features = tensor(std::vector<std::int64_t>{0, -4, 1});
            }),
            "triangle: node 1 has type -4; node types start at 0");
}

TEST(MakeUndirected, AddsMissingReversesInListOrder) {
  Graph graph = triangle();
  graph.source = {0, 1, 1, 2, 2, 0};
  graph.target = {1, 0, 2, 2, 0, 1};  // 0-1 both ways (0 -> 1 twice), 1 -> 2, loop at 2, 2 -> 0
  make_undirected(graph);
  EXPECT_EQ(graph.source, (Ids{0, 1, 1, 2, 2, 0, 2, 0}));
  EXPECT_EQ(graph.target, (Ids{1, 0, 2, 2, 0, 1, 1, 2}));
}

TEST(MakeUndirected, AddsOneReverseForParallelEdges) {
  Graph graph = triangle();
  graph.source = {0, 0};
  graph.target = {1, 1};
  make_undirected(graph);
  EXPECT_EQ(graph.source, (Ids{0, 0, 1}));
  EXPECT_EQ(graph.target, (Ids{1, 1, 0}));
}

TEST(MakeUndirected, EqualsTheDefinition) {
  EXPECT_TRUE(rc::check("every edge has a reverse, old edges stay, and nothing else comes", [] {
    Graph graph = brute_force::random_graph(1);
    const Graph before = graph;
    make_undirected(graph);
    const EdgeSet old_edges = edge_set(before);
    const EdgeSet edges = edge_set(graph);
    for (const auto& [source, target] : edges) {
      RC_ASSERT(edges.count({target, source}) > 0U);
      const std::size_t expected = old_edges.count({source, target}) > 0 ? old_edges.count({source, target}) : 1U;
      RC_ASSERT(edges.count({source, target}) == expected);
      RC_ASSERT(old_edges.count({source, target}) + old_edges.count({target, source}) > 0U);
    }
    RC_ASSERT(std::equal(before.source.begin(), before.source.end(), graph.source.begin()));
    make_undirected(graph);
    RC_ASSERT(edge_set(graph) == edges);
  }));
}

TEST(AddSelfLoops, AddsOnlyMissingOnes) {
  Graph graph = triangle();
  graph.source = {1, 0};
  graph.target = {1, 2};
  add_self_loops(graph);
  EXPECT_EQ(graph.source, (Ids{1, 0, 0, 2}));
  EXPECT_EQ(graph.target, (Ids{1, 2, 0, 2}));
  add_self_loops(graph);
  EXPECT_EQ(graph.source.size(), 4U);
}

TEST(GraphEdits, RefuseBadEdges) {
  Graph graph = triangle();
  graph.source[0] = 9;
  const std::string expected = "triangle: edge 0 names node 9, but there are 3 nodes; ids must be in 0 .. 2";
  EXPECT_EQ(error_text([&] { make_undirected(graph); }), expected);
  EXPECT_EQ(error_text([&] { add_self_loops(graph); }), expected);
}

}  // namespace
}  // namespace factorgcn
