// ZINC's files become its regression task; what is wrong in them is named.
#include "factorgcn/data/zinc.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error_text.h"

namespace factorgcn {
namespace {

using Files = std::map<std::string, std::string>;

/// Three molecules of 2, 1 and 2 atoms; a molecule of one atom has no bond.
Files molecules() {
  return {{"ZINC_A.txt", "1, 2\n2, 1\n4, 5\n5, 4\n"},    {"ZINC_graph_indicator.txt", "1\n1\n2\n3\n3\n"},
          {"ZINC_graph_attributes.txt", "0.5\n-2\n3\n"}, {"ZINC_node_labels.txt", "0\n27\n3\n0\n0\n"},
          {"ZINC_edge_labels.txt", "1\n1\n3\n3\n"},      {"ZINC_split.txt", "train\ntest\nval\n"}};
}

std::string refusal(const std::string& file, const std::string& text) {
  Files files = molecules();
  files[file] = text;
  return error_text([&] { read_zinc(MemorySource(files)); });
}

TEST(ReadZinc, MakesTheRegressionTask) {
  const Dataset dataset = read_zinc(MemorySource(molecules()));
  check_dataset(dataset);
  EXPECT_EQ(dataset.name, "zinc");
  EXPECT_EQ(dataset.task, Task::kRegression);
  EXPECT_EQ(dataset.num_outputs, 1);
  EXPECT_EQ(dataset.num_node_types, 28);
  EXPECT_EQ(dataset.added_self_loops, 0);
  EXPECT_EQ(dataset.graphs.num_edges(), 4);
  EXPECT_EQ(dataset.graphs.features.data_ptr<std::int64_t>()[1], 27);
  EXPECT_EQ(dataset.targets.data_ptr<float>()[1], -2.0F);
  EXPECT_EQ(dataset.split.train, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(dataset.split.validation, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(dataset.split.test, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(dataset.truth.type_names, (std::vector<std::string>{"bond 1", "bond 3"}));
  EXPECT_EQ(dataset.truth.num_parts(1), 0);
}

TEST(ReadZinc, BondsAreEdgeTypes) {
  Dataset dataset = read_zinc(MemorySource(molecules()));
  EXPECT_EQ(dataset.num_edge_types, 2);
  const auto* types = dataset.graphs.edge_types.data_ptr<std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(types, types + 4), (std::vector<std::int32_t>{0, 0, 1, 1}));
  // A truth that leaves an edge out says nothing about types.
  dataset.graphs.edge_types = at::Tensor();
  dataset.num_edge_types = 0;
  dataset.truth.part_types.clear();
  dataset.truth.entry_offsets = {0};
  dataset.truth.entry_sources.clear();
  dataset.truth.entry_targets.clear();
  dataset.truth.part_offsets.assign(4, 0);
  set_edge_types_from_truth(dataset);
  EXPECT_EQ(dataset.num_edge_types, 0);
  EXPECT_FALSE(dataset.graphs.edge_types.defined());
}

TEST(ReadZinc, EdgeTypesOutOfRangeAreRefused) {
  Dataset dataset = read_zinc(MemorySource(molecules()));
  dataset.num_edge_types = 1;
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }), "zinc: edge 2 has type 1; types must be in 0 .. 0");
  dataset.num_edge_types = 0;
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }), "zinc: num_edge_types is 0, but there are edge types");
}

TEST(ReadZinc, CallsBondsByTheirNames) {
  Files files = molecules();
  files["ZINC_edge_label_names.txt"] = "1\tSINGLE\n2\tDOUBLE\n3\tTRIPLE\n";
  EXPECT_EQ(read_zinc(MemorySource(files)).truth.type_names, (std::vector<std::string>{"SINGLE", "TRIPLE"}));
}

TEST(ReadZinc, NamesWhatIsWrong) {
  EXPECT_EQ(refusal("ZINC_split.txt", "train\nvalid\ntest\n"),
            "memory: ZINC_split.txt line 2: found 'valid', expected train, val or test");
  EXPECT_EQ(refusal("ZINC_split.txt", "train\nval test\ntest\n"),
            "memory: ZINC_split.txt line 2: found 'val test', expected train, val or test");
  EXPECT_EQ(refusal("ZINC_split.txt", "train\nval\n"),
            "memory: ZINC_split.txt line 3: found the end of the file after 2 lines, expected 3, one per graph");
  EXPECT_EQ(refusal("ZINC_split.txt", "train\nval\ntest\ntest\n"),
            "memory: ZINC_split.txt line 4: found 'test', expected the end of the file: there are 3 graphs");
  EXPECT_EQ(refusal("ZINC_node_labels.txt", "0\n28\n3\n0\n0\n"),
            "memory: ZINC_node_labels.txt line 2: found '28', expected a label in 0 .. 27");
  EXPECT_EQ(refusal("ZINC_graph_attributes.txt", "1 2\n1 2\n1 2\n"),
            "memory: ZINC_graph_attributes.txt line 1: found 2 values, expected one, the penalised logP");
}

TEST(ReadZinc, NamesWhatIsMissing) {
  for (const char* file :
       {"ZINC_graph_attributes.txt", "ZINC_node_labels.txt", "ZINC_edge_labels.txt", "ZINC_split.txt"}) {
    Files files = molecules();
    files.erase(file);
    EXPECT_EQ(error_text([&] { read_zinc(MemorySource(files)); }),
              std::string("memory: the file ") + file + " is missing; ZINC needs it");
  }
}

}  // namespace
}  // namespace factorgcn
