// Pajek networks as several programs write them, and as they must not be.
#include "factorgcn/io/pajek.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

const std::string kPajekText =
    "%% made by hand\r\n"
    "*Network team\r\n"
    "*Vertices 4\r\n"
    "1 \"Ann Lee\" 0.5 0.5 0.5 ellipse ic Red age 31\r\n"
    "3 Cyd 0.1 0.2 box age 28 city \"New York\"\r\n"
    "2 \"Bob\"\r\n"
    "*Arcs :1 \"asks\"\r\n"
    "1 2 2.5 c Blue\r\n"
    "*Arcs :2 \"likes\"\r\n"
    "2 1\r\n"
    "1: 3 1 4\r\n"
    "*edges\r\n"
    "3 4 1 since 1999\r\n";

std::string pajek_error(const std::string& text) {
  return error_text([&] { read_pajek(text, "g.net"); });
}

TEST(Pajek, FilesAreReadWhole) {
  const GraphTables tables = read_pajek(kPajekText, "g.net");
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "age", "city"}));
  ASSERT_EQ(tables.nodes->num_rows(), 4U);
  EXPECT_EQ(tables.nodes->cell(0, 0), "team");
  EXPECT_EQ(tables.nodes->cell(0, 1), "Ann Lee");
  EXPECT_EQ(tables.nodes->cell(0, 2), "31");
  EXPECT_EQ(tables.nodes->cell(1, 1), "Bob");
  EXPECT_EQ(tables.nodes->cell(2, 3), "New York");
  EXPECT_EQ(tables.nodes->cell(3, 1), "4");
  EXPECT_EQ(tables.edges.columns,
            (std::vector<std::string>{"graph", "source", "target", "relation", "weight", "since"}));
  std::string text;
  for (std::size_t row = 0; row < tables.edges.num_rows(); ++row) {
    for (std::size_t column = 1; column < 6; ++column) {
      text += std::string(tables.edges.cell(row, column)) + ",";
    }
    text += tables.edge_is_directed[row] ? "->\n" : "--\n";
  }
  EXPECT_EQ(text,
            "Ann Lee,Bob,asks,2.5,,->\n"
            "Bob,Ann Lee,likes,1,,->\n"
            "Cyd,Ann Lee,asks,4,,->\n"
            "Cyd,4,,1,1999,--\n");
  EXPECT_EQ(tables.edges.where(0), "g.net, line 8");
}

TEST(Pajek, ListsAndMatrices) {
  const GraphTables lists = read_pajek("*Vertices 3\n*Arcslist\n1 2 3\n*Edgeslist\n3 2\n", "g.net");
  ASSERT_EQ(lists.edges.num_rows(), 3U);
  EXPECT_EQ(lists.edges.cell(1, 2), "3");
  EXPECT_EQ(lists.edge_is_directed, (std::vector<bool>{true, true, false}));
  const GraphTables matrix = read_pajek("*Vertices 2\n*Matrix\n0 1.5\n1 0\n", "g.net");
  ASSERT_EQ(matrix.edges.num_rows(), 2U);
  EXPECT_EQ(matrix.edges.cell(0, 3), "1.5");
  EXPECT_EQ(matrix.edges.cell(1, 1), "2");
}

TEST(Pajek, ProjectsHoldSeveralNetworks) {
  const GraphTables tables = read_pajek(
      "*Network one\n*Vertices 2\n1 a\n2 b\n*Edges\n1 2\n*Partition parts\n*Vertices 2\n1\n2\n*Network two\n"
      "*Vertices 1\n1 a\n",
      "g.paj");
  EXPECT_EQ(tables.graphs->num_rows(), 2U);
  EXPECT_EQ(tables.nodes->num_rows(), 3U);
  EXPECT_EQ(tables.nodes->cell(2, 0), "two");
  ASSERT_EQ(tables.edges.notes.size(), 1U);
  expect_holds(tables.edges.notes[0], "g.paj, line 7: '*Partition' is passed over");
}

TEST(Pajek, WrongFilesAreAnsweredWithTheirLine) {
  expect_holds(pajek_error(""), "g.net: it is no Pajek network");
  expect_holds(pajek_error("1 2\n"), "line 1: found '1 2'; a line *Vertices N was expected");
  expect_holds(pajek_error("*Vertices\n"), "*Vertices and their number were expected");
  expect_holds(pajek_error("*Vertices x\n"), "*Vertices and their number were expected");
  expect_holds(pajek_error("*Vertices 999999999\n"), "999999999 vertices are announced, far more than");
  expect_holds(pajek_error("*Edges\n1 2\n"), "comes before *Vertices N");
  expect_holds(pajek_error("*Vertices 2\n3 c\n"), "line 2: found '3'; the number of a vertex from 1 to 2");
  expect_holds(pajek_error("*Vertices 2\n1 a\n1 b\n"), "line 3: vertex 1 is listed already, in line 2");
  expect_holds(pajek_error("*Vertices 2\n1 \"a\n"), "line 2: a quote is opened");
  expect_holds(pajek_error("*Vertices 2\n1 a age\n"), "'age' is a key without a value");
  expect_holds(pajek_error("*Vertices 2\n*Edges\n1\n"), "line 3: found '1'; the numbers of two vertices");
  expect_holds(pajek_error("*Vertices 2\n*Edges\n0 1\n"), "found '0'; the number of a vertex from 1 to 2");
  expect_holds(pajek_error("*Vertices 2\n*Odd\n"), "'*Odd' is not understood");
  expect_holds(pajek_error("*Vertices 2\n*Vertices 2\n"), "there is a second *Vertices");
  expect_holds(pajek_error("*Vertices 2\n*Matrix\n0 1 0\n"), "this row has 3 values, but there are 2 vertices");
  expect_holds(pajek_error("*Vertices 1\n*Matrix\n0\n0\n"), "more rows than there are vertices");
  expect_holds(pajek_error("*Vertices 1\n1 \"\xE4\"\n"), "is not UTF-8");
}

}  // namespace
}  // namespace factorgcn
