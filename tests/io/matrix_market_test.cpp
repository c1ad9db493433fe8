// Matrix Market files as graphs and as features of nodes.
#include "factorgcn/io/matrix_market.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/data/import.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

std::string matrix_graph_error(const std::string& text) {
  return error_text([&] { read_matrix_graph(text, "g.mtx"); });
}

TEST(MatrixMarket, ASquareMatrixIsAGraph) {
  const GraphTables tables = read_matrix_graph(
      "%%MatrixMarket matrix coordinate real general\r\n% of someone\r\n\r\n4 4 3\r\n1 2 0.5\r\n2 3 1e-3\r\n4 4 2\r\n",
      "g.mtx");
  EXPECT_EQ(tables.nodes->num_rows(), 4U);
  EXPECT_EQ(tables.edges.num_rows(), 3U);
  EXPECT_EQ(tables.edges.where(1), "g.mtx, line 6");
  EXPECT_EQ(tables.edge_is_directed, std::vector<bool>(3, true));
  const Imported imported = import_graphs(tables, {});
  EXPECT_EQ(imported.weights, "'weight'");
  EXPECT_EQ(imported.dataset.node_names, (std::vector<std::string>{"1", "2", "3", "4"}));
}

TEST(MatrixMarket, ATriangleIsAnUndirectedGraphWithoutWeights) {
  const GraphTables tables =
      read_matrix_graph("%%matrixmarket MATRIX Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 1", "g.mtx");
  EXPECT_EQ(tables.edge_is_directed, std::vector<bool>(2, false));
  const Imported imported = import_graphs(tables, {});
  EXPECT_EQ(imported.weights, "");
  EXPECT_EQ(imported.dataset.graphs.num_edges() - imported.dataset.added_self_loops, 4);
}

TEST(MatrixMarket, ANodeTableOfOnesOwnGoesWithIt) {
  GraphTables tables = read_matrix_graph("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", "g.mtx");
  tables.nodes->columns = {"node", "label"};
  tables.nodes->text = "1x2y";
  tables.nodes->cell_ends = {1, 2, 3, 4};
  EXPECT_EQ(import_graphs(tables, {}).dataset.task, Task::kNodeClass) << "no graph column that the table would lack";
}

TEST(MatrixMarket, WhatIsWrongIsNamedWithItsLine) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  expect_holds(matrix_graph_error("1 2\n"), "g.mtx: it is no Matrix Market file");
  expect_holds(matrix_graph_error(""), "g.mtx: it is no Matrix Market file");
  expect_holds(matrix_graph_error("%%MatrixMarket matrix array real general\n1 1\n1\n"), "a dense matrix (array)");
  expect_holds(matrix_graph_error("%%MatrixMarket matrix coordinate complex general\n"), "its values are 'complex'");
  expect_holds(matrix_graph_error("%%MatrixMarket matrix coordinate real hermitian\n"), "it is 'hermitian'");
  expect_holds(matrix_graph_error(general), "the numbers of rows, columns and entries were expected");
  expect_holds(matrix_graph_error(general + "2 3 0\n"), "2 rows and 3 columns; a graph's matrix is square");
  expect_holds(matrix_graph_error(general + "2 2 1\n1 3 1\n"),
               "g.mtx, line 3: found '3'; the number of a column from 1 to 2");
  expect_holds(matrix_graph_error(general + "2 2 1\n0 1 1\n"), "the number of a row from 1 to 2");
  expect_holds(matrix_graph_error(general + "2 2 1\n1 2\n"), "a row, a column and a value were expected");
  expect_holds(matrix_graph_error(general + "2 2 1\n1 2 x\n"), "found 'x'; a number was expected");
  expect_holds(matrix_graph_error(general + "2 2 2\n1 2 1\n"), "1 entries, but line 2 announces 2");
  expect_holds(matrix_graph_error(general + "2 2 1\n1 2 1\n2 1 1\n"), "g.mtx, line 4: more entries than the 1");
  expect_holds(matrix_graph_error(general + "900000000 900000000 0\n"), "far more than the file has lines");
}

GraphTables three_nodes() {
  GraphTables tables;
  tables.edges.origin = "g.csv";
  tables.edges.columns = {"source", "target"};
  tables.edges.has_header = true;
  const std::vector<std::vector<std::string_view>> edges{{"a", "b"}, {"b", "c"}};
  for (std::size_t row = 0; row < edges.size(); ++row) {
    tables.edges.add_row(edges[row], row + 2);
  }
  return tables;
}

TextTable table_of(std::vector<std::string> columns, const std::vector<std::vector<std::string_view>>& rows) {
  TextTable table;
  table.origin = "t.csv";
  table.columns = std::move(columns);
  table.has_header = true;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    table.add_row(rows[row], row + 2);
  }
  return table;
}

at::Tensor imported_values(const Imported& imported) {
  const at::Tensor& features = imported.dataset.graphs.features;
  return is_sparse(features) ? features.to_dense() : features;
}

TEST(FeatureEntries, ByPlaceBesideColumnsOfTheNodeTable) {
  GraphTables tables = three_nodes();
  tables.nodes = table_of({"node", "age"}, {{"c", "3"}, {"a", "1"}, {"b", "2"}});
  tables.entries = read_matrix_features(
      "%%MatrixMarket matrix coordinate integer general\n3 300 4\n1 1 2\n1 300 1\n3 7 1\n3 7 4\n", "f.mtx");
  const Imported imported = import_graphs(tables, {});
  const at::Tensor values = imported_values(imported);
  ASSERT_EQ(values.sizes(), (std::vector<std::int64_t>{3, 301}));
  EXPECT_EQ(values[0][0].item<float>(), 3);  // the node table's order: c, a, b
  EXPECT_EQ(values[0][1].item<float>(), 2);
  EXPECT_EQ(values[0][300].item<float>(), 1);
  EXPECT_EQ(values[2][7].item<float>(), 5);  // named twice: added up
  EXPECT_EQ(values[1].sum().item<float>(), 1);
  EXPECT_TRUE(is_sparse(imported.dataset.graphs.features));
  EXPECT_EQ(imported.dataset.feature_names[8], "feature:7");
  expect_holds(imported.notes.front(), "1 node has no entry in f.mtx: its features are 0");
}

TEST(FeatureEntries, ByNameWithoutANodeTable) {
  GraphTables tables = three_nodes();
  tables.entries = FeatureEntries{table_of({"node", "column", "value"}, {{"c", "0", "1.5"}, {"lonely", "2", "2"}})};
  const Imported imported = import_graphs(tables, {});
  EXPECT_EQ(imported.dataset.node_names, (std::vector<std::string>{"a", "b", "c", "lonely"}));
  const at::Tensor values = imported_values(imported);
  ASSERT_EQ(values.sizes(), (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(values[2][0].item<float>(), 1.5);
  EXPECT_EQ(values[3][2].item<float>(), 2);
}

TEST(FeatureEntries, AValueThatIsNotWrittenIsOne) {
  GraphTables tables = three_nodes();
  tables.entries = FeatureEntries{table_of({"node", "column"}, {{"c", "1"}, {"a", "0"}})};
  EXPECT_EQ(imported_values(import_graphs(tables, {})).sum().item<float>(), 2);
}

TEST(FeatureEntries, WhatIsWrongIsNamed) {
  const auto refusal = [](FeatureEntries entries, std::optional<TextTable> nodes = {}) {
    GraphTables tables = three_nodes();
    tables.nodes = std::move(nodes);
    tables.entries = std::move(entries);
    return error_text([&] { import_graphs(tables, {}); });
  };
  expect_holds(refusal({table_of({"node", "column", "value"}, {{"a", "word", "1"}})}),
               "t.csv, line 2: 'column' is 'word'; the number of a column from 0");
  expect_holds(refusal({table_of({"node", "column", "value"}, {{"a", "1", "many"}})}), "'value' is 'many'");
  expect_holds(refusal({table_of({"node", "column", "value"}, {{"a", "1", "1e99"}})}), "must be finite numbers");
  expect_holds(refusal({table_of({"node"}, {{"a"}})}), "it has 1 columns; entries of features have");
  expect_holds(refusal({table_of({"node", "column"}, {})}), "it holds no entries");
  expect_holds(refusal({table_of({"node", "column"}, {{"d", "1"}})}, table_of({"node"}, {{"a"}, {"b"}, {"c"}})),
               "node 'd' is not in t.csv");
  expect_holds(refusal({table_of({"node", "column"}, {{"a", "1"}})}, table_of({"node"}, {{"a"}, {"b"}, {"c"}, {"a"}})),
               "node 'a' is several times in t.csv");
  const std::string two = "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n";
  expect_holds(refusal(read_matrix_features(two, "f.mtx")), "give --nodes FILE, a line per row in the same order");
  expect_holds(refusal(read_matrix_features(two, "f.mtx"), table_of({"node"}, {{"a"}, {"b"}, {"c"}})),
               "f.mtx: it has 2 rows, but t.csv has 3 nodes");
  expect_holds(
      error_text([] { read_matrix_features("%%MatrixMarket matrix coordinate real symmetric\n1 1 0\n", "f.mtx"); }),
      "it is symmetric, as graphs are");
}

}  // namespace
}  // namespace factorgcn
