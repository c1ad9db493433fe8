// Graphs written in every format: read back by this program's own readers, by networkx, and GEXF held against the
// structure that its schema asks for.
#include "factorgcn/io/graph_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdlib>
#include <set>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/graph_files.h"
#include "factorgcn/io/graphml.h"
#include "factorgcn/io/gzip_writer.h"
#include "factorgcn/io/row_writer.h"
#include "factorgcn/io/safetensors.h"
#include "io/gexf_check.h"

namespace factorgcn {
namespace {

struct WrittenEdge {
  std::size_t source, target;
  float strength;
  std::string word;
};

struct WrittenGraph {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<WrittenEdge> edges;
};

/// Names that every format must protect, all different.
std::string awkward_name(std::size_t number) {
  static const std::vector<std::string> pieces{"a b",  "=1+1", "-2", "@x",   "\"", ",", "<&>", "\xC3\xA9",
                                               "a\tb", "'",    ";",  "a\nb", "#",  "%", "1"};
  return *rc::gen::elementOf(pieces) + "_" + std::to_string(number) + *rc::gen::elementOf(pieces) + ".";
}

std::vector<WrittenGraph> some_graphs() {
  std::vector<WrittenGraph> graphs(*rc::gen::inRange<std::size_t>(1, 4));
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    WrittenGraph& graph = graphs[index];
    graph.name = awkward_name(index);
    const auto nodes = *rc::gen::inRange<std::size_t>(1, 6);
    for (std::size_t node = 0; node < nodes; ++node) {
      graph.nodes.push_back(awkward_name(node));
    }
    const auto edges = *rc::gen::inRange<std::size_t>(1, 8);
    for (std::size_t edge = 0; edge < edges; ++edge) {
      graph.edges.push_back({*rc::gen::inRange<std::size_t>(0, nodes), *rc::gen::inRange<std::size_t>(0, nodes),
                             static_cast<float>(*rc::gen::inRange(-1000000, 1000000)) / 999983.0F, awkward_name(edge)});
    }
  }
  return graphs;
}

GraphFileLayout layout_of(const std::vector<WrittenGraph>& graphs) {
  return {.directed = true,
          .many_graphs = graphs.size() > 1,
          .graph_column = true,
          .node_columns = {{"place", ColumnKind::kWhole, ""}},
          .edge_columns = {{"strength", ColumnKind::kNumber, ""}, {"word", ColumnKind::kText, ""}}};
}

void write(const std::filesystem::path& path, const std::vector<WrittenGraph>& graphs) {
  write_graphs(path, layout_of(graphs), [&](GraphWriter& writer) {
    for (const WrittenGraph& graph : graphs) {
      writer.begin_graph(graph.name);
      for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        writer.add_node(graph.nodes[node], std::array<CellValue, 1>{static_cast<std::int64_t>(node)});
      }
      for (const WrittenEdge& edge : graph.edges) {
        writer.add_edge(graph.nodes[edge.source], graph.nodes[edge.target],
                        std::array<CellValue, 2>{edge.strength, std::string_view(edge.word)});
      }
    }
  });
}

std::size_t column_of(const TextTable& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  EXPECT_NE(found, table.columns.end()) << name;
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// What was written, as the table of edges that a reader makes of it.
void expect_edges(const TextTable& table, const std::vector<WrittenGraph>& graphs, bool graph_names) {
  std::size_t row = 0;
  for (const WrittenGraph& graph : graphs) {
    for (const WrittenEdge& edge : graph.edges) {
      ASSERT_LT(row, table.num_rows());
      if (graph_names) {
        EXPECT_EQ(table.cell(row, column_of(table, "graph")), graph.name);
      }
      EXPECT_EQ(table.cell(row, column_of(table, "source")), graph.nodes[edge.source]);
      EXPECT_EQ(table.cell(row, column_of(table, "target")), graph.nodes[edge.target]);
      EXPECT_EQ(std::strtof(std::string(table.cell(row, column_of(table, "strength"))).c_str(), nullptr),
                edge.strength);
      EXPECT_EQ(table.cell(row, column_of(table, "word")), edge.word);
      ++row;
    }
  }
  EXPECT_EQ(row, table.num_rows());
}

std::int64_t count_edges(const std::vector<WrittenGraph>& graphs) {
  std::int64_t count = 0;
  for (const WrittenGraph& graph : graphs) {
    count += static_cast<std::int64_t>(graph.edges.size());
  }
  return count;
}

TEST(GraphWriter, WhatIsWrittenIsReadBackInEveryFormat) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    const std::vector<WrittenGraph> graphs = some_graphs();
    std::vector<std::string> endings{"csv", "tsv", "json"};
    if (can_read_graphml()) {
      endings.emplace_back("graphml");
    }
    for (const std::string& ending : endings) {
      const std::filesystem::path path = folder.path() / ("g." + ending);
      write(path, graphs);
      GraphFiles files;
      files.edges = path;
      const GraphTables tables = read_graph_files(files, {});
      SCOPED_TRACE(ending);
      expect_edges(tables.edges, graphs, /*graph_names=*/true);
      if (tables.nodes) {
        EXPECT_EQ(tables.nodes->cell(0, column_of(*tables.nodes, "place")), "0");
        EXPECT_TRUE(std::all_of(tables.edge_is_directed.begin(), tables.edge_is_directed.end(),
                                [](bool directed) { return directed; }));
      }
    }
    const TensorFile arrays = [&] {
      write(folder.path() / "g.safetensors", graphs);
      return read_safetensors(folder.path() / "g.safetensors");
    }();
    EXPECT_EQ(arrays.at("edges.source").numel(), count_edges(graphs));
    EXPECT_EQ(arrays.at("edges.strength")[0].item<float>(), graphs[0].edges[0].strength);
    const auto wanted = static_cast<std::int64_t>(graphs[0].edges[0].target);
    EXPECT_EQ(arrays.at("edges.target")[0].item<std::int64_t>(), wanted);
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(GraphWriter, GexfHasTheStructureOfItsSchema) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check([&] {
    const std::vector<WrittenGraph> graphs = some_graphs();
    write(folder.path() / "g.gexf", graphs);
    const GexfContent content = check_gexf(read_file(folder.path() / "g.gexf"));
    EXPECT_EQ(content.error, "");
    std::vector<std::string> labels;
    for (const WrittenGraph& graph : graphs) {
      labels.insert(labels.end(), graph.nodes.begin(), graph.nodes.end());
    }
    EXPECT_EQ(content.node_labels, labels);
    EXPECT_EQ(content.edges, count_edges(graphs));
    RC_ASSERT(!::testing::Test::HasFailure());
  }));
}

TEST(GraphWriter, GexfTakesWeightForTheEdgesOwn) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "g.gexf";
  write_graphs(path, {.edge_columns = {{"weight", ColumnKind::kNumber, ""}}}, [](GraphWriter& writer) {
    writer.begin_graph("g");
    writer.add_node("a");
    writer.add_node("b");
    writer.add_edge("a", "b", std::array<CellValue, 1>{0.25F});
  });
  const std::string text = read_file(path);
  EXPECT_EQ(check_gexf(text).error, "");
  EXPECT_NE(text.find("<edge id=\"0\" source=\"a\" target=\"b\" weight=\"0.25\">"), std::string::npos) << text;
}

TEST(GraphWriter, CsvIsWhatPeopleExpect) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "g.csv";
  const GraphFileLayout layout{.graph_column = true,
                               .edge_columns = {{"x", ColumnKind::kNumber, ""},
                                                {"n", ColumnKind::kWhole, ""},
                                                {"sure", ColumnKind::kTruth, ""},
                                                {"a \"word\"", ColumnKind::kText, ""}}};
  write_graphs(path, layout, [](GraphWriter& writer) {
    writer.begin_graph("g");
    writer.add_edge("=1+1", " b", std::array<CellValue, 4>{0.1F, std::int64_t{-3}, true, std::string_view("")});
    writer.add_edge("a,b", "c\"", std::array<CellValue, 4>{1e-7, {}, {}, {}});
  });
  EXPECT_EQ(read_file(path),
            "graph,source,target,x,n,sure,\"a \"\"word\"\"\"\n"
            "g,=1+1,\" b\",0.1,-3,true,\"\"\n"
            "g,\"a,b\",\"c\"\"\",1e-07,,,\n");
}

TEST(GraphWriter, CompressedTextIsTheSameText) {
  if (!can_write_gzip()) {
    GTEST_SKIP() << "this build has no zlib";
  }
  const TemporaryFolder folder;
  const auto fill = [](GraphWriter& writer) {
    writer.begin_graph("g");
    for (int edge = 0; edge < 100000; ++edge) {
      writer.add_edge("node " + std::to_string(edge % 997), "node " + std::to_string(edge % 9973));
    }
  };
  write_graphs(folder.path() / "g.csv", {}, fill);
  write_graphs(folder.path() / "h.csv.gz", {}, fill);
  const std::string unpack = "gzip -dc '" + (folder.path() / "h.csv.gz").string() + "' | cmp -s - '" +
                             (folder.path() / "g.csv").string() + "'";
  EXPECT_EQ(std::system(unpack.c_str()), 0);
  EXPECT_LT(std::filesystem::file_size(folder.path() / "h.csv.gz"),
            std::filesystem::file_size(folder.path() / "g.csv") / 4);
}

/// A Python that knows networkx; empty where there is none.
std::string python_with_networkx() {
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    if (std::system((std::string(python) + " -c 'import networkx' > /dev/null 2>&1").c_str()) == 0) {
      return python;
    }
  }
  return "";
}

TEST(GraphWriter, NetworkxReadsWhatIsWritten) {
  const std::string python = python_with_networkx();
  if (python.empty()) {
    GTEST_SKIP() << "no python3 with networkx is here (Debian: python3-networkx)";
  }
  const TemporaryFolder folder;
  const GraphFileLayout layout{
      .node_columns = {{"team", ColumnKind::kText, ""}},
      .edge_columns = {{"factor_1", ColumnKind::kNumber, "factors"}, {"factor_2", ColumnKind::kNumber, "factors"}}};
  const auto fill = [](GraphWriter& writer) {
    writer.begin_graph("friends & co");
    writer.add_node("ann <1>", std::array<CellValue, 1>{std::string_view("red")});
    writer.add_node(
        "b\xC3\xB6"
        "b",
        std::array<CellValue, 1>{});
    writer.add_node("cyd", std::array<CellValue, 1>{std::string_view("blue \"sky\"")});
    writer.add_edge("ann <1>",
                    "b\xC3\xB6"
                    "b",
                    std::array<CellValue, 2>{0.25F, 0.1F});
    writer.add_edge("cyd", "ann <1>", std::array<CellValue, 2>{1.0F, CellValue()});
  };
  for (const char* name : {"g.graphml", "g.graphml.gz", "g.gexf", "g.json", "g.safetensors"}) {
    if (can_write_gzip() || !std::string_view(name).ends_with(".gz")) {
      write_graphs(folder.path() / name, layout, fill);
    }
  }
  write_file_atomically(folder.path() / "check.py", R"(
import inspect, json, os, sys, networkx
def check(graph):
    assert not graph.is_directed() and not graph.is_multigraph(), graph
    assert set(graph) == {"ann <1>", "b\u00f6b", "cyd"}, list(graph)
    assert graph.nodes["cyd"]["team"] == 'blue "sky"' and graph.nodes["ann <1>"]["team"] == "red"
    assert "team" not in graph.nodes["b\u00f6b"]
    edge = graph.edges["ann <1>", "b\u00f6b"]
    assert edge["factor_1"] == 0.25 and abs(edge["factor_2"] - 0.1) < 1e-9, edge
    assert "factor_2" not in graph.edges["cyd", "ann <1>"]
folder = sys.argv[1]
check(networkx.read_graphml(folder + "/g.graphml"))
if os.path.exists(folder + "/g.graphml.gz"):
    check(networkx.read_graphml(folder + "/g.graphml.gz"))
check(networkx.read_gexf(folder + "/g.gexf"))
named = "edges" in inspect.signature(networkx.node_link_graph).parameters
check(networkx.node_link_graph(json.load(open(folder + "/g.json")), **({"edges": "links"} if named else {})))
)");
  const std::string command =
      python + " '" + (folder.path() / "check.py").string() + "' '" + folder.path().string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  const at::Tensor factors = read_safetensors(folder.path() / "g.safetensors").at("edges.factors");
  EXPECT_EQ(factors.sizes(), at::IntArrayRef({2, 2}));
  EXPECT_TRUE(std::isnan(factors[1][1].item<float>()));
}

TEST(GraphWriter, MistakesLeaveNoFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(graph_file_format("g.png"), UsageError);
  EXPECT_NE(error_text([] { graph_file_format("g.png"); }).find(".gexf"), std::string::npos);
  EXPECT_THROW(graph_file_format("g.safetensors.gz"), UsageError);
  EXPECT_THROW(check_row_file("g.graphml"), UsageError);
  EXPECT_EQ(graph_file_format("A.B.CSV").format, GraphFormat::kCsv);
  const std::filesystem::path path = folder.path() / "g.csv";
  const auto attempt = [&](const std::function<void(GraphWriter&)>& fill) {
    const std::string text = error_text([&] { write_graphs(path, {}, fill); });
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
    return text;
  };
  EXPECT_NE(attempt([](GraphWriter& writer) { writer.add_edge("a", "b"); }).find("before its graph"),
            std::string::npos);
  EXPECT_NE(attempt([](GraphWriter& writer) {
              writer.begin_graph("g");
              writer.begin_graph("h");
            }).find("laid out for one"),
            std::string::npos);
  EXPECT_NE(attempt([](GraphWriter& writer) {
              writer.begin_graph("g");
              writer.add_edge("a", "b", std::array<CellValue, 1>{true});
            }).find("1 values for 0 columns"),
            std::string::npos);
}

TEST(RowWriter, WritesTablesAndJson) {
  const TemporaryFolder folder;
  const std::vector<NamedColumn> columns{{"node", ColumnKind::kText, ""}, {"p", ColumnKind::kNumber, ""}};
  const auto fill = [](const AddRow& add) {
    add(std::array<CellValue, 2>{std::string_view("a\tb"), 0.5});
    add(std::array<CellValue, 2>{std::string_view("c"), {}});
  };
  write_rows(folder.path() / "t.tsv", columns, fill);
  EXPECT_EQ(read_file(folder.path() / "t.tsv"), "node\tp\n\"a\tb\"\t0.5\nc\t\n");
  write_rows(folder.path() / "t.json", columns, fill);
  EXPECT_EQ(read_file(folder.path() / "t.json"),
            "[\n{\"node\": \"a\\tb\", \"p\": 0.5},\n{\"node\": \"c\", \"p\": null}\n]\n");
  write_rows(folder.path() / "none.json", columns, [](const AddRow&) {});
  EXPECT_EQ(read_file(folder.path() / "none.json"), "[\n]\n");
}

}  // namespace
}  // namespace factorgcn
