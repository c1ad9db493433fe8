// What the room's door lets in and what it refuses, in whose words.
#include "factorgcn/relations/relation_graph.h"

#include <gtest/gtest.h>

#include "base/error_text.h"

namespace factorgcn {
namespace {

RelationGraph triangle() { return {.nodes = 3, .sources = {0, 1, 2}, .targets = {1, 2, 0}}; }

TEST(RelationGraph, TakesPlainWeightedAndDirectedEdges) {
  RelationGraph graph = triangle();
  check_relation_graph(graph);
  graph.weights = {1, 2, 0.5F};
  check_relation_graph(graph);
  graph = {.nodes = 2, .sources = {0, 1}, .targets = {1, 0}, .directed = true};
  check_relation_graph(graph);
  check_relation_graph({.nodes = 1});
}

TEST(RelationGraph, RefusesWhatDoesNotFit) {
  const auto refusal = [](auto change) {
    RelationGraph graph = triangle();
    change(graph);
    return error_text([&] { check_relation_graph(graph); });
  };
  EXPECT_EQ(refusal([](RelationGraph& graph) { graph.nodes = 2; }),
            "relations: edge 1 ends at node 2; there are 2 nodes");
  EXPECT_EQ(refusal([](RelationGraph& graph) { graph.targets[2] = 2; }),
            "relations: edge 2 is a self loop at node 2; leave self loops out");
  EXPECT_EQ(refusal([](RelationGraph& graph) { graph.sources[1] = 0, graph.targets[1] = 1; }),
            "relations: the edge 0 - 1 is there twice; give each edge once");
  EXPECT_EQ(refusal([](RelationGraph& graph) { graph.sources[1] = 1, graph.targets[1] = 0; }),
            "relations: the edge 0 - 1 is there twice; give each edge once");
  EXPECT_EQ(refusal([](RelationGraph& graph) {
              graph.weights = {1, 0, 1};
            }),
            "relations: edge 1 has weight 0; weights must be above 0");
  EXPECT_EQ(refusal([](RelationGraph& graph) { graph.weights = {1}; }), "relations: 1 weights for 3 edges");
  EXPECT_EQ(refusal([](RelationGraph& graph) { graph.targets.pop_back(); }), "relations: 3 sources but 2 targets");
}

TEST(RelationGraph, RefusesKnownEdgesAndAttributesThatDoNotFit) {
  const RelationGraph graph = triangle();
  check_known_edges({.relations = 2, .edges = {0, 2}, .truth = {1, 0, 1, 1}}, graph);
  EXPECT_EQ(error_text([&] { check_known_edges({.relations = 1, .edges = {3}, .truth = {1}}, graph); }),
            "relations: known edge 3; there are 3 edges");
  EXPECT_EQ(error_text([&] {
              check_known_edges({.relations = 1, .edges = {1, 1}, .truth = {1, 0}}, graph);
            }),
            "relations: edge 1 is known twice");
  EXPECT_EQ(error_text([&] { check_known_edges({.relations = 2, .edges = {1}, .truth = {1}}, graph); }),
            "relations: 1 known edges x 2 relations need as many values, 1 are given");
  check_attributes({{.name = "team", .categories = {0, -1, 1}}}, graph);
  EXPECT_EQ(error_text([&] {
              check_attributes({{.name = "age", .numbers = {30, 40}}}, graph);
            }),
            "relations: attribute 'age' has 2 values for 3 nodes");
}

}  // namespace
}  // namespace factorgcn
