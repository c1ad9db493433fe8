// One graph with its names: from tables and from a data set, merged alike.
#include "factorgcn/data/named_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/delimited_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

GraphTables tables_of(const std::string& edges, const std::string& nodes = "") {
  DelimitedOptions options;
  for (const auto* names : {&KnownColumns::source(), &KnownColumns::target(), &KnownColumns::relation(),
                            &KnownColumns::weight(), &KnownColumns::node()}) {
    options.known_names.insert(options.known_names.end(), names->begin(), names->end());
  }
  GraphTables tables;
  tables.edges = read_delimited(edges, "edges.csv", options);
  if (!nodes.empty()) {
    tables.nodes = read_delimited(nodes, "nodes.csv", options);
  }
  return tables;
}

NamedGraph graph_of(const GraphTables& tables, const ImportOptions& options = {}, const std::string& known = "") {
  return named_graph("friends", tables, read_edge_table(tables, options, known));
}

/// "ann-bob 2" for each edge, its weight behind it where edges have any.
std::vector<std::string> edges_of(const NamedGraph& graph) {
  std::vector<std::string> edges;
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    edges.push_back(graph.nodes.at(static_cast<std::size_t>(graph.sources[edge])) + "-" +
                    graph.nodes.at(static_cast<std::size_t>(graph.targets[edge])) +
                    (graph.weights.empty() ? "" : concat(" ", graph.weights[edge])));
  }
  return edges;
}

using Words = std::vector<std::string>;

TEST(NamedGraph, RepeatedLinesAreOneEdgeThatWeighsAsManyAsItHas) {
  const NamedGraph graph = graph_of(tables_of("source,target\nbob,ann\nann,bob\ncyd,ann\ncyd,cyd\n"));
  EXPECT_EQ(edges_of(graph), (Words{"bob-ann 2", "cyd-ann 1"}));
  EXPECT_EQ(graph.self_loops, (std::vector<std::int32_t>{2}));
  EXPECT_EQ(graph.notes.size(), 2U);
  EXPECT_TRUE(graph.truth_names.empty());
}

TEST(NamedGraph, WeightsOfRepeatedLinesAreAdded) {
  const NamedGraph graph = graph_of(tables_of("source,target,weight\na,b,2\nb,a,0.5\nb,c,1\n"));
  EXPECT_EQ(edges_of(graph), (Words{"a-b 2.5", "b-c 1"}));
}

TEST(NamedGraph, WeightsDoNotTellHowManyRelationsAnEdgeHas) {
  const NamedGraph graph = graph_of(tables_of("source,target,layer\na,b,work\nb,a,home\nb,c,home\nc,d,\n"));
  EXPECT_EQ(edges_of(graph), (Words{"a-b", "b-c", "c-d"}));
  EXPECT_EQ(graph.truth_names, (Words{"work", "home"}));
  EXPECT_EQ(graph.truth, (std::vector<std::uint8_t>{1, 1, 0, 1, 0, 0}));
}

TEST(NamedGraph, DirectedEdgesKeepBothWaysApart) {
  ImportOptions options;
  options.directed = true;
  EXPECT_EQ(edges_of(graph_of(tables_of("source,target\nb,a\na,b\nb,a\n"), options)), (Words{"b-a 2", "a-b 1"}));
}

TEST(NamedGraph, AKnownColumnIsNoTruth) {
  const GraphTables tables = tables_of("source,target,relation\na,b,work\nb,c,\n");
  EXPECT_EQ(graph_of(tables).truth_names, (Words{"work"}));
  EXPECT_TRUE(graph_of(tables, {}, "relation").truth_names.empty());
  EXPECT_TRUE(read_edge_table(tables, {}, "3").known.has_value());
  EXPECT_TRUE(has_column(tables.edges, "relation"));
  EXPECT_FALSE(has_column(tables.edges, "known.csv"));
  EXPECT_THROW(read_edge_table(tables, {}, "kind"), UsageError);
}

TEST(NamedGraph, ColumnsOfTheNodeTableAreAttributes) {
  const NamedGraph graph = graph_of(tables_of("source,target\na,b\nb,c\nc,e\ne,d\n"), {});
  EXPECT_TRUE(graph.attributes.empty());
  const NamedGraph with =
      graph_of(tables_of("source,target\na,b\nb,c\nc,e\ne,d\n",
                         "name,age,team,mail\na,31,red,a@x\nb,,blue,b@x\nc,7,red,c@x\nd,1,red,d@x\n"));
  ASSERT_EQ(with.attributes.size(), 2U);
  EXPECT_EQ(with.nodes, (Words{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(with.attributes[0].name, "age");
  EXPECT_TRUE(with.attributes[0].is_number());
  EXPECT_EQ(with.attributes[0].numbers[2], 7);
  EXPECT_TRUE(std::isnan(with.attributes[0].numbers[1]));
  EXPECT_TRUE(std::isnan(with.attributes[0].numbers[4]));
  EXPECT_EQ(with.attributes[1].categories, (Words{"red", "blue"}));
  EXPECT_EQ(with.attributes[1].category, (std::vector<std::int32_t>{0, 1, 0, 0, -1}));
  ASSERT_EQ(with.notes.size(), 1U);
  EXPECT_NE(with.notes[0].find("'mail'"), std::string::npos);
}

TEST(NamedGraph, ADataSetGivesTheSameGraphAsItsTables) {
  const GraphTables tables = tables_of("source,target,layer\nb,a,work\na,c,home\nc,b,home\nc,b,work\n",
                                       "name,age,team\na,31,red\nb,1,blue\nc,7,red\n");
  const NamedGraph from_tables = graph_of(tables);
  const NamedGraph from_set = named_graph(import_graphs(tables, {}).dataset, 0);
  EXPECT_EQ(from_set.nodes, from_tables.nodes);
  EXPECT_TRUE(from_set.self_loops.empty());  // added for training
  EXPECT_EQ(from_set.truth_names, from_tables.truth_names);
  ASSERT_EQ(from_set.num_edges(), 3U);
  for (std::size_t edge = 0; edge < 3; ++edge) {
    std::size_t same = 3;
    for (std::size_t other = 0; other < 3; ++other) {
      const auto ends = std::minmax(from_tables.sources[other], from_tables.targets[other]);
      same = ends == std::minmax(from_set.sources[edge], from_set.targets[edge]) ? other : same;
    }
    ASSERT_LT(same, 3U);
    EXPECT_EQ(from_set.truth[edge * 2], from_tables.truth[same * 2]);
    EXPECT_EQ(from_set.truth[edge * 2 + 1], from_tables.truth[same * 2 + 1]);
  }
  ASSERT_EQ(from_set.attributes.size(), 2U);
  EXPECT_EQ(from_set.attributes[0].numbers, from_tables.attributes[0].numbers);
  EXPECT_EQ(from_set.attributes[1].categories.at(static_cast<std::size_t>(from_set.attributes[1].category[1])), "blue");
  EXPECT_THROW(named_graph(import_graphs(tables, {}).dataset, 1), UsageError);
}

TEST(NamedGraph, WeightsMustBePositive) {
  const GraphTables tables = tables_of("source,target,weight\na,b,2\nb,a,0\n");
  try {
    graph_of(tables);
    FAIL() << "a weight of 0 was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("edges.csv, line 3: the weight is 0"), std::string::npos) << error.what();
  }
  ImportOptions without;
  without.edge_weight = "none";
  EXPECT_EQ(graph_of(tables, without).num_edges(), 1U);
}

TEST(NamedGraph, SeveralGraphsAreRefused) {
  const GraphTables tables = tables_of("source,target,graph\na,b,one\nb,a,two\n");
  EXPECT_THROW(read_edge_table(tables, {}), UsageError);
}

}  // namespace
}  // namespace factorgcn
