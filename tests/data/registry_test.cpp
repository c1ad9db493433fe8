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
    EXPECT_NE(entry.make == nullptr, entry.read == nullptr) << entry.name << " is generated or stored";
    EXPECT_EQ(entry.file_stem.empty(), entry.is_generated()) << entry.name;
    EXPECT_EQ(entry.facts.graphs == 0, entry.is_generated()) << entry.name;
    EXPECT_EQ(&find_dataset(entry.name), &entry);
  }
  EXPECT_TRUE(names.count("synthetic"));
}

TEST(DatasetRegistry, KnowsFileNamesInAnyCase) {
  EXPECT_EQ(lookup_dataset("IMDB-BINARY"), lookup_dataset("imdb-b"));
  EXPECT_EQ(lookup_dataset("Mutag"), &find_dataset("mutag"));
  EXPECT_EQ(lookup_dataset("PROTEINS"), nullptr);
  EXPECT_EQ(lookup_dataset(""), nullptr);
}

TEST(DatasetRegistry, MakesAnEntryForAnyTuName) {
  const DatasetEntry entry = tu_entry("NCI-H23_2.0");
  EXPECT_EQ(entry.file_stem, "NCI-H23_2.0");
  EXPECT_NE(entry.read, nullptr);
  for (const char* wrong : {"", "../x", "a/b", ".hidden", "a b", "a\\b"}) {
    EXPECT_NE(usage_error_text([&] { tu_entry(wrong); }).find("cannot be a data set's name"), std::string::npos)
        << wrong;
  }
}

TEST(DatasetRegistry, StoredSetsAreNotMade) {
  EXPECT_EQ(usage_error_text([] { make_dataset("mutag"); }), "data set mutag is not generated; it is read from files");
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
