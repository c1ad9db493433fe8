// GML as several programs write it, and as it must not be.
#include "factorgcn/io/gml.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

const std::string kGmlText = R"(Creator "igraph version 0.10"
Version 1
graph
[
  directed 1
  name "team"
  year 1977
  node
  [
    id 10
    label "Ann &amp; Co &#228;&#x2603;"
    age 31.5
    graphics [ x 0.5 fill [ r 1 ] ]
    scores 1
    scores -2e1
  ]
  # a comment
  node [ id 20 label "Bob
Lee" age +NAN scores 3 scores 4 ]
  edge [ source 20 target 10 value 3 label "x" ]
]
)";

std::string gml_error(const std::string& text) {
  return error_text([&] { read_gml(text, "g.gml"); });
}

TEST(Gml, FilesAreReadWhole) {
  const GraphTables tables = read_gml(kGmlText, "g.gml");
  ASSERT_TRUE(tables.nodes.has_value());
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "age", "scores"}));
  EXPECT_EQ(tables.nodes->cell(0, 0), "team");
  EXPECT_EQ(tables.nodes->cell(0, 1), "Ann & Co \xC3\xA4\xE2\x98\x83");
  EXPECT_EQ(tables.nodes->cell(1, 1), "Bob\nLee");
  EXPECT_EQ(tables.nodes->cell(0, 2), "31.5");
  EXPECT_TRUE(is_missing_value(tables.nodes->cell(1, 2)));
  EXPECT_EQ(tables.nodes->cell(0, 3), "[1, -2e1]");
  EXPECT_EQ(tables.edges.columns, (std::vector<std::string>{"graph", "source", "target", "weight", "label"}));
  EXPECT_EQ(tables.edges.cell(0, 1), "Bob\nLee");
  EXPECT_EQ(tables.edges.cell(0, 3), "3");
  EXPECT_EQ(tables.edges.where(0), "g.gml, line 20");
  EXPECT_EQ(tables.edge_is_directed, std::vector<bool>{true});
  EXPECT_EQ(tables.graphs->columns, (std::vector<std::string>{"graph", "year"}));
}

TEST(Gml, SeveralGraphsAndEdgesBeforeNodes) {
  const GraphTables tables = read_gml(
      "graph [ edge [ source 1 target 2 ] node [ id 1 ] node [ id 2 ] directed 1 ] "
      "graph [ node [ id 1 label \"x\" ] ]",
      "g.gml");
  EXPECT_EQ(tables.graphs->num_rows(), 2U);
  EXPECT_EQ(tables.nodes->cell(2, 0), "2");
  EXPECT_EQ(tables.edge_is_directed, std::vector<bool>{true});
  ImportOptions options;
  EXPECT_EQ(import_graphs(tables, options).dataset.graphs.num_graphs(), 2);
}

TEST(Gml, LabelsThatAreClassesStayAColumn) {
  std::string text = "graph [\n";
  for (int node = 0; node < 8; ++node) {
    text += "node [ id " + std::to_string(node) + " label \"" + (node % 2 == 0 ? "red" : "blue") + "\" ]\n";
  }
  const GraphTables tables = read_gml(text + "edge [ source 0 target 1 ] ]", "g.gml");
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "label"}));
  EXPECT_EQ(tables.nodes->cell(3, 1), "3");
  EXPECT_EQ(import_graphs(tables, {}).dataset.output_names, (std::vector<std::string>{"blue", "red"}));
}

TEST(Gml, AnAttributeListOfOneIsAList) {
  const GraphTables tables = read_gml(
      "graph [ node [ id 1 f \"_networkx_list_start\" f 0.5 ] node [ id 2 f \"_networkx_list_start\" f 2 ] ]", "g.gml");
  EXPECT_EQ(tables.nodes->cell(0, 2), "[0.5]");
}

TEST(Gml, WrongFilesAreAnsweredWithTheirLine) {
  expect_holds(gml_error(""), "g.gml: it is no GML file with a graph");
  expect_holds(gml_error("graph 1"), "it is no GML file with a graph");
  expect_holds(gml_error("graph [\nnode [ label \"a\" ]\n]"), "g.gml, line 2: this node has no id");
  expect_holds(gml_error("graph [\nedge [ source 1 ]\n]"), "g.gml, line 2: this edge has no target");
  expect_holds(gml_error("graph [\nnode [ id 1 id 2 ]\n]"), "line 2: this node has 2 values of id");
  expect_holds(gml_error("graph [\nnode [ id 1 ]\n"), "line 1: a bracket is opened here and never closed");
  expect_holds(gml_error("graph [ node [ id ] ]"), "'id' has no value; found ']'");
  expect_holds(gml_error("graph [ \"x\" ]"), "found 'x'; a key was expected");
  expect_holds(gml_error("graph [\n\nnode [ id 1 label \"a ]"), "line 3: a quote is opened here and never closed");
  expect_holds(gml_error("graph [ directed 2 ]"), "'directed' is '2'; 0 or 1 was expected");
  expect_holds(gml_error("graph [ node [ id ?x ] ]"), "found '?x'");
  expect_holds(gml_error("graph [ node [ id 1 label \"\xE4\" ] ]"), "is not UTF-8");
  expect_holds(gml_error("graph [\nnode [ id 1 label \"a\" ]\nnode [ id 2 label \"b\" ]\nedge [ source 1 target 3 ] ]"),
               "g.gml, line 4: the edge's target '3' is the id of no node");
  expect_holds(gml_error("graph [\nnode [ id 1 label \"a\" ]\nnode [ id 1 label \"b\" ] ]"),
               "g.gml, line 3: the node '1' is listed already");
  for (std::size_t length = 22; length + 3 < kGmlText.size(); ++length) {
    EXPECT_NE(gml_error(kGmlText.substr(0, length)), "no error") << length;
  }
}

TEST(Gml, DepthCostsNothing) {
  std::string text = "graph [ node [ id 1 a ";
  for (int depth = 0; depth < 1'000'000; ++depth) {
    text += "[ a ";
  }
  expect_holds(gml_error(text), "never closed");
}

}  // namespace
}  // namespace factorgcn
