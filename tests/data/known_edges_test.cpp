// Known edges: what is read, and what is said where something does not fit.
#include "factorgcn/data/known_edges.h"

#include <gtest/gtest.h>

#include "data/delimited_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

NamedGraph triangle(bool directed = false) {
  NamedGraph graph;
  graph.nodes = {"ann", "bob", "cyd", "dan"};
  graph.sources = {0, 1, 2};
  graph.targets = {1, 2, 0};
  graph.directed = directed;
  return graph;
}

KnownRelations known_of(const std::string& text, const NamedGraph& graph = triangle()) {
  return read_known(text, "known.csv", graph);
}

void expect_error(const std::string& text, const std::string& part, const NamedGraph& graph = triangle()) {
  try {
    known_of(text, graph);
    ADD_FAILURE() << "taken: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(KnownEdges, SeveralRelationsInOneLineOrInSeveral) {
  const KnownRelations known = known_of(
      "source,target,relation\n"
      "cyd,bob,work; family\n"
      "ann,bob,family\n"
      "bob,ann,club\n");
  EXPECT_EQ(known.names, (std::vector<std::string>{"work", "family", "club"}));
  EXPECT_EQ(known.edges, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(known.relations, (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0}));
}

TEST(KnownEdges, LinesThatAreNotFilledInAreSkippedAndColumnsMayBeAnywhere) {
  const KnownRelations known = known_of("guess,relation,to,from\nx,,ann,bob\ny,work,bob,cyd\nz,NA,cyd,ann\n");
  EXPECT_EQ(known.names, (std::vector<std::string>{"work"}));
  EXPECT_EQ(known.edges, (std::vector<std::int64_t>{1}));
}

TEST(KnownEdges, NamesThatAreNotThereAreNamed) {
  expect_error("source,target,relation\nann,bob,work\nann,bop,work\n",
               "known.csv, line 3: node 'bop' is not in the graph; did you mean 'bob'?");
  expect_error("source,target,relation\nann,dan,work\n", "known.csv, line 2: no edge joins 'ann' and 'dan'");
  expect_error("source,target,relation\nann,ann,work\n", "a self loop has no relation");
  expect_error("source,target,relation\nann,bob,\n", "no relation is filled in");
  expect_error("source,target\nann,bob\n", "three are needed");
  expect_error("source,target,relation\nbob,ann,work\n", "there is one the other way", triangle(true));
}

TEST(KnownEdges, ManyValuesAreNoRelations) {
  NamedGraph path;
  std::string text = "source,target,relation\n";
  for (int node = 0; node < 1200; ++node) {
    path.nodes.push_back(std::to_string(node));
    if (node > 0) {
      path.sources.push_back(node - 1);
      path.targets.push_back(node);
      text += std::to_string(node - 1) + "," + std::to_string(node) + ",r" + std::to_string(node) + "\n";
    }
  }
  expect_error(text, "is it the right column?", path);
}

TEST(KnownEdges, AColumnOfTheEdgeListItself) {
  GraphTables tables;
  DelimitedOptions named;
  named.asked_names = {"kind"};
  tables.edges = read_delimited("source,target,kind\nann,bob,work\nbob,cyd,\nbob,ann,home\n", "edges.csv", named);
  const EdgeTable table = read_edge_table(tables, {}, "kind");
  const NamedGraph graph = named_graph("x", tables, table);
  const KnownRelations known = read_known_column(tables.edges, table, graph);
  EXPECT_EQ(known.names, (std::vector<std::string>{"work", "home"}));
  EXPECT_EQ(known.edges, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(known.relations, (std::vector<std::uint8_t>{1, 1}));
}

}  // namespace
}  // namespace factorgcn
