// The list of data sets.
#include "factorgcn/data/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "base/error_text.h"
#include "factorgcn/data/synthetic.h"

namespace factorgcn {
namespace {

TEST(DatasetRegistry, NamesAreUniqueAndEntriesComplete) {
  std::set<std::string_view> names;
  for (const DatasetEntry& entry : dataset_registry()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_NE(entry.make, nullptr) << entry.name;
    EXPECT_EQ(&find_dataset(entry.name), &entry);
  }
  EXPECT_TRUE(names.count("synthetic"));
}

TEST(DatasetRegistry, PassesOptionsOn) {
  DatasetOptions options;
  options.factors = 3;
  options.train = 5;
  options.validation = 2;
  options.test = 4;
  options.seed = 9;
  const Dataset dataset = make_dataset("synthetic", options);
  SyntheticOptions direct;
  direct.factors = 3;
  direct.train = 5;
  direct.validation = 2;
  direct.test = 4;
  direct.seed = 9;
  EXPECT_TRUE(dataset.graphs.features.equal(make_synthetic(direct).graphs.features));
  EXPECT_EQ(dataset.num_outputs, 3);
  EXPECT_EQ(dataset.split.train.size(), 5U);
  EXPECT_EQ(dataset.split.validation.size(), 2U);
  EXPECT_EQ(dataset.split.test.size(), 4U);
}

TEST(DatasetRegistry, KeepsPublishedSizesWhereNothingIsGiven) {
  DatasetOptions options;
  options.train = 10;
  options.test = 0;
  EXPECT_EQ(make_dataset("synthetic", options).split.validation.size(), 2000U);
}

TEST(DatasetRegistry, SuggestsTheNearestName) {
  const std::string near = usage_error_text([] { make_dataset("sinthetic"); });
  EXPECT_EQ(near.rfind("unknown data set 'sinthetic'; did you mean 'synthetic'? Known: ", 0), 0U) << near;
  const std::string far = usage_error_text([] { find_dataset("qqqq"); });
  EXPECT_EQ(far.rfind("unknown data set 'qqqq'; known: ", 0), 0U) << far;
  for (const DatasetEntry& entry : dataset_registry()) {
    EXPECT_NE(far.find(entry.name), std::string::npos) << far;
  }
}

}  // namespace
}  // namespace factorgcn
