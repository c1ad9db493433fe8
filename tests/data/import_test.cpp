// Import: each table's columns end up where they belong, and every refusal names file, line and value.
#include "factorgcn/data/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error_text.h"
#include "data/delimited_text.h"
#include "data/import_split.h"
#include "factorgcn/data/random_split.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {
namespace {

TextTable table(const std::string& origin, const std::string& text, Header header = Header::kYes) {
  DelimitedOptions options;
  options.header = header;
  return read_delimited(text, origin, options);
}

GraphTables edges_only(const std::string& edges, Header header = Header::kYes) {
  GraphTables tables;
  tables.edges = table("e.csv", edges, header);
  return tables;
}

GraphTables with_nodes(const std::string& edges, const std::string& nodes) {
  GraphTables tables = edges_only(edges);
  tables.nodes = table("n.csv", nodes);
  return tables;
}

GraphTables with_graphs(const std::string& edges, const std::string& graphs) {
  GraphTables tables = edges_only(edges);
  tables.graphs = table("g.csv", graphs);
  return tables;
}

using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;

/// The edges of a graph as pairs of numbers within it.
Pairs pairs_of(const Dataset& dataset, std::int64_t graph) {
  const GraphBatch batch = select_graphs(dataset.graphs, std::vector<std::int64_t>{graph});
  Pairs pairs;
  for (std::int64_t node = 0; node < batch.num_nodes(); ++node) {
    const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    for (std::int64_t edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
      EXPECT_TRUE(pairs.emplace(batch.edges.in_sources.data_ptr<std::int32_t>()[edge], node).second) << "twice";
    }
  }
  return pairs;
}

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

std::vector<std::int64_t> whole_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.contiguous();
  return {values.data_ptr<std::int64_t>(), values.data_ptr<std::int64_t>() + values.numel()};
}

bool has_note(const Imported& imported, const std::string& part) {
  return std::any_of(imported.notes.begin(), imported.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

std::string notes_of(const Imported& imported) {
  std::string all;
  for (const std::string& note : imported.notes) {
    all += note + "\n";
  }
  return all;
}

void expect_error(const GraphTables& tables, const ImportOptions& options, const std::vector<std::string>& parts) {
  const std::string text = error_text([&] { import_graphs(tables, options); });
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
  }
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

void expect_misuse(const GraphTables& tables, const ImportOptions& options, const std::vector<std::string>& parts) {
  EXPECT_NE(usage_error_text([&] { import_graphs(tables, options); }), "no usage error");
  expect_error(tables, options, parts);
}

TEST(Import, EdgesAloneGiveOneGraphWithDegreesAsTypes) {
  const Imported imported = import_graphs(edges_only("a b\nb c\nb a\na a\n", Header::kNo), {});
  const Dataset& dataset = imported.dataset;
  EXPECT_EQ(dataset.task, Task::kNone);
  EXPECT_EQ(dataset.num_outputs, 0);
  EXPECT_FALSE(dataset.targets.defined());
  EXPECT_EQ(dataset.graphs.num_graphs(), 1);
  EXPECT_EQ(dataset.node_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(dataset.graph_names.empty());
  EXPECT_EQ(pairs_of(dataset, 0), (Pairs{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(dataset.added_self_loops, 2);
  EXPECT_EQ(whole_of(dataset.graphs.features), (std::vector<std::int64_t>{2, 3, 2}));
  EXPECT_EQ(dataset.num_node_types, 4);
  EXPECT_TRUE(dataset.truth.empty());
  EXPECT_TRUE(has_note(imported, "1 line repeats an edge (in either direction) and was merged")) << notes_of(imported);
  EXPECT_EQ(imported.ends, "column 1 and column 2");
}

TEST(Import, DirectionAndSelfLoopsCanBeKeptAsTheyAre) {
  ImportOptions options;
  options.directed = true;
  options.self_loops = false;
  const Imported imported = import_graphs(edges_only("a b\nb c\nb a\na a\na b\n", Header::kNo), options);
  EXPECT_EQ(pairs_of(imported.dataset, 0), (Pairs{{0, 1}, {1, 0}, {1, 2}, {0, 0}}));
  EXPECT_EQ(imported.dataset.added_self_loops, 0);
  EXPECT_EQ(whole_of(imported.dataset.graphs.features), (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_TRUE(has_note(imported, "1 line repeats an edge and was merged")) << notes_of(imported);
}

TEST(Import, FormatsThatKnowDirectionsAreFollowedWhenAsked) {
  GraphTables tables = edges_only("a b\nb c\n", Header::kNo);
  tables.edge_is_directed = {true, false};
  ImportOptions options;
  options.self_loops = false;
  EXPECT_TRUE(has_note(import_graphs(tables, options), "--directed keeps the one"));
  options.directed = true;
  EXPECT_EQ(pairs_of(import_graphs(tables, options).dataset, 0), (Pairs{{0, 1}, {1, 2}, {2, 1}}));
}

TEST(Import, RelationsBecomeGroundTruth) {
  const Imported imported =
      import_graphs(edges_only("source,target,relation,weight,when\n"
                               "a,b,work,1,x\nb,a,lunch,1,x\nb,c,lunch,1,x\nc,b,lunch,2,x\na,c,NA,1,x\n"),
                    {});
  const Dataset& dataset = imported.dataset;
  EXPECT_EQ(dataset.truth.type_names, (std::vector<std::string>{"work", "lunch"}));
  ASSERT_EQ(dataset.truth.num_graphs(), 1);
  ASSERT_EQ(dataset.truth.num_parts(0), 2);
  const auto part = [&](std::int64_t index) {
    const GroundTruth::Part found = dataset.truth.part(0, index);
    Pairs pairs;
    for (std::size_t entry = 0; entry < found.sources.size(); ++entry) {
      pairs.emplace(found.sources[entry], found.targets[entry]);
    }
    EXPECT_EQ(pairs.size(), found.sources.size());
    return pairs;
  };
  EXPECT_EQ(part(0), (Pairs{{0, 1}, {1, 0}}));
  EXPECT_EQ(part(1), (Pairs{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_EQ(dataset.graphs.num_edges() - dataset.added_self_loops, 6);  // a-b, b-c, a-c
  EXPECT_TRUE(has_note(imported, "not used in e.csv: 'when'")) << notes_of(imported);
  EXPECT_TRUE(has_note(imported, "1 edge without a relation")) << notes_of(imported);
  EXPECT_TRUE(has_note(imported, "1 line repeats")) << notes_of(imported);
}

TEST(Import, WeightsOfRepeatedEdgesAreAdded) {
  const char* const rows = "source,target,weight\na,b,1\nb,a,2\nb,b,4\nb,c,0.5\na,b,0.25\n";
  ImportOptions options;
  const Imported imported = import_graphs(edges_only(rows), options);
  EXPECT_EQ(imported.weights, "'weight'");
  EXPECT_FALSE(imported.dataset.directed);
  // Into a: from b and itself; into b: from a, itself and c; into c. Added self loops weigh the mean of the others.
  const float mean = (3.25F + 3.25F + 4 + 0.5F + 0.5F) / 5;
  EXPECT_EQ(values_of(imported.dataset.graphs.edge_weights),
            (std::vector<float>{3.25F, mean, 3.25F, 4, 0.5F, 0.5F, mean}));
  EXPECT_TRUE(has_note(imported, "weights were added")) << notes_of(imported);
  check_dataset(imported.dataset);

  options.directed = true;
  options.self_loops = false;
  const Dataset directed = import_graphs(edges_only(rows), options).dataset;
  EXPECT_TRUE(directed.directed);
  EXPECT_EQ(values_of(directed.graphs.edge_weights), (std::vector<float>{2, 1.25F, 4, 0.5F}));
  options.edge_weight = "none";
  EXPECT_FALSE(import_graphs(edges_only(rows), options).dataset.graphs.edge_weights.defined());
}

TEST(Import, AWeightThatIsNoneNamesItsLine) {
  EXPECT_EQ(error_text([] { import_graphs(edges_only("source,target,weight\na,b,1\nb,c,x\n"), {}); }),
            "e.csv, line 3: 'weight' is 'x'; the weight of an edge must be a finite number (--edge-weight none leaves "
            "weights out)");
  EXPECT_EQ(error_text([] { import_graphs(edges_only("source,target,weight\na,b,\n"), {}); }),
            "e.csv, line 2: 'weight' is ''; the weight of an edge must be a finite number (--edge-weight none leaves "
            "weights out)");
}

TEST(Import, ListsOfColumnAndValueBecomeSparseFeatures) {
  std::string nodes = "node,words,age\n";
  for (int node = 0; node < 5; ++node) {
    nodes += "n" + std::to_string(node) + "," + std::to_string(node) + ":1 " + std::to_string(300 + node) + ":0.5 " +
             std::to_string(node) + ":2," + std::to_string(node) + "\n";
  }
  const Imported imported = import_graphs(with_nodes("a,b\nn0,n1\n", nodes + "n5,,7\n"), {});
  const at::Tensor& features = imported.dataset.graphs.features;
  ASSERT_TRUE(is_sparse(features));
  EXPECT_EQ(features.size(1), 306);
  EXPECT_EQ(imported.dataset.feature_names[304], "words:304");
  EXPECT_EQ(imported.dataset.feature_names[305], "age");
  const at::Tensor dense = dense_features(features);
  EXPECT_EQ(dense[2][2].item<float>(), 3);  // 1 + 2: columns named twice are added
  EXPECT_EQ(dense[2][302].item<float>(), 0.5F);
  EXPECT_EQ(dense[5][305].item<float>(), 7);
  EXPECT_EQ(dense.ne(0).sum().item<std::int64_t>(), 5 * 2 + 5);
  check_dataset(imported.dataset);

  // Few columns are as well dense, and a time of day is a word.
  const Dataset narrow = import_graphs(with_nodes("a,b\nx,y\n", "node,bag\nx,0:1 2:4\ny,1:2\n"), {}).dataset;
  EXPECT_EQ(values_of(narrow.graphs.features), (std::vector<float>{1, 0, 4, 0, 2, 0}));
  ImportOptions options;
  options.features = {"at"};
  const Dataset times = import_graphs(with_nodes("a,b\nx,y\n", "node,at\nx,12:30\ny,12:45\n"), options).dataset;
  EXPECT_EQ(times.feature_names, (std::vector<std::string>{"at=12:30", "at=12:45"}));
  EXPECT_EQ(error_text([] { import_graphs(with_nodes("a,b\nx,y\n", "node,bag\nx,0:1 2:4\ny,999999999:2\n"), {}); }),
            "n.csv, line 3: 'bag' names the column 999999999; up to 2097151 are possible");
}

TEST(Import, WideTablesOfZerosBecomeSparse) {
  std::string header = "node", one = "x", other = "y";
  for (int column = 0; column < 300; ++column) {
    header += ",w" + std::to_string(column);
    one += column == 7 ? ",2" : ",0";
    other += column == 290 ? ",-1" : ",0";
  }
  const Dataset dataset =
      import_graphs(with_nodes("a,b\nx,y\n", header + "\n" + one + "\n" + other + "\n"), {}).dataset;
  ASSERT_TRUE(is_sparse(dataset.graphs.features));
  const SparseRows rows = sparse_rows(dataset.graphs.features);
  EXPECT_EQ(rows.entries(), 2);
  EXPECT_EQ(dense_features(dataset.graphs.features)[1][290].item<float>(), -1);
}

TEST(Import, FeaturesKeepTheirNames) {
  const Dataset named =
      import_graphs(with_nodes("a,b\nx,y\n", "node,age,city,place\nx,1,Rome,0 1\ny,2,Oslo,2 3\n"), {}).dataset;
  // Two towns for two nodes are names, not features.
  EXPECT_EQ(named.feature_names, (std::vector<std::string>{"age", "place[1]", "place[2]"}));
  ImportOptions options;
  options.features = {"city"};
  const Dataset asked =
      import_graphs(with_nodes("a,b\nx,y\n", "node,age,city,place\nx,1,Rome,0 1\ny,2,Oslo,2 3\n"), options).dataset;
  EXPECT_EQ(asked.feature_names, (std::vector<std::string>{"city=Oslo", "city=Rome"}));
  EXPECT_EQ(import_graphs(edges_only("a,b\nx,y\n"), {}).dataset.feature_names,
            (std::vector<std::string>{"in-degree 0", "in-degree 1", "in-degree 2"}));
}

TEST(Import, RelationsCanBeNumberedNamedOrSwitchedOff) {
  ImportOptions options;
  options.relation = "1";
  options.source = "2";
  options.target = "3";
  options.relation_names = {{"1", "lunch"}, {"2", "work"}};
  const GraphTables tables = edges_only("2 a b 1\n1 a b 1\n3 b c 1\n", Header::kNo);
  const Imported imported = import_graphs(tables, options);
  EXPECT_EQ(imported.dataset.truth.type_names, (std::vector<std::string>{"work", "lunch", "3"}));
  EXPECT_EQ(imported.dataset.node_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(has_note(imported, "1 relation not in --relation-names")) << notes_of(imported);
  ImportOptions off;
  off.relation = "none";
  EXPECT_TRUE(import_graphs(edges_only("source,target,type\na,b,x\n"), off).dataset.truth.empty());
  // Gephi writes whether an edge is directed into "Type".
  const Imported gephi = import_graphs(edges_only("Source,Target,Type\na,b,Undirected\n"), {});
  EXPECT_TRUE(gephi.dataset.truth.empty());
  EXPECT_TRUE(has_note(gephi, "not used as a relation")) << notes_of(gephi);
}

TEST(Import, NodeTableGivesFeaturesLabelsAndOrder) {
  const Imported imported = import_graphs(with_nodes("from;to\nb;a\n",
                                                     "id,age,team,label,vector,who\n"
                                                     "a,1.5,red,x,[1; 2],Ann\n"
                                                     "b,2,blue,y,3 4,Bob\n"
                                                     "c,3,red,x,\"5,6\",Cyd\n"),
                                          {});
  const Dataset& dataset = imported.dataset;
  EXPECT_EQ(dataset.node_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(pairs_of(dataset, 0), (Pairs{{0, 1}, {1, 0}, {0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(dataset.num_node_types, 0);
  // age, team as blue and red, the vector; the names are no feature.
  EXPECT_EQ(values_of(dataset.graphs.features), (std::vector<float>{1.5F, 0, 1, 1, 2, 2, 1, 0, 3, 4, 3, 0, 1, 5, 6}));
  EXPECT_EQ(dataset.task, Task::kNodeClass);
  EXPECT_EQ(dataset.output_names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(whole_of(dataset.targets), (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_TRUE(dataset.node_split);
  EXPECT_TRUE(has_note(imported, "'who' is different for every node")) << notes_of(imported);
  EXPECT_EQ(imported.features, "'age', 'team' (one-hot, 2 values), 'vector' (2 numbers)");
  ImportOptions options;
  options.features = {"who", "2"};
  EXPECT_EQ(import_graphs(with_nodes("from;to\nb;a\n", "id,age,who\na,7,Ann\nb,8,Bob\n"), options)
                .dataset.graphs.features.size(1),
            3);
  options.features = {"none"};
  EXPECT_EQ(
      import_graphs(with_nodes("from;to\nb;a\n", "id,age,who\na,7,Ann\nb,8,Bob\n"), options).dataset.num_node_types, 3);
}

TEST(Import, MissingFeaturesAreRefusedOrFilled) {
  const GraphTables tables = with_nodes("source,target\na,b\n", "node,age,group\na,NA,x\nb,4,\nc,8,x\n");
  ImportOptions options;
  expect_error(tables, options, {"n.csv, line 2: 'age' has no value ('NA')", "--missing zero"});
  options.missing_values = MissingValues::kZero;
  EXPECT_EQ(values_of(import_graphs(tables, options).dataset.graphs.features), (std::vector<float>{0, 1, 4, 0, 8, 1}));
  options.missing_values = MissingValues::kMean;
  const Imported imported = import_graphs(tables, options);
  EXPECT_EQ(values_of(imported.dataset.graphs.features), (std::vector<float>{6, 1, 4, 0, 8, 1}));
  EXPECT_TRUE(has_note(imported, "1 feature has no value: the column's mean")) << notes_of(imported);
  EXPECT_TRUE(has_note(imported, "all 0 where it is missing (1 nodes)")) << notes_of(imported);
}

TEST(Import, TooManyWordsAreRefusedByName) {
  std::string nodes = "node,word,twice\n";
  for (int index = 0; index < 202; ++index) {
    nodes += "n" + std::to_string(index) + ",w" + std::to_string(index / 2) + ",x\n";
  }
  ImportOptions options;
  options.features = {"word"};
  expect_error(with_nodes("source,target\nn0,n1\n", nodes), options,
               {"n.csv: 'word' holds words with 101", "--features"});
}

TEST(Import, NodesMissingFromTheTable) {
  const GraphTables tables = with_nodes("source,target\na,b\nb,z\n", "node,age,label\na,1,x\nb,2,y\n");
  ImportOptions options;
  expect_error(tables, options, {"e.csv, line 3: node 'z' is not in n.csv", "--missing-nodes zero"});
  options.zero_for_missing_nodes = true;
  const Imported imported = import_graphs(tables, options);
  EXPECT_EQ(imported.dataset.node_names.back(), "z");
  EXPECT_EQ(values_of(imported.dataset.graphs.features), (std::vector<float>{1, 2, 0}));
  EXPECT_TRUE(has_note(imported, "1 node not in n.csv")) << notes_of(imported);
  EXPECT_TRUE(has_note(imported, "1 node without a label")) << notes_of(imported);
}

TEST(Import, SplitColumnOfNodes) {
  const Imported imported = import_graphs(with_nodes("source,target\na,b\n",
                                                     "node,age,label,split\n"
                                                     "a,1,10,train\nb,2,9,Validation\nc,3,10,test\nd,4,,\ne,5,9,\n"),
                                          {});
  const Dataset& dataset = imported.dataset;
  EXPECT_EQ(dataset.output_names, (std::vector<std::string>{"9", "10"}));  // as numbers, not as text
  EXPECT_EQ(whole_of(dataset.targets), (std::vector<std::int64_t>{1, 0, 1, 0, 0}));
  EXPECT_EQ(dataset.split.train, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(dataset.split.validation, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(dataset.split.test, (std::vector<std::int64_t>{2}));
  EXPECT_TRUE(dataset.node_split);
  EXPECT_TRUE(has_note(imported, "1 node without a label: in no split")) << notes_of(imported);
  expect_error(with_nodes("source,target\na,b\n", "node,label,split\na,x,train\nb,,test\n"), {},
               {"n.csv, line 3: this node has no label, but is in the split 'test'"});
  expect_error(with_nodes("source,target\na,b\n", "node,label,split\na,x,train\nb,x,tset\n"), {},
               {"n.csv, line 3: 'split' is 'tset'", "train, val, test"});
  expect_error(with_nodes("source,target\na,b\n", "node,label,split\na,x,\nb,x,test\n"), {}, {"no node", "training"});
}

TEST(Import, ManyGraphsWithTables) {
  GraphTables tables = with_graphs("graph,source,target\ng2,a,b\ng1,a,b\ng1,b,c\n",
                                   "graph,label,size,split\ng1,yes,3,train\ng2,no,2,test\n");
  const Imported imported = import_graphs(tables, {});
  const Dataset& dataset = imported.dataset;
  EXPECT_EQ(dataset.graph_names, (std::vector<std::string>{"g1", "g2"}));
  EXPECT_EQ(whole_of(dataset.graphs.node_offsets), (std::vector<std::int64_t>{0, 3, 5}));
  EXPECT_EQ(dataset.node_names, (std::vector<std::string>{"a", "b", "c", "a", "b"}));
  EXPECT_EQ(dataset.task, Task::kGraphClass);
  EXPECT_EQ(whole_of(dataset.targets), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(dataset.split.train, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(dataset.split.test, (std::vector<std::int64_t>{1}));
  EXPECT_FALSE(dataset.node_split);
  EXPECT_TRUE(has_note(imported, "not used in g.csv: 'size'")) << notes_of(imported);
  EXPECT_TRUE(has_note(imported, "the validation part is empty")) << notes_of(imported);

  ImportOptions options;
  options.graph_targets = {"size"};
  const Dataset values = import_graphs(tables, options).dataset;
  EXPECT_EQ(values.task, Task::kRegression);
  EXPECT_EQ(values_of(values.targets), (std::vector<float>{3, 2}));
  EXPECT_EQ(values.output_names, (std::vector<std::string>{"size"}));
}

TEST(Import, GraphsMayHaveSeveralLabels) {
  ImportOptions options;
  options.graph_labels = {"ring", "star"};
  const char* const edges = "graph,source,target\ng1,a,b\ng2,a,b\n";
  const Dataset dataset = import_graphs(with_graphs(edges, "graph,star,ring\ng1,1,0\ng2,1,1\n"), options).dataset;
  EXPECT_EQ(dataset.task, Task::kMultiLabel);
  EXPECT_EQ(dataset.output_names, options.graph_labels);
  EXPECT_EQ(values_of(dataset.targets), (std::vector<float>{0, 1, 1, 1}));
  expect_error(with_graphs(edges, "graph,star,ring\ng1,2,0\ng2,1,1\n"), options,
               {"g.csv, line 2: 'star' is '2'", "there (1) or not (0)"});
}

TEST(Import, EdgesFindTheirGraphThroughTheNodeTable) {
  const Dataset dataset =
      import_graphs(with_nodes("source,target\n1,2\n3,4\n", "node,graph\n1,A\n2,A\n3,B\n4,B\n5,B\n"), {}).dataset;
  EXPECT_EQ(dataset.graph_names, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(pairs_of(dataset, 1), (Pairs{{0, 1}, {1, 0}, {0, 0}, {1, 1}, {2, 2}}));
  expect_error(with_nodes("source,target\n1,3\n", "node,graph\n1,A\n2,A\n3,B\n"), {},
               {"e.csv, line 2: nodes '1' and '3' are in graphs 'A' and 'B'"});
  expect_error(with_nodes("source,target\n1,2\n", "node,graph\n1,A\n2,A\n1,B\n"), {},
               {"e.csv, line 2: node '1' is in several graphs", "--graph"});
}

TEST(Import, TheNodeColumnIsTheFirstBesidesTheGraph) {
  ImportOptions options;
  options.graph = "molecule";
  const GraphTables tables = with_nodes("molecule,from,to\nm,C1,O1\n", "molecule,atom,element\nm,O1,O\nm,C1,C\n");
  EXPECT_EQ(import_graphs(tables, options).dataset.node_names, (std::vector<std::string>{"O1", "C1"}));
}

TEST(Import, NodeLabelsOfManyGraphsAreSplitByGraph) {
  std::string edges = "graph,source,target\n";
  std::string nodes = "graph,node,label\n";
  for (int graph = 0; graph < 20; ++graph) {
    const std::string name = "g" + std::to_string(graph);
    edges += name + ",a,b\n";
    nodes += name + ",a,x\n" + name + ",b,y\n";
  }
  const Dataset dataset = import_graphs(with_nodes(edges, nodes), {}).dataset;
  EXPECT_FALSE(dataset.node_split);
  EXPECT_EQ(dataset.split.train.size(), 16U);
  EXPECT_EQ(dataset.split.validation.size(), 2U);
  EXPECT_EQ(dataset.split.test.size(), 2U);
  expect_error(with_nodes(edges, nodes + "g3,c,\n"), {}, {"n.csv, line 42: node 'c' has no label", "--split"});
}

TEST(Import, RefusalsNameFileLineAndValue) {
  expect_error(edges_only("source,target\na,\n"), {}, {"e.csv, line 2: 'target' is empty"});
  expect_error(edges_only("source\na\n"), {}, {"e.csv: it has 1 column", "--separator"});
  expect_error(edges_only("source,target\n"), {}, {"e.csv: there are no nodes"});
  expect_error(edges_only("source,target,graph\na,b,\n"), {}, {"e.csv, line 2: 'graph' is empty"});
  expect_error(with_nodes("source,target\na,b\n", "node,x\na,1\nb,2\na,3\n"), {},
               {"n.csv, line 4: node 'a' is listed already, in line 2"});
  expect_error(with_nodes("source,target\na,b\n", "node,x\na,1\n,2\n"), {}, {"n.csv, line 3: 'node' is empty"});
  expect_error(with_nodes("source,target\na,b\n", "node,x\na,1\nb,inf\n"), {},
               {"n.csv, line 3: 'x' is 'inf'", "finite"});
  expect_error(with_nodes("source,target\na,b\n", "node,x\na,1\nb,1e39\n"), {}, {"n.csv, line 3: 'x' is '1e39'"});
  expect_error(with_nodes("source,target\na,b\n", "node,x\na,1 2\nb,1 2 3\n"), {},
               {"n.csv, line 3: 'x' holds a list of 3 numbers", "2"});
  expect_error(with_graphs("graph,source,target\nx,a,b\n", "graph,label\ny,1\n"), {},
               {"e.csv, line 2: graph 'x' is not in g.csv"});
  expect_error(with_graphs("graph,source,target\nx,a,b\n", "graph,label\nx,1\ny,1\n"), {},
               {"g.csv, line 3: graph 'y' has no nodes"});
  expect_error(with_graphs("graph,source,target\nx,a,b\n", "graph,label\nx,1\nx,2\n"), {},
               {"g.csv, line 3: graph 'x' is listed twice"});
  ImportOptions targets;
  targets.graph_targets = {"value"};
  expect_error(with_graphs("graph,source,target\nx,a,b\n", "graph,value\nx,much\n"), targets,
               {"g.csv, line 2: 'value' is 'much'", "number"});
}

TEST(Import, WrongOptionsAreMisuse) {
  const GraphTables tables = edges_only("source,target,relation\na,b,c\n");
  ImportOptions options;
  options.relation = "relatoin";
  expect_misuse(tables, options, {"--relation 'relatoin'", "e.csv", "did you mean 'relation'?", "'target'"});
  options.relation = "4";
  expect_misuse(tables, options, {"--relation '4'"});
  options.relation = "source";
  expect_misuse(tables, options, {"'source' cannot be both the source and the relation"});
  options = {};
  options.label = "x";
  expect_misuse(tables, options, {"--label x", "--nodes"});
  options = {};
  options.graph_label = "x";
  expect_misuse(tables, options, {"--graph-label x", "--graphs"});
  options = {};
  options.split_shares = {0.8, 0.3, 0.1};
  expect_misuse(tables, options, {"0.8,0.3,0.1", "add up to 1"});
  options = {};
  options.source = "name";
  expect_misuse(edges_only("a b\n", Header::kNo), options, {"--source 'name'", "no header", "--header yes"});
  options.source = "2";
  expect_misuse(edges_only("a b\n", Header::kNo), options, {"--target is not given"});
  expect_misuse(edges_only("source,target,x,x\na,b,1,2\n"),
                [] {
                  ImportOptions twice;
                  twice.relation = "x";
                  return twice;
                }(),
                {"2 columns of that name"});
  GraphTables both = with_nodes("graph,source,target\ng,a,b\n", "graph,node,label\ng,a,1\ng,b,2\n");
  both.graphs = table("g.csv", "graph,label\ng,1\nh,2\n");
  expect_misuse(both, {}, {"labels of nodes", "--label none"});
  expect_misuse(with_nodes("graph,source,target\ng,a,b\n", "node,x\na,1\nb,2\n"), {}, {"n.csv", "--node-graph"});
}

TEST(ImportSplit, HasItsSharesAndEveryClassInTraining) {
  std::vector<std::int64_t> classes(1000);
  for (std::size_t item = 0; item < classes.size(); ++item) {
    classes[item] = item < 700 ? 0 : item < 950 ? 1 : item < 999 ? 2 : 3;
  }
  classes[5] = -1;
  const Split split = draw_stratified_split(classes, {0.8, 0.1, 0.1}, 7);
  EXPECT_NEAR(static_cast<double>(split.train.size()), 799.2, 1.5);
  EXPECT_NEAR(static_cast<double>(split.validation.size()), 99.9, 1.5);
  std::set<std::int64_t> all;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    EXPECT_TRUE(std::is_sorted(part->begin(), part->end()));
    all.insert(part->begin(), part->end());
    std::array<double, 4> counts{};
    for (const std::int64_t item : *part) {
      ++counts[static_cast<std::size_t>(classes[static_cast<std::size_t>(item)])];
    }
    const double share = part == &split.train ? 0.8 : 0.1;
    EXPECT_NEAR(counts[0], share * 699, 1.5);
    EXPECT_NEAR(counts[1], share * 250, 2);
    EXPECT_NEAR(counts[2], share * 49, 2);
    EXPECT_EQ(counts[3], part == &split.train ? 1 : 0);
  }
  EXPECT_EQ(all.size(), 999U);
  EXPECT_FALSE(all.contains(5));
  EXPECT_EQ(draw_stratified_split(classes, {0.8, 0.1, 0.1}, 7).train, split.train);
  EXPECT_NE(draw_stratified_split(classes, {0.8, 0.1, 0.1}, 8).train, split.train);
}

/// A column "x" of eight values.
GraphTables with_column(const std::string& values) {
  std::string nodes = "id,x\n";
  std::string::size_type first = 0;
  for (int node = 0; node < 8; ++node) {
    const std::string::size_type end = std::min(values.find('|', first), values.size());
    nodes += std::string(1, static_cast<char>('a' + node)) + "," + values.substr(first, end - first) + "\n";
    first = std::min(end + 1, values.size());
  }
  return with_nodes("from,to\na,b\n", nodes);
}

TEST(Import, AWordAmongNumbersIsAnErrorWithItsLine) {
  EXPECT_EQ(error_text([] { import_graphs(with_column("1|2|3|4.5|x6|7|8|9"), {}); }),
            "n.csv, line 6: 'x' is 'x6', but 7 of its 8 values are numbers; mend it, leave it empty where it is not "
            "known, or give --one-hot 'x' where the column holds words");
  EXPECT_NE(error_text([] { import_graphs(with_column("1 2|2 3|3 4|4 5|5 6|6 7|7 8|oops"), {}); }).find("line 9"),
            std::string::npos);
  ImportOptions options;
  options.missing_values = MissingValues::kZero;
  EXPECT_EQ(import_graphs(with_column("1|2|3||5|NA|8|9"), options).features, "'x'");
}

TEST(Import, MostlyWordsAreWordsAndNumbersAreWordsWhereAsked) {
  EXPECT_EQ(import_graphs(with_column("1|2|K|K|1|2|K|1"), {}).features, "'x' (one-hot, 3 values)");
  ImportOptions options;
  options.one_hot = {"x"};
  const Imported asked = import_graphs(with_column("1|2|3|1|1|2|3|x"), options);
  EXPECT_EQ(asked.features, "'x' (one-hot, 4 values)");
  EXPECT_EQ(import_graphs(with_column("10|20|10|10|20|10|20|10"), options).features, "'x' (one-hot, 2 values)");
  options.features = {"x"};
  EXPECT_EQ(import_graphs(with_column("10|20|10|10|20|10|20|10"), options).features, "'x' (one-hot, 2 values)");
  options.features.clear();
  options.one_hot = {"id"};
  EXPECT_NE(error_text([&] { import_graphs(with_column("1|2|3|4|5|6|7|8"), options); }).find("cannot be both the node"),
            std::string::npos);
}

TEST(Import, WordsOfManyKindsAreLeftOutUnlessAskedFor) {
  std::string nodes = "id,city\n";
  for (int node = 0; node < 300; ++node) {
    nodes += "n" + std::to_string(node) + ",city" + std::to_string(node % 150) + "\n";
  }
  const GraphTables tables = with_nodes("from,to\nn1,n2\n", nodes);
  EXPECT_TRUE(has_note(import_graphs(tables, {}), "'city' holds words with 150 different values and is left out"));
  ImportOptions options;
  options.features = {"city"};
  EXPECT_NE(error_text([&] { import_graphs(tables, options); }).find("150 different values"), std::string::npos);
}

TEST(Import, ColumnsThatCouldBeLabelsAreNamed) {
  const Imported imported = import_graphs(with_column("red|blue|red|blue|red|blue|red|blue"), {});
  EXPECT_EQ(imported.dataset.task, Task::kNone);
  EXPECT_TRUE(has_note(imported, "'x' holds words that could be: --label says")) << notes_of(imported);
  EXPECT_FALSE(has_note(import_graphs(with_column("1|2|1|2|1|2|1|2"), {}), "--label says"));
}

TEST(Import, OneGraphHasNoClass) {
  GraphTables tables = with_graphs("graph,from,to\ng,a,b\n", "graph,label\ng,x\n");
  EXPECT_EQ(import_graphs(tables, {}).dataset.task, Task::kNone);
  ImportOptions options;
  options.graph_label = "label";
  EXPECT_EQ(import_graphs(tables, options).dataset.task, Task::kGraphClass);
}

}  // namespace
}  // namespace factorgcn
