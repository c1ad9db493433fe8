// Multilayer networks as the multinet library writes them, and as they must not be.
#include "factorgcn/io/mpx.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

const std::string kMpxText = R"(#VERSION
3.0

#TYPE
multiplex
#LAYERS
lunch,UNDIRECTED,LOOPS
advice, DIRECTED
#ACTOR ATTRIBUTES
role, STRING
#NODE ATTRIBUTES
lunch,seat,NUMERIC
#EDGE ATTRIBUTES
lunch, weight, NUMERIC
-- people
#ACTORS
Ann Lee, PhD
bob, Prof
#NODES
Ann Lee,lunch,3
cyd,advice
#EDGES
Ann Lee,bob,lunch,2.5
cyd,bob,advice
)";

std::string mpx_error(const std::string& text) {
  return error_text([&] { read_mpx(text, "g.mpx"); });
}

TEST(Mpx, MultiplexNetworksAreReadWhole) {
  const GraphTables tables = read_mpx(kMpxText, "g.mpx");
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "role", "lunch seat"}));
  EXPECT_EQ(tables.nodes->cell(0, 1), "Ann Lee");
  EXPECT_EQ(tables.nodes->cell(0, 2), "PhD");
  EXPECT_EQ(tables.nodes->cell(0, 3), "3");
  EXPECT_EQ(tables.nodes->cell(2, 1), "cyd");
  EXPECT_EQ(tables.edges.columns, (std::vector<std::string>{"graph", "source", "target", "relation", "weight"}));
  EXPECT_EQ(tables.edges.cell(0, 4), "2.5");
  EXPECT_EQ(tables.edges.cell(1, 3), "advice");
  EXPECT_EQ(tables.edge_is_directed, (std::vector<bool>{false, true}));
  ImportOptions options;
  options.features = {"none"};
  EXPECT_EQ(import_graphs(tables, options).dataset.truth.type_names, (std::vector<std::string>{"lunch", "advice"}));
}

TEST(Mpx, EdgesOfMultilayerNetworksNameTwoLayers) {
  const GraphTables tables = read_mpx(
      "#TYPE\nmultilayer\n#LAYERS\nl1,l1,DIRECTED\nl1,l2,DIRECTED\n#EDGES\na,l1,b,l1\na,l1,b,l2\na,l1,a,l2\n", "g.mpx");
  ASSERT_EQ(tables.edges.num_rows(), 2U);
  EXPECT_EQ(tables.edges.cell(0, 3), "l1");
  EXPECT_EQ(tables.edges.cell(1, 3), "l1 to l2");
  EXPECT_EQ(tables.edge_is_directed, (std::vector<bool>{true, true}));
  expect_holds(tables.edges.notes.at(0), "1 edge between an actor's own layers left out");
}

TEST(Mpx, WithoutHeadingsLinesAreEdges) {
  const GraphTables tables = read_mpx("a,b,work\nb,c,lunch\n", "g.mpx");
  EXPECT_EQ(tables.edges.num_rows(), 2U);
  EXPECT_EQ(tables.nodes->num_rows(), 3U);
}

TEST(Mpx, WrongFilesAreAnsweredWithTheirLine) {
  expect_holds(mpx_error(""), "g.mpx: it holds neither actors nor edges");
  expect_holds(mpx_error("#ODD\n"), "line 1: the heading '#ODD' is not understood");
  expect_holds(mpx_error("#TYPE\nodd\n"), "line 2: the type is 'odd'");
  expect_holds(mpx_error("#EDGES\na,b\n"), "line 2: found 'a,b'; ACTOR, ACTOR, LAYER was expected");
  expect_holds(mpx_error("#EDGES\na,,l\n"), "ACTOR, ACTOR, LAYER was expected");
  expect_holds(mpx_error("#TYPE\nmultilayer\n#EDGES\na,l1,b\n"), "ACTOR, LAYER, ACTOR, LAYER was expected");
  expect_holds(mpx_error("#EDGES\na,b,l,3\n"), "1 values, but only 0 attributes are declared");
  expect_holds(mpx_error("#ACTORS\na\na\n"), "line 3: the actor 'a' is listed already");
  expect_holds(mpx_error("#NODE ATTRIBUTES\nx\n"), "LAYER, NAME, TYPE was expected");
  expect_holds(mpx_error("#ACTORS\n\xFF\n"), "is not UTF-8");
}

}  // namespace
}  // namespace factorgcn
