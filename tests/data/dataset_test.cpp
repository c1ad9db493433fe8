// Task names and the check that every data set passes: each thing spoilt once.
#include "factorgcn/data/dataset.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

#include "base/error_text.h"
#include "data/tiny_dataset.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::tensor;
using Ids = std::vector<std::int32_t>;
using Positions = std::vector<std::int64_t>;

std::string message(const std::function<void(Dataset&)>& spoil) {
  Dataset dataset = tiny_dataset();
  spoil(dataset);
  return error_text([&] { check_dataset(dataset); });
}

void to_classes(Dataset& dataset, Task task, const Positions& classes) {
  dataset.task = task;
  dataset.targets = tensor(classes);
}

TEST(TaskNames, GoBothWays) {
  for (const Task task : {Task::kMultiLabel, Task::kRegression, Task::kGraphClass, Task::kNodeClass, Task::kNone}) {
    EXPECT_EQ(task_from_name(task_name(task)), task);
    EXPECT_EQ(is_node_task(task), task == Task::kNodeClass);
  }
  EXPECT_STREQ(task_name(Task::kMultiLabel), "multi-label");
  EXPECT_EQ(usage_error_text([] { task_from_name("regresion"); }),
            "unknown task 'regresion'; did you mean 'regression'? Known: multi-label, regression, graph-class, "
            "node-class, none");
  EXPECT_EQ(error_text([] { task_name(static_cast<Task>(17)); }), "task 17 is unknown");
}

TEST(CheckDataset, AcceptsEveryTask) {
  EXPECT_EQ(message([](Dataset&) {}), "no error");
  EXPECT_EQ(message([](Dataset& d) {
              d.task = Task::kRegression;
              d.targets.data_ptr<float>()[0] = -7.5F;
            }),
            "no error");
  EXPECT_EQ(message([](Dataset& d) { to_classes(d, Task::kGraphClass, {0, 1, 1}); }), "no error");
  EXPECT_EQ(message([](Dataset& d) { to_classes(d, Task::kNodeClass, {0, 1, 1, 0, 0, 1}); }), "no error");
  EXPECT_EQ(message([](Dataset& d) { d.truth = {}; }), "no error");
  EXPECT_EQ(message([](Dataset& d) { d.split = {}; }), "no error");
  EXPECT_EQ(message([](Dataset& d) {
              d.graphs.features = tensor(Positions{0, 1, 2, 0, 1, 2});
              d.num_node_types = 3;
            }),
            "no error");
}

TEST(CheckDataset, RefusesBadGraphsAndFeatures) {
  EXPECT_EQ(message([](Dataset& d) { d.name = ""; }), "a data set has no name; give it one");
  EXPECT_EQ(message([](Dataset& d) { d.num_outputs = 0; }), "tiny: num_outputs is 0; it must be at least 1");
  EXPECT_EQ(message([](Dataset& d) { d.graphs.in_degrees = at::Tensor(); }), "tiny: in_degrees is missing");
  EXPECT_EQ(message([](Dataset& d) { d.graphs.in_sources.data_ptr<std::int32_t>()[0] = 5; }),
            "tiny, graph 0: in_sources holds node 5 at 0; ids must be in 0 .. 2");
  EXPECT_EQ(
      message([](Dataset& d) { d.graphs.features.data_ptr<float>()[5] = std::numeric_limits<float>::infinity(); }),
      "tiny: feature 1 of node 2 is inf; features must be finite");
  EXPECT_EQ(message([](Dataset& d) { d.num_node_types = 4; }),
            "tiny: num_node_types is 4, but features are values; it must be 0");
  EXPECT_EQ(message([](Dataset& d) {
              d.graphs.features = tensor(Positions{0, 1, 2, 0, 1, 2});
            }),
            "tiny: node types are given, but num_node_types is 0");
  EXPECT_EQ(message([](Dataset& d) {
              d.graphs.features = tensor(Positions{0, 1, 2, 0, 1, 2});
              d.num_node_types = 2;
            }),
            "tiny: node 2 has type 2; types must be in 0 .. 1");
}

TEST(CheckDataset, RefusesADataSetWithoutGraphs) {
  EXPECT_EQ(message([](Dataset& d) {
              const at::Tensor none = tensor(Ids{});
              d.graphs = {tensor(Positions{0}),
                          tensor(Positions{0}),
                          none,
                          none,
                          none,
                          none,
                          none,
                          brute_force::counting_features(0, 1),
                          {}};
            }),
            "tiny: it has no graphs");
}

TEST(CheckDataset, RefusesBadTargets) {
  EXPECT_EQ(message([](Dataset& d) { d.targets = at::Tensor(); }), "tiny: targets is missing");
  EXPECT_EQ(message([](Dataset& d) { d.targets = d.targets.to(at::kDouble); }),
            "tiny: targets has type Double; it must be Float");
  EXPECT_EQ(message([](Dataset& d) { d.num_outputs = 3; }),
            "tiny: targets have shape [3, 2]; it must be [3, 3], one row per graph");
  EXPECT_EQ(message([](Dataset& d) {
              d.targets = tensor(std::vector<float>{1, 0, 1, 0, 1, 0}).reshape({2, 3}).t();
            }),
            "tiny: targets are not contiguous; call contiguous() on them");
  EXPECT_EQ(message([](Dataset& d) { d.targets.data_ptr<float>()[3] = 0.5F; }),
            "tiny: label 1 of graph 1 is 0.5; labels must be 0 or 1");
  EXPECT_EQ(message([](Dataset& d) {
              d.task = Task::kRegression;
              d.targets.data_ptr<float>()[4] = std::numeric_limits<float>::quiet_NaN();
            }),
            "tiny: target 0 of graph 2 is nan; targets must be finite");
  EXPECT_EQ(message([](Dataset& d) {
              to_classes(d, Task::kGraphClass, {0, 2, 1});
            }),
            "tiny: graph 1 has class 2; classes must be in 0 .. 1");
  EXPECT_EQ(message([](Dataset& d) {
              to_classes(d, Task::kNodeClass, {0, 1, 1, 0, -1, 1});
            }),
            "tiny: node 4 has class -1; classes must be in 0 .. 1");
  EXPECT_EQ(message([](Dataset& d) {
              to_classes(d, Task::kNodeClass, {0, 1, 1});
            }),
            "tiny: targets has shape [3]; it must be [6]");
  EXPECT_EQ(message([](Dataset& d) { d.task = Task::kGraphClass; }), "tiny: targets has type Float; it must be Long");
}

TEST(CheckDataset, RefusesBadSplits) {
  EXPECT_EQ(message([](Dataset& d) { d.split.test = {3}; }),
            "tiny: the test split names graph 3; indices must be in 0 .. 2");
  EXPECT_EQ(message([](Dataset& d) { d.split.train = {-1}; }),
            "tiny: the train split names graph -1; indices must be in 0 .. 2");
  EXPECT_EQ(message([](Dataset& d) { d.split.validation = {0, 0}; }), "tiny: the validation split names graph 0 twice");
  EXPECT_EQ(message([](Dataset& d) {
              d.split.test = {1, 2};
            }),
            "tiny: graph 2 is in the train split and in the test split; splits must not share graphs");
}

TEST(CheckDataset, RefusesBadGroundTruth) {
  EXPECT_EQ(message([](Dataset& d) { d.truth.begin_graph(); }),
            "tiny: the ground truth covers 4 graphs, but the data set has 3; it must cover all or none");
  EXPECT_EQ(message([](Dataset& d) { d.truth.entry_offsets.pop_back(); }),
            "tiny: the ground truth has 3 parts but 3 entry offsets; it needs one more");
  EXPECT_EQ(message([](Dataset& d) { d.truth.entry_sources.pop_back(); }),
            "tiny: the ground truth has 7 sources but 8 targets");
  EXPECT_EQ(message([](Dataset& d) {
              d.truth.part_offsets = {0, 1, 0, 3};
            }),
            "tiny: the ground truth's part offsets must rise from 0 to 3");
  EXPECT_EQ(message([](Dataset& d) { d.truth.entry_offsets.back() = 7; }),
            "tiny: the ground truth's entry offsets must rise from 0 to 8");
  EXPECT_EQ(message([](Dataset& d) { d.truth.part_types[1] = 3; }),
            "tiny: part 0 of graph 2 has the unknown type 3; there are 3 types");
  EXPECT_EQ(message([](Dataset& d) { d.truth.entry_targets[4] = 2; }),
            "tiny: part 0 of graph 2 joins nodes 0 and 2, but the graph has 2 nodes");
  EXPECT_EQ(message([](Dataset& d) {
              d.truth.entry_sources[0] = 2;
              d.truth.entry_targets[0] = 0;
            }),
            "tiny: part 0 of graph 0 holds the entry 2 -> 0, which is no edge of the graph");
}

TEST(CheckDataset, ASplitOfNodesNeedsATaskOfNodes) {
  Dataset dataset = tiny_dataset();
  dataset.node_split = true;
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }),
            "tiny: the split is one of nodes, but the task multi-label is one of graphs");
  dataset.task = Task::kNodeClass;
  dataset.targets = brute_force::tensor(std::vector<std::int64_t>{0, 1, 0, 1, 1, 0});
  dataset.split = {{0, 5}, {1}, {2, 3}};
  EXPECT_NO_THROW(check_dataset(dataset));
  dataset.split.test.push_back(6);
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }),
            "tiny: the test split names node 6; indices must be in 0 .. 5");
  dataset.split.test.back() = 5;
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }),
            "tiny: node 5 is in the train split and in the test split; splits must not share nodes");
}

TEST(CheckDataset, WithoutATaskThereAreNoTargets) {
  Dataset dataset = tiny_dataset();
  dataset.task = Task::kNone;
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }),
            "tiny: it has no task, but outputs or targets; give it a task or leave them out");
  dataset.num_outputs = 0;
  dataset.targets = at::Tensor();
  EXPECT_NO_THROW(check_dataset(dataset));
  EXPECT_EQ(task_from_name("none"), Task::kNone);
}

TEST(CheckDataset, NamesAreForAllOrNone) {
  Dataset dataset = tiny_dataset();
  dataset.node_names = {"a", "b"};
  EXPECT_EQ(error_text([&] { check_dataset(dataset); }),
            "tiny: there are 2 names for 6 nodes; give one to each or to none");
  dataset.node_names.clear();
  dataset.output_names = {"red", "green"};
  dataset.graph_names = {"x", "y", "z"};
  EXPECT_NO_THROW(check_dataset(dataset));
  dataset.added_self_loops = 100;
  EXPECT_NE(error_text([&] { check_dataset(dataset); }).find("100 self loops are said to be added"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
