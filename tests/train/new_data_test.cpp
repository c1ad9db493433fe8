// Data that a model has not seen, brought into its form: columns, types and classes by name.
#include "factorgcn/train/new_data.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <numeric>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/graph/graph.h"
#include "train/counted_names.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

/// Three nodes in a row; columns hold 1, 2, 3 and so on, node by node.
Dataset row_of_nodes(std::vector<std::string> columns, std::vector<std::string> classes,
                     std::vector<std::int64_t> targets) {
  Graph graph;
  graph.num_nodes = 3;
  graph.source = {0, 1};
  graph.target = {1, 2};
  const auto width = static_cast<std::int64_t>(columns.size());
  graph.features = at::zeros({3, width});
  for (std::int64_t index = 0; index < graph.features.numel(); ++index) {
    graph.features.data_ptr<float>()[index] = static_cast<float>(index + 1);
  }
  Dataset dataset;
  dataset.name = "new.safetensors";
  dataset.task = Task::kNodeClass;
  dataset.graphs = make_store(std::array{graph});
  dataset.feature_names = std::move(columns);
  dataset.num_outputs = static_cast<std::int64_t>(classes.size());
  dataset.output_names = std::move(classes);
  dataset.targets = at::tensor(targets);
  dataset.node_split = true;
  dataset.split.train = {0, 1, 2};
  return dataset;
}

TrainedOn knows(std::vector<std::string> columns, std::vector<std::string> classes) {
  TrainedOn trained;
  trained.name = "old";
  trained.task = Task::kNodeClass;
  trained.features = static_cast<std::int64_t>(columns.size());
  trained.outputs = static_cast<std::int64_t>(classes.size());
  trained.feature_names = std::move(columns);
  trained.output_names = std::move(classes);
  return trained;
}

std::vector<float> row_values(const Dataset& dataset, std::int64_t node) {
  const at::Tensor row = dataset.graphs.features[node].contiguous();
  return {row.data_ptr<float>(), row.data_ptr<float>() + row.numel()};
}

TEST(NewData, ColumnsAndClassesFindTheirPlaces) {
  const Dataset given = row_of_nodes({"b", "spare", "city=Rome", "a"}, {"blue", "green", "red"}, {2, 0, 1});
  const FittedData fitted = fit_to_model(given, knows({"a", "b", "city=Oslo", "city=Rome"}, {"red", "blue"}));
  EXPECT_EQ(row_values(fitted.dataset, 0), (std::vector<float>{4, 1, 0, 3}));
  EXPECT_EQ(row_values(fitted.dataset, 2), (std::vector<float>{12, 9, 0, 11}));
  const auto* targets = fitted.dataset.targets.data_ptr<std::int64_t>();
  EXPECT_EQ(targets[0], 0);
  EXPECT_EQ(targets[1], 1);
  EXPECT_TRUE(fitted.dataset.labelled.data_ptr<bool>()[0]);
  EXPECT_FALSE(fitted.dataset.labelled.data_ptr<bool>()[2]) << "green is no class of the model";
  EXPECT_EQ(fitted.unknown_classes, std::vector<std::string>{"green"});
  std::string notes;
  for (const std::string& note : fitted.notes) {
    notes += note + "\n";
  }
  expect_holds(notes, "'spare'");
  expect_holds(notes, "'city=Oslo'");
  expect_holds(notes, "'green'");
}

TEST(NewData, MissingColumnsAreNamed) {
  const Dataset given = row_of_nodes({"b", "c"}, {"x", "y"}, {0, 1, 0});
  const std::string text = error_text([&] { fit_to_model(given, knows({"a", "b", "d"}, {"x", "y"})); });
  expect_holds(text, "new.safetensors");
  expect_holds(text, "2 of the 3 columns");
  expect_holds(text, "'a', 'd'");
  Dataset nameless = given;
  nameless.feature_names.clear();
  expect_holds(error_text([&] {
                 fit_to_model(nameless, knows({"a", "b", "d"}, {"x", "y"}));
               }),
               "it has 2 feature columns");
  EXPECT_EQ(row_values(fit_to_model(nameless, knows({"a", "b"}, {"x", "y"})).dataset, 0), (std::vector<float>{1, 2}));
}

TEST(NewData, WordsThatWereTakenForNamesAreExplained) {
  const Dataset given = row_of_nodes({"age", "b"}, {"x", "y"}, {0, 1, 0});
  const auto refusal = [&](const std::vector<std::string>& known) {
    return error_text([&] { fit_to_model(given, knows(known, {"x", "y"})); });
  };
  EXPECT_TRUE(refusal({"age", "city=Lima", "city=Oslo", "job=cook"})
                  .ends_with("; where they have such a column, import them with --one-hot city,job"));
  EXPECT_TRUE(refusal({"age", "height"}).ends_with("it has 'age', 'b'"));
}

TEST(NewData, AnyOrderOfColumnsIsTheSameData) {
  EXPECT_TRUE(rc::check("columns come back to their places", [] {
    const auto count = *rc::gen::inRange<std::size_t>(1, 9);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = count; left > 1; --left) {
      std::swap(order[left - 1], order[*rc::gen::inRange<std::size_t>(0, left)]);
    }
    std::vector<std::string> known, given;
    for (std::size_t index = 0; index < count; ++index) {
      known.push_back("f" + std::to_string(index));
    }
    for (const std::size_t place : order) {
      given.push_back(known[place]);
    }
    const Dataset dataset = row_of_nodes(given, {"x", "y"}, {0, 1, 0});
    const FittedData fitted = fit_to_model(dataset, knows(known, {"x", "y"}));
    for (std::size_t column = 0; column < count; ++column) {
      RC_ASSERT(row_values(fitted.dataset, 1)[order[column]] == row_values(dataset, 1)[column]);
    }
    Dataset sparse = dataset;
    sparse.graphs.features = sparse.graphs.features.to_sparse_csr();
    const at::Tensor back = fit_to_model(sparse, knows(known, {"x", "y"})).dataset.graphs.features.to_dense();
    RC_ASSERT(at::equal(back, fitted.dataset.graphs.features));
  }));
}

Dataset with_types(std::vector<std::int64_t> types, std::vector<std::string> names) {
  Dataset dataset = row_of_nodes({"a"}, {"x", "y"}, {0, 1, 0});
  dataset.graphs.features = at::tensor(types);
  dataset.num_node_types = static_cast<std::int64_t>(names.size());
  dataset.feature_names = std::move(names);
  return dataset;
}

TrainedOn knows_types(std::vector<std::string> types) {
  TrainedOn trained = knows({}, {"x", "y"});
  trained.node_types = static_cast<std::int64_t>(types.size());
  trained.feature_names = std::move(types);
  return trained;
}

TEST(NewData, NodeTypesByName) {
  const auto types_of = [](const FittedData& fitted) {
    const auto* type = fitted.dataset.graphs.features.data_ptr<std::int64_t>();
    return std::vector<std::int64_t>(type, type + 3);
  };
  const FittedData fitted = fit_to_model(with_types({0, 1, 0}, {"O", "C"}), knows_types({"C", "N", "O"}));
  EXPECT_EQ(types_of(fitted), (std::vector<std::int64_t>{2, 0, 2}));
  expect_holds(error_text([] {
                 fit_to_model(with_types({0, 1, 0}, {"O", "Xe"}), knows_types({"C", "N", "O"}));
               }),
               "does not know the node type 'Xe'");
  const FittedData unused = fit_to_model(with_types({0, 0, 0}, {"O", "Xe"}), knows_types({"C", "N", "O"}));
  EXPECT_EQ(types_of(unused), (std::vector<std::int64_t>{2, 2, 2})) << "a type that no node has is no matter";
  const FittedData degrees = fit_to_model(with_types({0, 1, 2}, {"in-degree 0", "in-degree 1", "in-degree 2"}),
                                          knows_types({"in-degree 0", "in-degree 1"}));
  EXPECT_EQ(types_of(degrees), (std::vector<std::int64_t>{0, 1, 1}));
  ASSERT_EQ(degrees.notes.size(), 1U);
  expect_holds(degrees.notes[0], "1 node has an in-degree beyond 1");
  expect_holds(error_text([] {
                 fit_to_model(with_types({0, 0, 0}, {"O"}), knows({"a"}, {"x"}));
               }),
               "columns of numbers");
}

TEST(NewData, EdgeTypesByName) {
  const auto with_types = [](std::vector<std::string> names, std::vector<std::int32_t> types) {
    Dataset dataset = row_of_nodes({"age"}, {"no", "yes"}, {0, 1, 0});
    dataset.num_edge_types = static_cast<std::int64_t>(names.size());
    dataset.truth.type_names = std::move(names);
    dataset.graphs.edge_types = at::tensor(types, at::kInt);
    return dataset;
  };
  TrainedOn trained = knows({"age"}, {"no", "yes"});
  trained.edge_types = 3;
  trained.edge_type_names = {"single", "double", "triple"};
  const FittedData fitted = fit_to_model(with_types({"triple", "single"}, {0, 1}), trained);
  EXPECT_TRUE(at::equal(fitted.dataset.graphs.edge_types, at::tensor({2, 0}, at::kInt)));
  EXPECT_EQ(fitted.dataset.num_edge_types, 3);
  const std::string text = usage_error_text([&] { fit_to_model(with_types({"single", "ionic"}, {0, 1}), trained); });
  expect_holds(text, "edge type 'ionic'");
  expect_holds(text, "'single', 'double', 'triple'");
  trained.edge_type_names.clear();  // a run of an older version: numbers are all there is
  EXPECT_TRUE(at::equal(fit_to_model(with_types({"a", "b"}, {1, 0}), trained).dataset.graphs.edge_types,
                        at::tensor({1, 0}, at::kInt)));
}

TEST(NewData, WithoutLabelsOfItsKindThereIsNoTruth) {
  Dataset unlabelled = row_of_nodes({"a"}, {}, {0, 0, 0});
  unlabelled.task = Task::kNone;
  unlabelled.targets = at::Tensor();
  unlabelled.split = {};
  const FittedData fitted = fit_to_model(unlabelled, knows({"a"}, {"x", "y"}));
  EXPECT_EQ(fitted.dataset.task, Task::kNodeClass);
  EXPECT_FALSE(fitted.dataset.targets.defined());
  EXPECT_EQ(fitted.dataset.labelled.numel(), 3);
  EXPECT_TRUE(fitted.notes.empty());
}

TEST(TrainedOn, ContentTellsWhatModelsSee) {
  const Dataset dataset = row_of_nodes({"a", "b"}, {"x", "y"}, {0, 1, 0});
  const std::string content = data_content(dataset);
  Dataset same = dataset;
  same.name = "another name";
  same.node_names = {"p", "q", "r"};
  EXPECT_EQ(data_content(same), content);
  Dataset other = row_of_nodes({"a", "b"}, {"x", "y"}, {0, 1, 0});
  other.graphs.features[1][1] = 7;
  EXPECT_NE(data_content(other), content);
  other = row_of_nodes({"a", "b"}, {"x", "y"}, {0, 1, 1});
  EXPECT_NE(data_content(other), content);
  other = dataset;
  other.split.test = {2};
  other.split.train = {0, 1};
  EXPECT_NE(data_content(other), content);
}

TEST(CountedNames, AreWrittenShortAndComeBack) {
  EXPECT_EQ(shorten_names({"age", "f[1]", "f[2]", "f[3]", "g[1]", "h"}),
            (std::vector<std::string>{"age", "f[1..3]", "g[1]", "h"}));
  EXPECT_TRUE(rc::check("any names come back", [] {
    std::vector<std::string> names;
    for (int count = *rc::gen::inRange(0, 12); count > 0; --count) {
      const std::string stem = *rc::gen::element(std::string("f"), std::string("a b"), std::string("f[2]"));
      names.push_back(stem + *rc::gen::element(std::string(), std::string("[1..3]"), std::string("[01]")) +
                      (*rc::gen::arbitrary<bool>() ? "[" + std::to_string(*rc::gen::inRange(0, 4)) + "]" : ""));
    }
    const bool shortened_itself =
        std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.ends_with("[1..3]"); });
    const std::vector<std::string> shorter = shorten_names(names);
    const bool comes_back = (shortened_itself ? shorter : lengthen_names(shorter)) == names;
    RC_ASSERT(comes_back);
  }));
}

TEST(CountedNames, OfAStrangersFileDoNotTakeAllMemory) {
  const std::vector<std::string> many(1000, "f[1..4000000]");
  EXPECT_LT(lengthen_names(many).size(), std::size_t{1} << 23);
  EXPECT_EQ(lengthen_names({std::string(100'000, 'f') + "[1..4000000]"}).size(), 1U);
  EXPECT_EQ(lengthen_names({"f[-3..2]", "f[5..5]", "f[3..2]"}),
            (std::vector<std::string>{"f[-3..2]", "f[5..5]", "f[3..2]"}));
}

}  // namespace
}  // namespace factorgcn
