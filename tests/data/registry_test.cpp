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

TEST(DatasetRegistry, PassesSettingsOn) {
  const Settings settings{{"factors", std::int64_t{3}},
                          {"train", std::int64_t{5}},
                          {"validation", std::int64_t{2}},
                          {"test", std::int64_t{4}},
                          {"seed", std::int64_t{9}}};
  const Dataset dataset = make_dataset("synthetic", settings);
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
  const Settings settings{{"train", std::int64_t{10}}, {"test", std::int64_t{0}}};
  EXPECT_EQ(make_dataset("synthetic", settings).split.validation.size(), 2000U);
}

TEST(DatasetRegistry, SettingsOfGeneratorsAreCompleteAndInRange) {
  for (const DatasetEntry& entry : dataset_registry()) {
    std::set<std::string> names;
    for (const GeneratorSetting& setting : entry.settings) {
      EXPECT_TRUE(names.insert(setting.name).second) << entry.name << " " << setting.name;
      EXPECT_FALSE(setting.help.empty()) << setting.name;
      EXPECT_TRUE(setting.least <= setting.usual && setting.usual <= setting.most) << entry.name << " " << setting.name;
    }
    EXPECT_EQ(names.count("seed") == 1, entry.is_generated()) << entry.name;
    EXPECT_TRUE(entry.relations_setting.empty() || names.count(entry.relations_setting) == 1) << entry.name;
    if (entry.is_generated()) {
      EXPECT_EQ(generator_settings(entry, {}).size(), entry.settings.size());
    }
  }
  const DatasetEntry& synthetic = find_dataset("synthetic");
  EXPECT_EQ(std::get<std::int64_t>(generator_settings(synthetic, {}).at("train")), SyntheticOptions{}.train);
  EXPECT_EQ(usage_error_text([&] {
              generator_settings(synthetic, {{"factors", std::int64_t{7}}});
            }),
            "data set synthetic: setting 'factors' is 7; it must be an integer from 2 to 6");
  EXPECT_EQ(usage_error_text([&] {
              generator_settings(synthetic, {{"tarin", std::int64_t{7}}});
            }).rfind("data set synthetic: unknown setting 'tarin'; did you mean 'train'?", 0),
            0U);
}

TEST(DatasetRegistry, ListsAProgramsOwnDataSet) {
  DatasetEntry entry;
  entry.name = "own-rings";
  entry.summary = "made for this test";
  entry.settings = {{"train", 6, 1, 10, "graphs to train on"}, {"seed", 0, 0, 9, "of nothing"}};
  entry.make = [](const Settings& settings) {
    return make_synthetic({.factors = 2, .train = std::get<std::int64_t>(settings.at("train")), .validation = 1});
  };
  add_dataset(entry);
  EXPECT_EQ(make_dataset("OWN-RINGS", {{"train", std::int64_t{3}}}).split.train.size(), 3U);
  EXPECT_EQ(usage_error_text([&] { add_dataset(entry); }), "data set own-rings is listed already");
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
