// One graph in every format is the same graph, by its ending or by what the file holds, packed or not.
#include "factorgcn/io/graph_files.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <tuple>

#include "base/error_text.h"
#include "base/holds.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/error.h"
#include "factorgcn/io/gexf.h"
#include "factorgcn/io/gzip.h"
#include "factorgcn/io/input_format.h"
#include "io/gzip_writer.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

struct PlainEdge {
  std::size_t source, target;
  int weight;
};

struct PlainGraph {
  std::vector<std::string> names;
  std::vector<PlainEdge> edges;
};

std::string text_of_edges(const PlainGraph& graph, const std::function<std::string(const PlainEdge&)>& line) {
  std::string text;
  for (const PlainEdge& edge : graph.edges) {
    text += line(edge);
  }
  return text;
}

std::string with_marks(const std::string& name, const char* quote) {
  std::string text;
  for (const char letter : name) {
    text += letter == '&'   ? "&amp;"
            : letter == '<' ? "&lt;"
            : letter == '"' ? std::string(quote)
                            : std::string(1, letter);
  }
  return text;
}

/// Writers as short as can be, each its format's own; what is read back is compared with what was written.
std::map<std::string, std::function<std::string(const PlainGraph&)>> short_writers() {
  const auto number = [](std::size_t value) { return std::to_string(value); };
  return {
      {"gml",
       [=](const PlainGraph& graph) {
         std::string text = "graph [\n";
         for (std::size_t node = 0; node < graph.names.size(); ++node) {
           text += "node [ id " + number(node + 7) + " label \"" + with_marks(graph.names[node], "&quot;") + "\" ]\n";
         }
         return text +
                text_of_edges(graph,
                              [&](const PlainEdge& edge) {
                                return "edge [ source " + number(edge.source + 7) + " target " +
                                       number(edge.target + 7) + " weight " + std::to_string(edge.weight) + " ]\n";
                              }) +
                "]\n";
       }},
      {"gexf",
       [=](const PlainGraph& graph) {
         std::string text = "<gexf><graph><nodes>";
         for (std::size_t node = 0; node < graph.names.size(); ++node) {
           text += "<node id=\"n" + number(node) + "\" label=\"" + with_marks(graph.names[node], "&quot;") + "\"/>\n";
         }
         return text + "</nodes><edges>" +
                text_of_edges(graph,
                              [&](const PlainEdge& edge) {
                                return "<edge source=\"n" + number(edge.source) + "\" target=\"n" +
                                       number(edge.target) + "\" weight=\"" + std::to_string(edge.weight) + "\"/>";
                              }) +
                "</edges></graph></gexf>";
       }},
      {"net",
       [=](const PlainGraph& graph) {
         std::string text = "*Vertices " + number(graph.names.size()) + "\n";
         for (std::size_t node = 0; node < graph.names.size(); ++node) {
           text += number(node + 1) + " \"" + graph.names[node] + "\"\n";
         }
         return text + "*Edges\n" + text_of_edges(graph, [&](const PlainEdge& edge) {
                  return number(edge.source + 1) + " " + number(edge.target + 1) + " " + std::to_string(edge.weight) +
                         "\n";
                });
       }},
      {"json",
       [=](const PlainGraph& graph) {
         std::string text = "{\"nodes\": [";
         for (std::size_t node = 0; node < graph.names.size(); ++node) {
           text += (node == 0 ? "" : ",") + ("{\"name\": \"" + graph.names[node] + "\"}");
         }
         std::string links = text_of_edges(graph, [&](const PlainEdge& edge) {
           return ",{\"source\": " + number(edge.source) + ", \"target\": " + number(edge.target) +
                  ", \"value\": " + std::to_string(edge.weight) + "}";
         });
         return text + "], \"links\": [" + (links.empty() ? "" : links.substr(1)) + "]}";
       }},
      {"mpx",
       [=](const PlainGraph& graph) {
         std::string text = "#EDGE ATTRIBUTES\nweight,NUMERIC\n#ACTORS\n";
         for (const std::string& name : graph.names) {
           text += name + "\n";
         }
         return text + "#EDGES\n" + text_of_edges(graph, [&](const PlainEdge& edge) {
                  return graph.names[edge.source] + "," + graph.names[edge.target] + ",all," +
                         std::to_string(edge.weight) + "\n";
                });
       }},
      {"adjlist",
       [=](const PlainGraph& graph) {
         std::string text;
         for (std::size_t node = 0; node < graph.names.size(); ++node) {
           text += graph.names[node] + "\t";
           for (const PlainEdge& edge : graph.edges) {
             text += edge.source == node ? graph.names[edge.target] + "\t" : "";
           }
           text += "\n";
         }
         return text;
       }},
  };
}

using EdgeSet = std::multiset<std::tuple<std::string, std::string, std::string>>;

std::size_t place_of_column(const TextTable& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// Ends in any order, and the weight where there is one and it is asked for.
EdgeSet edges_read(const GraphTables& tables, bool weights) {
  const TextTable& edges = tables.edges;
  const std::size_t weight = place_of_column(edges, "weight");
  EdgeSet set;
  for (std::size_t row = 0; row < edges.num_rows(); ++row) {
    std::string source(edges.cell(row, place_of_column(edges, "source")));
    std::string target(edges.cell(row, place_of_column(edges, "target")));
    if (target < source) {
      std::swap(source, target);
    }
    set.emplace(source, target, weights && weight < edges.num_columns() ? std::string(edges.cell(row, weight)) : "");
  }
  return set;
}

std::vector<std::string> nodes_read(const GraphTables& tables) {
  std::vector<std::string> names;
  for (std::size_t row = 0; tables.nodes && row < tables.nodes->num_rows(); ++row) {
    names.emplace_back(tables.nodes->cell(row, place_of_column(*tables.nodes, "node")));
  }
  return names;
}

PlainGraph random_plain_graph() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  const std::vector<std::string> kinds{"", " of X", "&Co", "<1>", "#", "[2]", ";", "\xC3\xA4"};
  PlainGraph graph;
  for (std::size_t node = 0; node < count; ++node) {
    graph.names.push_back("p" + std::to_string(node) + *rc::gen::elementOf(kinds));
  }
  const auto edges = *rc::gen::inRange<std::size_t>(0, 20);
  for (std::size_t edge = 0; edge < edges; ++edge) {
    graph.edges.push_back({*rc::gen::inRange<std::size_t>(0, count), *rc::gen::inRange<std::size_t>(0, count),
                           *rc::gen::inRange(-5, 100)});
  }
  return graph;
}

/// A file of that name in a folder of its own.
struct GraphFolder : TemporaryFolder {
  std::string path(const std::string& name) const { return (TemporaryFolder::path() / name).string(); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
};

GraphTables read_written(const GraphFolder& folder, const std::string& name, const std::string& content) {
  folder.write(name, content);
  GraphFiles files;
  files.edges = folder.path(name);
  return read_graph_files(files, {});
}

TEST(GraphFiles, EveryFormatGivesBackWhatWasWritten) {
  const GraphFolder folder;
  rc::check([&] {
    const PlainGraph graph = random_plain_graph();
    EdgeSet expected, without_weights;
    for (const PlainEdge& edge : graph.edges) {
      const auto [first, second] = std::minmax(graph.names[edge.source], graph.names[edge.target]);
      expected.emplace(first, second, std::to_string(edge.weight));
      without_weights.emplace(first, second, "");
    }
    for (const auto& [ending, write] : short_writers()) {
      if (ending == "gexf" && !can_read_gexf()) {
        continue;
      }
      const GraphTables tables = read_written(folder, "g." + ending, write(graph));
      const bool weights = ending != "adjlist";
      RC_ASSERT(nodes_read(tables) == graph.names);
      RC_ASSERT(edges_read(tables, weights) == (weights ? expected : without_weights));
    }
  });
}

TEST(GraphFiles, GzipAndContentNeedNoWord) {
  const GraphFolder folder;
  const PlainGraph graph{{"a", "b", "c"}, {{0, 1, 2}, {1, 2, 3}}};
  for (const auto& [ending, write] : short_writers()) {
    SCOPED_TRACE(ending);
    if ((ending == "gexf" && !can_read_gexf()) || ending == "adjlist") {
      continue;
    }
    const EdgeSet expected = edges_read(read_written(folder, "g." + ending, write(graph)), true);
    EXPECT_EQ(expected.size(), 2U);
    EXPECT_EQ(edges_read(read_written(folder, "g.txt", write(graph)), true), expected);
    if (can_read_gzip()) {
      const std::string packed = gzip_bytes(write(graph));
      EXPECT_EQ(edges_read(read_written(folder, "g." + ending + ".gz", packed), true), expected);
      EXPECT_EQ(edges_read(read_written(folder, "g." + ending, packed), true), expected) << "gzip by its first bytes";
    }
  }
  if (can_read_gzip()) {
    const GraphTables tables = read_written(folder, "g.csv.gz", gzip_bytes("source,target,weight\na,b,2\n"));
    EXPECT_EQ(edges_read(tables, true), (EdgeSet{{"a", "b", "2"}}));
    EXPECT_EQ(tables.edges.where(0), folder.path("g.csv.gz") + ", line 2");
  }
}

TEST(GraphFiles, LinesOfLayersAreKnownByWhatTheyHold) {
  const GraphFolder folder;
  std::string layers, weighted;
  for (int layer = 1; layer <= 3; ++layer) {
    for (int node = 0; node < 8; ++node) {
      for (int step = 1; step <= layer; ++step) {
        layers += std::to_string(layer) + " " + std::to_string(node) + " " + std::to_string((node + step) % 8) + " 1\n";
      }
    }
  }
  for (int node = 0; node < 12; ++node) {  // source, target, weight, time
    for (int step = 1; step <= 3; ++step) {
      weighted += std::to_string(node) + " " + std::to_string((node + step) % 12) + " " + std::to_string(step) + " " +
                  std::to_string(100 * node + step) + "\n";
    }
  }
  const GraphTables tables = read_written(folder, "g.edges", layers);
  EXPECT_EQ(tables.edges.columns, (std::vector<std::string>{"layer", "source", "target", "weight"}));
  ASSERT_EQ(tables.edges.notes.size(), 1U);
  expect_holds(tables.edges.notes[0], "taken for lines of layer, node, node, weight");
  EXPECT_EQ(read_written(folder, "w.edges", weighted).edges.columns[0], "column 1");

  GraphFiles files;
  files.edges = folder.path("g.edges");
  ImportOptions asked;
  asked.source = "1";
  EXPECT_EQ(read_graph_files(files, asked).edges.columns[0], "column 1");
  folder.write("few.edges", "1 a b\n2 b c\n");
  files.edges = folder.path("few.edges");
  files.format = "multilayer";
  EXPECT_EQ(read_graph_files(files, {}).edges.columns, (std::vector<std::string>{"layer", "source", "target"}));
}

TEST(GraphFiles, WhatIsNotClearIsAsked) {
  const GraphFolder folder;
  GraphFiles files;
  files.edges = folder.path("g.xyz");
  folder.write("g.xyz", "a b\n");
  expect_holds(error_text([&] { read_graph_files(files, {}); }), "the format is not clear from its ending or content");
  files.format = "gmll";
  expect_holds(error_text([&] { read_graph_files(files, {}); }), "did you mean 'gml'?");
  files.format = "json";
  files.nodes = folder.path("g.xyz");
  folder.write("g.xyz", R"({"nodes": [], "links": []})");
  expect_holds(error_text([&] { read_graph_files(files, {}); }), "goes with an edge list");
  EXPECT_EQ(input_ending("a/b.GML.gz"), "GML");
  EXPECT_EQ(input_ending("a/b.safetensors"), std::nullopt);
}

TEST(GraphFiles, WhatSpreadsheetsWrite) {
  const GraphFolder folder;
  const std::string text = "source\ttarget\tweight\r\nM\u00FCller\t\u674E\u96F7\t1,5\r\n\U0001F600\tM\u00FCller\t2\r\n";
  const std::u16string wide =
      u"source\ttarget\tweight\r\nM\u00FCller\t\u674E\u96F7\t1,5\r\n\U0001F600\tM\u00FCller\t2\r\n";
  std::string low("\xFF\xFE"), high("\xFE\xFF");
  for (const char16_t letter : wide) {
    low += {static_cast<char>(letter & 0xFF), static_cast<char>(letter >> 8)};
    high += {static_cast<char>(letter >> 8), static_cast<char>(letter & 0xFF)};
  }
  const EdgeSet expected{{"M\u00FCller", "\u674E\u96F7", "1.5"}, {"M\u00FCller", "\U0001F600", "2"}};
  EXPECT_EQ(edges_read(read_written(folder, "utf8.txt", "\xEF\xBB\xBF" + text), true), expected);
  EXPECT_EQ(edges_read(read_written(folder, "low.txt", low), true), expected);
  EXPECT_EQ(edges_read(read_written(folder, "high.txt", high), true), expected);
  const auto refusal = [&](const std::string& bytes) {
    return error_text([&] { read_written(folder, "x.csv", bytes); });
  };
  expect_holds(refusal(low + "x"), "an odd number of bytes");
  expect_holds(refusal(std::string("\xFF\xFE\x00\xD8", 4)), "half a character at byte 2");
  expect_holds(refusal("PK\x03\x04 and so on"), "as spreadsheets are (.xlsx, .ods), and no text");
  expect_holds(refusal("\xD0\xCF\x11\xE0"), "an old spreadsheet (.xls)");
  expect_holds(refusal("from,to\nM\xFCller,b\n"), "is not UTF-8; save the file as UTF-8 (in Excel: CSV UTF-8)");
}

/// The public examples, in every format in which they lie there.
class OwnGraphs : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const data = std::getenv("FACTORGCN_TEST_DATA");
    if (data == nullptr || !std::filesystem::is_directory(std::filesystem::path(data) / "own")) {
      GTEST_SKIP() << "FACTORGCN_TEST_DATA names no folder with own/";
    }
    folder_ = std::filesystem::path(data) / "own";
  }

  std::vector<std::filesystem::path> files_of(const std::string& name) const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      const std::string ending = entry.path().extension().string();
      if (can_read_gexf() || (ending != ".gexf" && ending != ".graphml")) {
        files.push_back(entry.path());
      }
    }
    return files;
  }

  static GraphTables read(const std::filesystem::path& path) {
    GraphFiles files;
    files.edges = path;
    return read_graph_files(files, {});
  }

  std::filesystem::path folder_;
};

TEST_F(OwnGraphs, KarateIsTheSameInEveryFormat) {
  EdgeSet first;
  for (const auto& path : files_of("karate")) {
    SCOPED_TRACE(path.string());
    const GraphTables tables = read(path);
    EXPECT_EQ(nodes_read(tables).size(), 34U);
    const EdgeSet edges = edges_read(tables, false);
    EXPECT_EQ(edges.size(), 78U);
    first = first.empty() ? edges : first;
    EXPECT_EQ(edges, first);
    if (path.extension() != ".adjlist") {
      ImportOptions options;
      options.label = "club";
      EXPECT_EQ(import_graphs(tables, options).dataset.output_names, (std::vector<std::string>{"Mr. Hi", "Officer"}));
    }
  }
}

TEST_F(OwnGraphs, LesMiserablesIsTheSameInEveryFormat) {
  EdgeSet first;
  for (const auto& path : files_of("lesmis")) {
    SCOPED_TRACE(path.string());
    const GraphTables tables = read(path);
    EXPECT_EQ(nodes_read(tables).size(), 77U);
    const EdgeSet edges = edges_read(tables, true);
    EXPECT_EQ(edges.size(), 254U);
    EXPECT_TRUE(edges.contains({"Myriel", "Valjean", "5"}));
    first = first.empty() ? edges : first;
    EXPECT_EQ(edges, first);
  }
}

TEST_F(OwnGraphs, MultilayerCollectionsNeedNoColumns) {
  const std::filesystem::path data = folder_.parent_path() / "multilayer";
  for (const auto& [name, nodes, layers] :
       {std::tuple{"CS-Aarhus", 61, 5}, std::tuple{"Krackhardt-High-Tech", 21, 3}}) {
    const GraphTables tables = read(data / name / (std::string(name) + "_multiplex.edges"));
    const Dataset dataset = import_graphs(tables, {}).dataset;
    EXPECT_EQ(dataset.graphs.num_nodes(), nodes);
    EXPECT_EQ(dataset.truth.num_types(), layers);
  }
}

}  // namespace
}  // namespace factorgcn
