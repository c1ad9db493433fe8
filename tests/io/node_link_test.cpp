// Node-link JSON as networkx writes it, and as it must not be.
#include "factorgcn/io/node_link.h"
#include "base/holds.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

/// json.dumps(networkx.node_link_data(graph)) of a small MultiGraph.
const std::string kNetworkxJson =
    R"({"directed": false, "multigraph": true, "graph": {"name": "team"}, )"
    R"("nodes": [{"label": "red", "features": [0.5, 1], "id": 1}, {"label": "blue", "features": [2, 3.5], "id": "b"}, )"
    R"({"label": null, "features": [0, 0], "id": [3, 4]}], )"
    R"("links": [{"relation": "work", "source": 1, "target": "b", "key": 0}, )"
    R"({"relation": "lunch", "source": 1, "target": "b", "key": 1}, {"source": "b", "target": [3, 4], "key": 0}]})";

std::string node_link_error(const std::string& text) {
  return error_text([&] { read_node_link(text, "g.json"); });
}

using factorgcn::testing::expect_holds;

TEST(NodeLink, NetworkxFilesAreReadWhole) {
  const GraphTables tables = read_node_link(kNetworkxJson, "g.json");
  ASSERT_TRUE(tables.nodes.has_value());
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "features", "label"}));
  EXPECT_EQ(tables.nodes->cell(0, 0), "team");
  EXPECT_EQ(tables.nodes->cell(2, 1), "[3,4]");
  EXPECT_EQ(tables.nodes->cell(2, 3), "");
  EXPECT_EQ(tables.edges.where(2), "g.json, link 3");

  const Imported imported = import_graphs(tables, {});
  const Dataset& dataset = imported.dataset;
  EXPECT_EQ(dataset.node_names, (std::vector<std::string>{"1", "b", "[3,4]"}));
  EXPECT_EQ(dataset.graph_names, (std::vector<std::string>{"team"}));
  EXPECT_EQ(dataset.graphs.features.size(1), 2);
  EXPECT_EQ(dataset.graphs.features.data_ptr<float>()[3], 3.5F);
  EXPECT_EQ(dataset.truth.type_names, (std::vector<std::string>{"work", "lunch"}));
  EXPECT_EQ(dataset.graphs.num_edges(), 4 + 3);
  EXPECT_EQ(dataset.task, Task::kNodeClass);
  EXPECT_EQ(dataset.output_names, (std::vector<std::string>{"blue", "red"}));
}

TEST(NodeLink, ListsOfGraphsAndEdgesInsteadOfLinks) {
  const std::string graph = R"({"directed": true, "graph": {"class": 1}, "nodes": [{"id": 0}, {"id": 1}],)"
                            R"( "edges": [{"source": 0, "target": 1}]})";
  const std::string other = R"({"graph": {"class": 2}, "nodes": [{"id": 0}], "edges": []})";
  const GraphTables tables = read_node_link("[" + graph + "," + other + "]", "g.json");
  EXPECT_EQ(tables.edge_is_directed, (std::vector<bool>{true}));
  const Dataset dataset = import_graphs(tables, {}).dataset;
  EXPECT_EQ(dataset.graph_names, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(dataset.task, Task::kGraphClass);
  EXPECT_EQ(dataset.graphs.num_nodes(), 3);
}

TEST(NodeLink, WrongFilesAreAnsweredWithTheirPlace) {
  expect_holds(node_link_error(""), "g.json: not valid JSON: parse error at line 1, column 1");
  expect_holds(node_link_error("{\n\"nodes\": [}"), "parse error at line 2");
  expect_holds(node_link_error("\xFF"), "g.json: not valid JSON");
  expect_holds(node_link_error("[1e999]"), "g.json: not valid JSON");
  expect_holds(node_link_error("[]"), "g.json: it is an empty list");
  expect_holds(node_link_error("3"), "g.json, graph 1: found '3'");
  expect_holds(node_link_error("{}"), "graph 1: \"nodes\" is missing");
  expect_holds(node_link_error(R"({"nodes": 5})"), "\"nodes\" is '5'");
  expect_holds(node_link_error(R"({"nodes": []})"), "\"links\" is missing");
  expect_holds(node_link_error(R"({"nodes": [], "links": [], "directed": "no"})"), "\"directed\" is '\"no\"'");
  expect_holds(node_link_error(R"({"nodes": [], "links": [], "graph": 1})"), "\"graph\" is '1'");
  expect_holds(node_link_error(R"({"nodes": [{"id": 1}, {"x": 1}], "links": []})"),
               "g.json, node 2: \"id\" is missing");
  expect_holds(node_link_error(R"({"nodes": [[7]], "links": []})"), "g.json, node 1: found '[7]'");
  expect_holds(node_link_error(R"({"nodes": [], "links": [{"source": 1}]})"), "g.json, link 1: \"target\" is missing");
  for (std::size_t length = 0; length < kNetworkxJson.size(); ++length) {
    EXPECT_NE(node_link_error(kNetworkxJson.substr(0, length)), "no error") << length;
  }
}

TEST(NodeLink, EdgesMustNameTheirNodes) {
  const GraphTables tables =
      read_node_link(R"({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]})", "g.json");
  expect_holds(error_text([&] { import_graphs(tables, {}); }),
               "g.json, link 1: node '2' of graph '1' is not in g.json");
}

TEST(NodeLink, DepthAndKeysOfTheirOwnCostNoMoreThanTheFile) {
  const std::string deep(1'000'000, '[');
  expect_holds(node_link_error(deep), "nested more than 32 levels");
  std::string nodes;
  for (int index = 0; index < 8'000; ++index) {
    const std::string number = std::to_string(index);
    nodes += std::string(index == 0 ? "" : ",") + "{\"id\":" + number + ",\"k" + number + "\":1}";
  }
  expect_holds(node_link_error("{\"nodes\":[" + nodes + "],\"links\":[]}"), "different keys");
}

/// Ends of edges by name, one edge a line.
std::string edges_text(const GraphTables& tables) {
  std::string text;
  for (std::size_t row = 0; row < tables.edges.num_rows(); ++row) {
    text += std::string(tables.edges.cell(row, 1)) + "-" + std::string(tables.edges.cell(row, 2)) + " ";
  }
  return text;
}

TEST(NodeLink, NodesWithoutIdsAreFoundByPlaceOrName) {
  const std::string by_place = R"({"nodes": [{"name": "Ann", "group": 1}, {"name": "Bob", "group": 2}],)"
                               R"( "links": [{"source": 1, "target": 0, "value": 3}]})";
  const GraphTables tables = read_node_link(by_place, "g.json");
  EXPECT_EQ(edges_text(tables), "Bob-Ann ");
  EXPECT_EQ(tables.edges.columns, (std::vector<std::string>{"graph", "source", "target", "weight"}));
  EXPECT_EQ(tables.edges.cell(0, 3), "3");
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "group"}));
  const auto edges_of = [](const std::string& nodes, const std::string& links) {
    return edges_text(read_node_link("{\"nodes\": [" + nodes + "], \"links\": [" + links + "]}", "g.json"));
  };
  const std::string people = R"({"name": "Ann"}, {"name": "Bob"})";
  EXPECT_EQ(edges_of(people, R"({"source": "Ann", "target": "Bob"})"), "Ann-Bob ");
  EXPECT_EQ(edges_of(R"("Ann", "Bob")", R"({"source": "Bob", "target": "Ann"})"), "Bob-Ann ");
  EXPECT_EQ(edges_of(R"("Ann", "Bob")", R"({"source": 0, "target": 1})"), "Ann-Bob ");
  EXPECT_EQ(edges_of("{}, {}", R"({"source": 0, "target": 1})"), "0-1 ");
  EXPECT_EQ(edges_of(R"({"id": "a"}, {"id": "b"})", R"({"source": 0, "target": 1})"), "a-b ");
  EXPECT_EQ(edges_of(people, R"({"source": {"name": "Ann", "index": 0}, "target": {"name": "Bob", "index": 1}})"),
            "Ann-Bob ");
  EXPECT_EQ(edges_of(R"({"name": 1}, {"name": 0})", R"({"source": 1, "target": 0})"), "1-0 ") << "names before places";
}

TEST(NodeLink, NamesThatSeveralNodesShareAreToldApart) {
  const GraphTables tables = read_node_link(
      R"({"nodes": [{"name": "Ann"}, {"name": "Ann"}, {"name": "Bob"}, {}], "links": [{"source": 0, "target": 1},)"
      R"( {"source": 2, "target": 3}]})",
      "g.json");
  EXPECT_EQ(edges_text(tables), "Ann (0)-Ann (1) Bob-3 ");
  // Where most share, it is what they are and not what they are called.
  const GraphTables atoms = read_node_link(
      R"({"nodes": [{"id": 5, "name": "C"}, {"id": 6, "name": "C"}, {"id": 7, "name": "O"}, {"id": 8, "name": "C"}],)"
      R"( "links": [{"source": 5, "target": 7}]})",
      "g.json");
  EXPECT_EQ(edges_text(atoms), "5-7 ");
  EXPECT_EQ(atoms.nodes->columns.back(), "name");
  EXPECT_EQ(atoms.nodes->cell(2, 2), "O");
}

TEST(NodeLink, EndsThatFitNoNodeSaySo) {
  const auto error_of = [](const std::string& links) {
    return node_link_error(R"({"nodes": [{"name": "Ann"}, {"name": "Bob"}], "links": [)" + links + "]}");
  };
  expect_holds(error_of(R"({"source": "Ann", "target": "Cyd"})"),
               "g.json, link 1: the target '\"Cyd\"' is the name of");
  expect_holds(error_of(R"({"source": 0, "target": 2})"), "link 1: the target '2' is no node's place");
  expect_holds(error_of(R"({"source": 0, "target": -1})"), "link 1");
  expect_holds(node_link_error(R"({"nodes": [{}, {}], "links": [{"source": 0, "target": 2}]})"),
               "the target '2' is no node's place in the list, which counts from 0");
}

}  // namespace
}  // namespace factorgcn
