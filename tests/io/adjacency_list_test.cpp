// Adjacency lists as networkx writes them, and with tabs.
#include "factorgcn/io/adjacency_list.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

TEST(AdjacencyList, FilesAreReadWhole) {
  const GraphTables tables = read_adjacency_list("#write_adjlist\n# GMT Mon\n\nann bob cyd # two\ndan\nbob cyd\n", "g");
  EXPECT_EQ(tables.edges.num_rows(), 3U);
  EXPECT_EQ(tables.edges.cell(1, 1), "cyd");
  EXPECT_EQ(tables.edges.where(2), "g, line 6");
  const Dataset dataset = import_graphs(tables, {}).dataset;
  EXPECT_EQ(dataset.node_names, (std::vector<std::string>{"ann", "dan", "bob", "cyd"}));
  EXPECT_EQ(dataset.graphs.num_edges() - dataset.added_self_loops, 6);
}

TEST(AdjacencyList, TabsKeepBlanksInNames) {
  const GraphTables tables = read_adjacency_list("Ann Lee\tBob C# Roy\r\nDan\r\n", "g");
  ASSERT_EQ(tables.edges.num_rows(), 1U);
  EXPECT_EQ(tables.edges.cell(0, 0), "Ann Lee");
  EXPECT_EQ(tables.edges.cell(0, 1), "Bob C# Roy");
}

TEST(AdjacencyList, EdgesFromBothEndsAreOne) {
  const Dataset dataset = import_graphs(read_adjacency_list("a b\nb a c\nc b\n", "g"), {}).dataset;
  EXPECT_EQ(dataset.graphs.num_edges() - dataset.added_self_loops, 4);
}

TEST(AdjacencyList, WrongFilesSaySo) {
  expect_holds(error_text([] { read_adjacency_list("# nothing\n", "g"); }), "g: it holds no lines");
  expect_holds(error_text([] { read_adjacency_list("a \xFF\n", "g"); }), "is not UTF-8");
}

}  // namespace
}  // namespace factorgcn
