// Folds: every graph tested once, classes in equal shares, and splits that never overlap.
#include "factorgcn/data/folds.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error_text.h"
#include "factorgcn/data/random_split.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

/// As many one-node graphs as there are classes given.
Dataset class_dataset(const std::vector<std::int64_t>& classes) {
  Dataset dataset;
  dataset.name = "classes";
  dataset.task = Task::kGraphClass;
  dataset.num_outputs = *std::max_element(classes.begin(), classes.end()) + 1;
  const std::vector<Graph> graphs(classes.size(), Graph{"point", 1, {}, {}, brute_force::counting_features(1, 1)});
  dataset.graphs = make_store(graphs);
  dataset.targets = brute_force::tensor(classes);
  return dataset;
}

TEST(PublishedFolds, AreThereForTheThreeSets) {
  const std::map<std::string, std::pair<std::size_t, int>> expected{
      {"mutag", {188, 18}}, {"imdb-b", {1000, 100}}, {"collab", {5000, 500}}};
  for (const auto& [name, sizes] : expected) {
    const auto folds = published_folds(name);
    ASSERT_TRUE(folds.has_value()) << name;
    EXPECT_EQ(folds->size(), sizes.first);
    for (int fold = 0; fold < 10; ++fold) {
      EXPECT_EQ(std::count(folds->begin(), folds->end(), fold), sizes.second) << name << " fold " << fold;
    }
    EXPECT_EQ(std::count(folds->begin(), folds->end(), -1), name == "mutag" ? 8 : 0);
  }
  EXPECT_FALSE(published_folds("zinc").has_value());
  EXPECT_FALSE(published_folds("MUTAG").has_value()) << "names are the registry's";
}

std::map<std::string, std::string> fold_files() {
  std::map<std::string, std::string> files;
  for (int fold = 0; fold < 10; ++fold) {
    files["test_idx-" + std::to_string(fold + 1) + ".txt"] = std::to_string(fold) + "\r\n" + std::to_string(19 - fold);
  }
  return files;
}

TEST(ReadFolds, TakesIndicesThroughTheOrder) {
  const auto plain = read_folds(MemorySource(fold_files()), 21);
  EXPECT_EQ(plain[0], 0);
  EXPECT_EQ(plain[19], 0);
  EXPECT_EQ(plain[9], 9);
  EXPECT_EQ(plain[20], -1);
  std::vector<std::int64_t> order;
  for (std::int64_t graph = 0; graph < 20; ++graph) {
    order.push_back(20 - graph);
  }
  const auto mapped = read_folds(MemorySource(fold_files()), 21, order);
  EXPECT_EQ(mapped[20], 0);
  EXPECT_EQ(mapped[11], 9);
  EXPECT_EQ(mapped[0], -1);
}

TEST(ReadFolds, NamesWhatIsWrong) {
  const auto text = [](const std::string& name, const std::string& content, std::int64_t graphs = 20) {
    auto files = fold_files();
    files[name] = content;
    return error_text([&] { read_folds(MemorySource(files, "folds"), graphs); });
  };
  EXPECT_EQ(text("test_idx-3.txt", "2\nx7\n"),
            "folds: test_idx-3.txt line 2: found 'x7', expected a graph's index from 0");
  EXPECT_EQ(text("test_idx-1.txt", "20\n"), "folds: test_idx-1.txt line 1: found 20, expected 0 .. 19");
  EXPECT_EQ(text("test_idx-2.txt", "1\n0\n"), "folds: test_idx-2.txt line 2: graph 0 is tested in fold 1 already");
  auto files = fold_files();
  files.erase("test_idx-4.txt");
  EXPECT_NE(error_text([&] { read_folds(MemorySource(files, "folds"), 20); }).find("test_idx-4.txt"),
            std::string::npos);
}

RC_GTEST_PROP(StratifiedFolds, DealEachClassEvenly, ()) {
  const int count = *rc::gen::inRange(2, 12);
  const auto classes =
      *rc::gen::suchThat(rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 4)),
                         [&](const auto& list) { return static_cast<int>(list.size()) >= count; });
  const auto folds = stratified_folds(classes, count, 5);
  RC_ASSERT(folds.size() == classes.size());
  std::map<std::pair<std::int64_t, int>, int> of_class;
  std::map<int, int> sizes;
  for (std::size_t graph = 0; graph < folds.size(); ++graph) {
    RC_ASSERT(folds[graph] >= 0 && folds[graph] < count);
    ++of_class[{classes[graph], folds[graph]}];
    ++sizes[folds[graph]];
  }
  for (std::int64_t label = 0; label < 4; ++label) {
    int least = 1 << 30, most = 0;
    for (int fold = 0; fold < count; ++fold) {
      least = std::min(least, of_class[{label, fold}]);
      most = std::max(most, of_class[{label, fold}]);
    }
    RC_ASSERT(most - least <= 1);
  }
  const auto [smallest, largest] =
      std::minmax_element(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  RC_ASSERT(largest->second - smallest->second <= 1);
}

TEST(StratifiedFolds, DependOnTheSeedAlone) {
  const std::vector<std::int64_t> classes(50, 0);
  EXPECT_EQ(stratified_folds(classes, 5, 1), stratified_folds(classes, 5, 1));
  EXPECT_NE(stratified_folds(classes, 5, 1), stratified_folds(classes, 5, 2));
  EXPECT_EQ(usage_error_text([&] { stratified_folds(classes, 51, 0); }),
            "folds is 51; it must be from 2 to the number of graphs, 50");
  EXPECT_EQ(usage_error_text([&] { stratified_folds(classes, 1, 0); }),
            "folds is 1; it must be from 2 to the number of graphs, 50");
}

TEST(FoldSplit, KeepsTestTrainAndValidationApart) {
  std::vector<std::int64_t> classes;
  for (int graph = 0; graph < 60; ++graph) {
    classes.push_back(graph % 3 == 0 ? 1 : 0);
  }
  const Dataset dataset = class_dataset(classes);
  const auto folds = stratified_folds(classes, 6, 0);
  for (const bool inner : {false, true}) {
    const Split split = fold_split(dataset, folds, 2, inner, 0);
    EXPECT_EQ(split.test.size(), 10U);
    EXPECT_EQ(split.validation.size(), inner ? 10U : 0U);
    EXPECT_EQ(split.train.size(), inner ? 40U : 50U);
    std::set<std::int64_t> all(split.train.begin(), split.train.end());
    all.insert(split.validation.begin(), split.validation.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 60U);
    for (const std::int64_t graph : split.test) {
      EXPECT_EQ(folds[static_cast<std::size_t>(graph)], 2);
    }
    if (inner) {
      const auto ones = std::count_if(split.validation.begin(), split.validation.end(), [&](std::int64_t graph) {
        return classes[static_cast<std::size_t>(graph)] == 1;
      });
      EXPECT_GE(ones, 3);
      EXPECT_LE(ones, 4);
    }
  }
  EXPECT_NE(fold_split(dataset, folds, 2, true, 0).validation, fold_split(dataset, folds, 2, true, 1).validation);
}

TEST(FoldSplit, GraphsThatNoFoldTestsStillTrain) {
  const Dataset dataset = class_dataset({0, 1, 0, 1, 0, 1, 0});
  const std::vector<int> folds{0, 0, 1, 1, 2, 2, -1};
  const Split split = fold_split(dataset, folds, 1, false, 0);
  EXPECT_EQ(split.test, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(split.train, (std::vector<std::int64_t>{0, 1, 4, 5, 6}));
}

TEST(FoldSplit, NamesWhatIsWrong) {
  Dataset dataset = class_dataset({0, 1, 0, 1});
  const std::vector<int> folds{0, 0, 1, 1};
  EXPECT_EQ(usage_error_text([&] { fold_split(dataset, folds, 2, true, 0); }), "fold 3 does not exist; there are 2");
  EXPECT_EQ(error_text([&] {
              fold_split(dataset, std::vector<int>{0, 1}, 0, true, 0);
            }),
            "data set classes: 2 fold numbers for 4 graphs");
  dataset.task = Task::kNodeClass;
  EXPECT_NE(usage_error_text([&] { fold_split(dataset, folds, 0, true, 0); }).find("folds are for classes of graphs"),
            std::string::npos);
}

TEST(DrawSplit, GivesTenthsOfGraphsOrNodes) {
  Dataset dataset = class_dataset(std::vector<std::int64_t>(40, 0));
  draw_split(dataset, 7);
  EXPECT_EQ(dataset.split.train.size(), 32U);
  EXPECT_EQ(dataset.split.validation.size(), 4U);
  EXPECT_EQ(dataset.split.test.size(), 4U);
  EXPECT_NO_THROW(check_dataset(dataset));

  Dataset one;
  one.name = "one graph";
  one.task = Task::kNodeClass;
  one.num_outputs = 2;
  one.graphs = make_store(std::vector<Graph>{{"one", 30, {}, {}, brute_force::counting_features(30, 1)}});
  one.targets = brute_force::tensor(std::vector<std::int64_t>(30, 1));
  draw_split(one, 0);
  EXPECT_TRUE(one.node_split);
  EXPECT_EQ(one.split.train.size(), 24U);
  EXPECT_NO_THROW(check_dataset(one));

  Dataset few = class_dataset({0, 1, 0});
  EXPECT_EQ(usage_error_text([&] { draw_split(few, 0); }),
            "data set classes has no split and only 3 graphs, too few to draw one; give it a split");
}

TEST(Folds, GraphsInNoPartOfASplitAreInNoFold) {
  const std::vector<std::int64_t> classes{0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  Dataset dataset = class_dataset(classes);
  EXPECT_EQ(stratified_folds(dataset, 2, 0), stratified_folds(classes, 2, 0));
  dataset.split.train = {0, 1, 2, 3, 9};
  dataset.split.test = {6, 7, 8};
  const std::vector<int> folds = stratified_folds(dataset, 2, 0);
  EXPECT_EQ(folds[4], kInNoFold);
  EXPECT_EQ(folds[5], kInNoFold);
  std::set<std::int64_t> seen;
  for (int fold = 0; fold < 2; ++fold) {
    const Split split = fold_split(dataset, folds, fold, true, 0);
    EXPECT_EQ(split.train.size() + split.validation.size() + split.test.size(), 8U);
    EXPECT_EQ(split.test.size(), 4U);
    for (const auto* part : {&split.train, &split.validation, &split.test}) {
      seen.insert(part->begin(), part->end());
    }
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{0, 1, 2, 3, 6, 7, 8, 9}));
}

}  // namespace
}  // namespace factorgcn
