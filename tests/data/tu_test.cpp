// Text of the TU layout becomes the data set that it describes, or one line that says where it is wrong.
#include "factorgcn/data/tu.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <string>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

using Files = std::map<std::string, std::string>;

/// Hands out a file in pieces of a few bytes, so that every cut inside a line, a number or a line end occurs.
class CutSource : public FileSource {
 public:
  CutSource(Files files, std::size_t bytes) : files_(std::move(files)), bytes_(bytes) {}
  std::string origin() const override { return "memory"; }
  std::vector<std::string> names() const override { return MemorySource(files_).names(); }
  void read(const std::string& name, const Consume& consume) const override {
    std::string_view rest = files_.at(name);
    for (; !rest.empty(); rest.remove_prefix(std::min(bytes_, rest.size()))) {
      consume(std::string(rest.substr(0, bytes_)));
    }
  }

 private:
  Files files_;
  std::size_t bytes_;
};

/// Two graphs: a path of three nodes with both directions of each edge, and an edge in one direction with a self loop.
Files two_graphs() {
  return {{"T_A.txt", "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 5\n"}, {"T_graph_indicator.txt", "1\n1\n1\n2\n2\n"}};
}

Files with(Files files, const std::string& kind, const std::string& text) {
  files["T_" + kind + ".txt"] = text;
  return files;
}

TuTables read(const Files& files) { return read_tu(MemorySource(files), "T"); }

Dataset make(const Files& files, const TuDatasetOptions& options = {}) {
  Dataset dataset = make_tu_dataset(read(files), options);
  check_dataset(dataset);
  return dataset;
}

std::string refusal(const Files& files) {
  return error_text([&] { read(files); });
}

template <class Value>
std::vector<Value> values_of(const at::Tensor& tensor) {
  const auto* first = tensor.data_ptr<Value>();
  return {first, first + tensor.numel()};
}

using Ids = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

TEST(ReadTu, TakesIdsFromZero) {
  const TuTables tables = read(with(two_graphs(), "graph_labels", "7\n-1\n"));
  EXPECT_EQ(tables.num_graphs, 2);
  EXPECT_EQ(tables.node_graph, (Ids{0, 0, 0, 1, 1}));
  EXPECT_EQ(tables.edge_source, (Ids{0, 1, 1, 2, 3, 4}));
  EXPECT_EQ(tables.edge_target, (Ids{1, 0, 2, 1, 4, 4}));
  EXPECT_EQ(tables.graph_labels, (Longs{7, -1}));
  EXPECT_TRUE(tables.edge_labels.empty());
  EXPECT_TRUE(tables.node_labels.empty());
}

TEST(ReadTu, TakesEverySeparatorAndLineEnd) {
  const Ids sources{0, 1, 1, 2, 3, 4}, targets{1, 0, 2, 1, 4, 4};
  for (const std::string text : {"1,2\n2,1\n2,3\n3,2\n4,5\n5,5", "1 2\r\n2 1\r\n2 3\r\n3 2\r\n4 5\r\n5 5\r\n",
                                 "1\t2\n2\t1\n 2   3 \n3 ,2\n4 , 5\n\t5,\t5\n\n\r\n  \n",
                                 "\xEF\xBB\xBF"
                                 "1, 2\n2, 1\n2, 3\n3, 2\n+4, 05\n5, 5\r"}) {
    for (const std::size_t bytes : {1U, 2U, 3U, 7U, 1000U}) {
      const CutSource source(with(two_graphs(), "A", text), bytes);
      const TuTables tables = read_tu(source, "T");
      EXPECT_EQ(tables.edge_source, sources) << text << bytes;
      EXPECT_EQ(tables.edge_target, targets) << text << bytes;
    }
  }
}

TEST(ReadTu, TakesAttributesAndLabels) {
  Files files = with(two_graphs(), "node_attributes", "1.5,-2\n+3e2, .25\n0 1e-60\n1e-42\t0\n1,1\n");
  files = with(files, "node_labels", "1, 2\n-9223372036854775808,9223372036854775807\n0,0\n0,0\n0,0\n");
  files = with(files, "edge_attributes", "1\n2\n3\n4\n5\n6\n");
  const TuTables tables = read(with(files, "graph_attributes", "0.5\n-1\n"));
  EXPECT_EQ(tables.node_attributes.columns, 2);
  EXPECT_EQ(tables.node_attributes.values, (std::vector<float>{1.5F, -2, 300, 0.25F, 0, 0, 1e-42F, 0, 1, 1}));
  EXPECT_EQ(tables.node_labels.values[2], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(tables.node_labels.values[3], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(tables.edge_attributes.rows(), 6);
  EXPECT_EQ(tables.graph_attributes.values, (std::vector<float>{0.5F, -1}));
}

TEST(ReadTu, RefusesBadEdges) {
  const auto edges = [](const std::string& text) { return refusal(with(two_graphs(), "A", text)); };
  EXPECT_EQ(edges("1, 2\n3, 4\n"),
            "memory: T_A.txt line 2: found '3, 4', expected two nodes of one graph: node 3 is in graph 1, node 4 in "
            "graph 2");
  EXPECT_EQ(edges("1, 2\n2, 1\n0, 1\n"), "memory: T_A.txt line 3: found '0', expected a node id in 1 .. 5");
  EXPECT_EQ(edges("1, -2\n"), "memory: T_A.txt line 1: found '-2', expected a node id in 1 .. 5");
  EXPECT_EQ(edges("1, 6\n"), "memory: T_A.txt line 1: found '6', expected a node id in 1 .. 5");
  EXPECT_EQ(edges("1, 99999999999999999999\n"),
            "memory: T_A.txt line 1: found '99999999999999999999', expected a node id in 1 .. 5");
  EXPECT_EQ(edges("1, 4294967298\n"), "memory: T_A.txt line 1: found '4294967298', expected a node id in 1 .. 5");
  EXPECT_EQ(edges("1, two\n"), "memory: T_A.txt line 1: found 'two', expected a node id");
  EXPECT_EQ(edges("1, 2.0\n"), "memory: T_A.txt line 1: found '2.0', expected a node id");
  EXPECT_EQ(edges("1, 2\n1\n"), "memory: T_A.txt line 2: found '1', expected two values, an edge's source and target");
  EXPECT_EQ(edges("1, 2, 3\n"),
            "memory: T_A.txt line 1: found '1, 2, 3', expected two values, an edge's source and target");
  EXPECT_EQ(edges("1,,2\n"), "memory: T_A.txt line 1: found ',', expected a value before the comma");
  EXPECT_EQ(edges("1,2,\n"), "memory: T_A.txt line 1: found ',', expected a value behind the last comma");
  EXPECT_EQ(edges("1, 2\n\n \n2, 1\n"),
            "memory: T_A.txt line 2: found an empty line, expected values: more of them follow");
  EXPECT_EQ(edges(""), "memory: T_A.txt line 1: found an empty file, expected one line at least");
  EXPECT_EQ(edges("\xEF\xBB\xBF\n\n"), "memory: T_A.txt line 1: found an empty file, expected one line at least");
  EXPECT_EQ(edges(std::string("1, \0\n", 5)), "memory: T_A.txt line 1: found '?', expected a node id");
  // Found text is cut and stays one line.
  EXPECT_LT(edges("1, " + std::string(100'000, 'x') + "\n").size(), 200U);
}

TEST(ReadTu, KnowsTheLineHoweverTheTextIsCut) {
  std::string text;
  for (int line = 0; line < 500; ++line) {
    text += "1, 2\n";
  }
  text += "1 ,  2\n1, 3\n1, 4\n";
  for (const std::size_t bytes : {1U, 4U, 5U, 64U, 100'000U}) {
    EXPECT_NE(error_text([&] {
                read_tu(CutSource(with(two_graphs(), "A", text), bytes), "T");
              }).find("T_A.txt line 503: found '1, 4'"),
              std::string::npos)
        << bytes;
  }
}

TEST(ReadTu, RefusesBadGraphNumbers) {
  const auto graphs = [](const std::string& text) { return refusal(with(two_graphs(), "graph_indicator", text)); };
  const std::string start = "memory: T_graph_indicator.txt line ";
  EXPECT_EQ(graphs("1\n1\n1\n3\n3\n"),
            start + "4: found graph 3, expected a node in each graph up to it: graph 2 has none");
  EXPECT_EQ(graphs("1\n2147483647\n1\n1\n1\n"),
            start + "2: found graph 2147483647, expected a node in each graph up to it: graph 2 has none");
  EXPECT_EQ(graphs("1\n0\n"), start + "2: found '0', expected a graph's number in 1 .. 2147483647");
  EXPECT_EQ(graphs("1\n2147483648\n"), start + "2: found '2147483648', expected a graph's number in 1 .. 2147483647");
  EXPECT_EQ(graphs("1 1\n"), start + "1: found '1 1', expected one value, a graph's number");
  EXPECT_EQ(graphs("one\n"), start + "1: found 'one', expected a graph's number");
}

TEST(ReadTu, RefusesFilesThatDisagree) {
  EXPECT_EQ(refusal(with(two_graphs(), "graph_labels", "1\n")),
            "memory: T_graph_labels.txt line 2: found the end of the file after 1 lines, expected 2, one per graph of "
            "T_graph_indicator.txt");
  EXPECT_EQ(refusal(with(two_graphs(), "graph_labels", "1\n2\n3\n")),
            "memory: T_graph_labels.txt line 3: found '3', expected the end of the file: T_graph_indicator.txt has 2 "
            "graphs");
  EXPECT_EQ(refusal(with(two_graphs(), "edge_labels", "1\n1\n1\n1\n1\n1\n1\n")),
            "memory: T_edge_labels.txt line 7: found '1', expected the end of the file: T_A.txt has 6 edges");
  EXPECT_EQ(refusal(with(two_graphs(), "node_labels", "1\n1\n1\n1\n")),
            "memory: T_node_labels.txt line 5: found the end of the file after 4 lines, expected 5, one per node of "
            "T_graph_indicator.txt");
  EXPECT_EQ(refusal(with(two_graphs(), "node_attributes", "1,2\n1,2\n1\n1,2\n1,2\n")),
            "memory: T_node_attributes.txt line 3: found '1', expected 2 values as on the lines before, not 1");
  EXPECT_EQ(refusal(with(two_graphs(), "graph_labels", "")),
            "memory: T_graph_labels.txt line 1: found an empty file, expected one line at least");
}

TEST(ReadTu, RefusesBadValues) {
  const auto attributes = [](const std::string& value) {
    return refusal(with(two_graphs(), "graph_attributes", "1\n" + value + "\n"));
  };
  const std::string start = "memory: T_graph_attributes.txt line 2: found ";
  EXPECT_EQ(attributes("nan"), start + "'nan', expected a number that is finite");
  EXPECT_EQ(attributes("-inf"), start + "'-inf', expected a number that is finite");
  EXPECT_EQ(attributes("1e39"), start + "'1e39', expected a number that 32 bits can hold");
  EXPECT_EQ(attributes("-1e99999"), start + "'-1e99999', expected a number that 32 bits can hold");
  EXPECT_EQ(attributes("1.5x"), start + "'1.5x', expected a number");
  EXPECT_EQ(attributes("+-1"), start + "'+-1', expected a number");
  EXPECT_EQ(attributes("0x10"), start + "'0x10', expected a number");
  EXPECT_EQ(refusal(with(two_graphs(), "graph_labels", "1\n9223372036854775808\n")),
            "memory: T_graph_labels.txt line 2: found '9223372036854775808', expected an integer label, and no larger "
            "one than 64 bits hold");
  EXPECT_EQ(refusal(with(two_graphs(), "graph_labels", "1\n1.5\n")),
            "memory: T_graph_labels.txt line 2: found '1.5', expected an integer label");
}

TEST(ReadTu, RefusesMissingFiles) {
  for (const char* file : {"T_A.txt", "T_graph_indicator.txt"}) {
    Files files = two_graphs();
    files.erase(file);
    EXPECT_EQ(refusal(files), std::string("memory: the file ") + file +
                                  " is missing; the data set T needs T_A.txt and T_graph_indicator.txt");
  }
}

TEST(MakeTuDataset, AddsReversesAndSelfLoops) {
  const Dataset dataset = make(two_graphs());
  EXPECT_EQ(dataset.name, "T");
  EXPECT_EQ(dataset.added_self_loops, 4);  // node 5 has its own
  EXPECT_EQ(values_of<std::int64_t>(dataset.graphs.node_offsets), (Longs{0, 3, 5}));
  EXPECT_EQ(values_of<std::int64_t>(dataset.graphs.edge_offsets), (Longs{0, 7, 11}));
  // In-edges of each node: those of the file, then the added reverse, then the self loop.
  EXPECT_EQ(values_of<std::int32_t>(dataset.graphs.in_degrees), (Ids{2, 3, 2, 2, 2}));
  EXPECT_EQ(values_of<std::int32_t>(dataset.graphs.in_sources), (Ids{1, 0, 0, 2, 1, 1, 2, 1, 0, 0, 1}));
  EXPECT_EQ(dataset.task, Task::kNone);
  EXPECT_EQ(dataset.num_outputs, 0);
  EXPECT_TRUE(dataset.truth.type_names.empty());
  EXPECT_EQ(dataset.truth.num_graphs(), 0);
}

TEST(MakeTuDataset, LeavesSelfLoopsToTheFileWhereAsked) {
  TuDatasetOptions options;
  options.self_loops = false;
  options.dataset_name = "mine";
  const Dataset dataset = make(two_graphs(), options);
  EXPECT_EQ(dataset.name, "mine");
  EXPECT_EQ(dataset.added_self_loops, 0);
  EXPECT_EQ(values_of<std::int64_t>(dataset.graphs.edge_offsets), (Longs{0, 4, 7}));
}

TEST(MakeTuDataset, TakesNodesInAnyOrder) {
  // Nodes 1, 3 are graph 2; nodes 2, 4, 5 are graph 1; edges of both graphs alternate.
  Files files{{"T_graph_indicator.txt", "2\n1\n2\n1\n1\n"}, {"T_A.txt", "1, 3\n2, 4\n3, 1\n4, 2\n5, 2\n2, 5\n"}};
  files = with(files, "node_attributes", "10\n20\n30\n40\n50\n");
  TuDatasetOptions options;
  options.self_loops = false;
  const Dataset dataset = make(with(files, "edge_labels", "7\n1\n7\n1\n2\n2\n"), options);
  EXPECT_EQ(values_of<std::int64_t>(dataset.graphs.node_offsets), (Longs{0, 3, 5}));
  EXPECT_EQ(values_of<float>(dataset.graphs.features), (std::vector<float>{20, 40, 50, 10, 30}));
  EXPECT_EQ(values_of<std::int32_t>(dataset.graphs.in_sources), (Ids{1, 2, 0, 0, 1, 0}));
  ASSERT_EQ(dataset.truth.num_types(), 3);
  ASSERT_EQ(dataset.truth.num_parts(0), 2);
  ASSERT_EQ(dataset.truth.num_parts(1), 1);
  EXPECT_EQ(dataset.truth.part(1, 0).type, 2);
  EXPECT_EQ(dataset.truth.part(0, 1).type, 1);
  EXPECT_EQ(Ids(dataset.truth.part(0, 1).sources.begin(), dataset.truth.part(0, 1).sources.end()), (Ids{2, 0}));
}

/// The slow way: one Graph per graph, with the functions of graph/graph.h.
GraphStore store_by_graphs(const TuTables& tables, bool self_loops) {
  std::vector<Graph> graphs(static_cast<std::size_t>(tables.num_graphs));
  std::vector<std::int32_t> local;
  for (const std::int32_t graph : tables.node_graph) {
    local.push_back(static_cast<std::int32_t>(graphs[static_cast<std::size_t>(graph)].num_nodes++));
  }
  for (std::size_t edge = 0; edge < tables.edge_source.size(); ++edge) {
    const auto source = static_cast<std::size_t>(tables.edge_source[edge]);
    Graph& graph = graphs[static_cast<std::size_t>(tables.node_graph[source])];
    graph.source.push_back(local[source]);
    graph.target.push_back(local[static_cast<std::size_t>(tables.edge_target[edge])]);
  }
  for (Graph& graph : graphs) {
    make_undirected(graph);
    if (self_loops) {
      add_self_loops(graph);
    }
    graph.features = at::tensor(Longs(static_cast<std::size_t>(graph.num_nodes), 0));
  }
  return make_store(graphs);
}

TEST(MakeTuDataset, GivesTheStoreThatSingleGraphsGive) {
  EXPECT_TRUE(rc::check("edge orders, whatever the order of nodes and edges", [] {
    const auto nodes = *rc::gen::inRange<std::int32_t>(1, 12);
    TuTables tables;
    tables.name = "T";
    // Graph numbers without a gap, in any order.
    tables.num_graphs = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(nodes, 3) + 1);
    for (std::int32_t node = 0; node < nodes; ++node) {
      tables.node_graph.push_back(
          node < tables.num_graphs ? node
                                   : *rc::gen::inRange<std::int32_t>(0, static_cast<std::int32_t>(tables.num_graphs)));
    }
    const auto wanted = *rc::gen::inRange<int>(0, 40);
    for (int edge = 0; edge < wanted; ++edge) {
      const auto source = *rc::gen::inRange<std::int32_t>(0, nodes);
      const auto target = *rc::gen::inRange<std::int32_t>(0, nodes);
      if (tables.node_graph[static_cast<std::size_t>(source)] == tables.node_graph[static_cast<std::size_t>(target)]) {
        tables.edge_source.push_back(source);
        tables.edge_target.push_back(target);
      }
    }
    TuDatasetOptions options;
    options.self_loops = *rc::gen::arbitrary<bool>();
    const GraphStore expected = store_by_graphs(tables, options.self_loops);
    const Dataset dataset = make_tu_dataset(std::move(tables), options);
    RC_ASSERT(at::equal(dataset.graphs.node_offsets, expected.node_offsets));
    RC_ASSERT(at::equal(dataset.graphs.edge_offsets, expected.edge_offsets));
    RC_ASSERT(at::equal(dataset.graphs.in_degrees, expected.in_degrees));
    RC_ASSERT(at::equal(dataset.graphs.in_sources, expected.in_sources));
    RC_ASSERT(at::equal(dataset.graphs.out_degrees, expected.out_degrees));
    RC_ASSERT(at::equal(dataset.graphs.out_targets, expected.out_targets));
    RC_ASSERT(at::equal(dataset.graphs.in_to_out, expected.in_to_out));
  }));
}

TEST(MakeTuDataset, IsTheSameForAnyNumberOfThreads) {
  // Large enough for several tasks: stars of different sizes, spokes in one direction only.
  TuTables tables;
  tables.name = "stars";
  std::int32_t node = 0;
  for (std::int32_t graph = 0; graph < 2000; ++graph) {
    const std::int32_t hub = node;
    const std::int32_t leaves = 100 + graph % 113;
    for (std::int32_t leaf = 0; leaf <= leaves; ++leaf, ++node) {
      tables.node_graph.push_back(graph);
      if (leaf > 0) {
        tables.edge_source.push_back(node);
        tables.edge_target.push_back(hub);
      }
    }
  }
  tables.num_graphs = 2000;
  const int threads = num_threads();
  set_num_threads(1);
  TuTables copy = tables;
  const Dataset one = make_tu_dataset(std::move(copy), {});
  set_num_threads(3);
  const Dataset three = make_tu_dataset(std::move(tables), {});
  set_num_threads(threads);
  EXPECT_EQ(one.added_self_loops, node);
  EXPECT_EQ(one.graphs.num_edges(), 3 * std::int64_t{node} - 2 * 2000);
  EXPECT_TRUE(at::equal(one.graphs.in_sources, three.graphs.in_sources));
  EXPECT_TRUE(at::equal(one.graphs.in_to_out, three.graphs.in_to_out));
  EXPECT_TRUE(at::equal(one.graphs.features, three.graphs.features));
}

TEST(MakeTuDataset, NumbersClassesInRisingOrder) {
  const Dataset dataset = make(with(two_graphs(), "graph_labels", "1\n-1\n"));
  EXPECT_EQ(dataset.task, Task::kGraphClass);
  EXPECT_EQ(dataset.num_outputs, 2);
  EXPECT_EQ(values_of<std::int64_t>(dataset.targets), (Longs{1, 0}));
  EXPECT_EQ(dataset.output_names, (std::vector<std::string>{"-1", "1"}));
}

TEST(MakeTuDataset, TakesAttributesOfGraphsForRegression) {
  const Dataset dataset = make(with(two_graphs(), "graph_attributes", "0.5, 1\n2, -3\n"));
  EXPECT_EQ(dataset.task, Task::kRegression);
  EXPECT_EQ(dataset.num_outputs, 2);
  EXPECT_EQ(values_of<float>(dataset.targets), (std::vector<float>{0.5F, 1, 2, -3}));
}

TEST(MakeTuDataset, TakesNodeTypesFromDegrees) {
  const Dataset all = make(two_graphs());
  EXPECT_EQ(all.num_node_types, 4);
  EXPECT_EQ(values_of<std::int64_t>(all.graphs.features), (Longs{2, 3, 2, 2, 2}));
  TuDatasetOptions options;
  options.degree_columns = 3;
  const Dataset clamped = make(two_graphs(), options);
  EXPECT_EQ(clamped.num_node_types, 3);
  EXPECT_EQ(values_of<std::int64_t>(clamped.graphs.features), (Longs{2, 2, 2, 2, 2}));
}

TEST(MakeTuDataset, TakesNodeTypesFromLabels) {
  const Dataset ranked = make(with(two_graphs(), "node_labels", "9, 0\n-4, 1\n9, 2\n5, 3\n5, 4\n"));
  EXPECT_EQ(ranked.num_node_types, 3);
  EXPECT_EQ(values_of<std::int64_t>(ranked.graphs.features), (Longs{2, 0, 2, 1, 1}));
  TuDatasetOptions options;
  options.node_types = 10;
  const Files labelled = with(two_graphs(), "node_labels", "9\n0\n9\n5\n5\n");
  const Dataset declared = make(labelled, options);
  EXPECT_EQ(declared.num_node_types, 10);
  EXPECT_EQ(values_of<std::int64_t>(declared.graphs.features), (Longs{9, 0, 9, 5, 5}));
  options.node_types = 9;
  EXPECT_EQ(error_text([&] { make(labelled, options); }),
            "memory: T_node_labels.txt line 1: found '9', expected a label in 0 .. 8");
}

TEST(MakeTuDataset, PutsOneHotLabelsBehindAttributes) {
  Files files = with(two_graphs(), "node_attributes", "0.5\n1\n2\n3\n4\n");
  const Dataset dataset = make(with(files, "node_labels", "3\n-1\n3\n3\n-1\n"));
  EXPECT_EQ(dataset.num_node_types, 0);
  EXPECT_EQ(dataset.graphs.features.size(1), 3);
  EXPECT_EQ(values_of<float>(dataset.graphs.features),
            (std::vector<float>{0.5F, 0, 1, 1, 1, 0, 2, 0, 1, 3, 0, 1, 4, 1, 0}));
}

TEST(MakeTuDataset, RefusesOneHotLabelsBeyondMemory) {
  TuTables tables;
  tables.name = "T";
  tables.origin = "memory";
  tables.num_graphs = 1;
  tables.node_graph.assign(20'000, 0);
  tables.node_attributes = {1, std::vector<float>(20'000, 1.0F)};
  tables.node_labels.columns = 1;
  for (std::int64_t label = 0; label < 20'000; ++label) {
    tables.node_labels.values.push_back(label);
  }
  EXPECT_NE(error_text([&] {
              make_tu_dataset(std::move(tables), {});
            }).find("memory: T_node_labels.txt has 20000 different labels for 20000 nodes: too many"),
            std::string::npos);
}

TEST(MakeTuDataset, TakesTruthFromEdgeLabels) {
  // Graph 2: one direction in the file, a parallel edge with another label, and a labelled self loop.
  Files files{{"T_graph_indicator.txt", "1\n1\n1\n2\n2\n"}, {"T_A.txt", "1,2\n2,1\n2,3\n3,2\n4,5\n4,5\n5,5\n"}};
  files = with(files, "edge_labels", "4\n4\n-2\n-2\n4\n6\n6\n");
  const Dataset dataset = make(files);
  const GroundTruth& truth = dataset.truth;
  EXPECT_EQ(truth.type_names, (std::vector<std::string>{"-2", "4", "6"}));
  EXPECT_EQ(truth.part_offsets, (Longs{0, 2, 4}));
  EXPECT_EQ(truth.part_types, (Ids{0, 1, 1, 2}));
  EXPECT_EQ(truth.entry_offsets, (Longs{0, 2, 4, 6, 8}));
  EXPECT_EQ(truth.entry_sources, (Ids{1, 2, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(truth.entry_targets, (Ids{2, 1, 1, 0, 1, 0, 1, 0}));
  // The parallel edges stay, and ask for one reverse together.
  EXPECT_EQ(values_of<std::int32_t>(dataset.graphs.in_sources), (Ids{1, 0, 0, 2, 1, 1, 2, 1, 0, 0, 0, 1}));
}

TEST(MakeTuDataset, CallsRelationsByTheirNames) {
  const Files files = with(two_graphs(), "edge_labels", "1\n1\n2\n2\n5\n5\n");
  const auto names = [&](const std::string& text) {
    return make(with(files, "edge_label_names", text)).truth.type_names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("5\tTRIPLE\n1\tSINGLE\n9\tNONE\n2, a double bond\n"), (Names{"SINGLE", "a double bond", "TRIPLE"}));
  EXPECT_EQ(names("1 one\n"), (Names{"one", "2", "5"}));
  EXPECT_EQ(names("one\ntwo\nfive\n"), (Names{"one", "two", "five"}));
  EXPECT_EQ(names("one\ntwo\n"), (Names{"1", "2", "5"}));
  EXPECT_EQ(error_text([&] { names("1 \xFF\n"); }),
            "memory: T_edge_label_names.txt line 1: found '1 ?', expected a name in plain UTF-8");
}

}  // namespace
}  // namespace factorgcn
