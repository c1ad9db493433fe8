// Data by name: settings that apply, splits that follow from them, and errors that say what to do.
#include "factorgcn/shelf/open.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error_text.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/io/dataset_file.h"
#include "shelf/tu_folder.h"

namespace factorgcn {
namespace {

using testing::write_tu_folder;

TEST(DescribeData, CompletesSettingsOfGeneratedData) {
  const DataDescription synthetic = describe_data("synthetic", {{"factors", std::int64_t{6}}});
  EXPECT_EQ(synthetic.relation_types, 6);
  EXPECT_EQ(std::get<std::int64_t>(synthetic.settings.at("train")), 14000);
  const DataDescription pattern = describe_data("pattern", {{"test", std::int64_t{5}}});
  EXPECT_EQ(std::get<std::int64_t>(pattern.settings.at("train")), 10000);
  EXPECT_EQ(std::get<std::int64_t>(pattern.settings.at("test")), 5);
  EXPECT_FALSE(pattern.settings.contains("factors"));
  EXPECT_NE(usage_error_text([] {
              describe_data("pattern", {{"factors", std::int64_t{4}}});
            }).find("'factors'"),
            std::string::npos);
}

TEST(DescribeData, GivesFoldsToClassesOfGraphs) {
  const DataDescription mutag = describe_data("MUTAG", {{"fold", std::int64_t{3}}});
  EXPECT_EQ(mutag.name, "mutag");
  EXPECT_TRUE(mutag.has_folds);
  EXPECT_EQ(std::get<std::int64_t>(mutag.settings.at("fold")), 3);
  EXPECT_EQ(std::get<std::string>(mutag.settings.at("fold_kind")), "published");
  EXPECT_TRUE(std::get<bool>(mutag.settings.at("inner_validation")));
  EXPECT_NE(usage_error_text([] {
              describe_data("mutag", {{"fold", std::int64_t{11}}});
            }).find("1 to 10"),
            std::string::npos);
  EXPECT_NE(usage_error_text([] {
              describe_data("mutag", {{"folds", std::int64_t{5}}});
            }).find("folds"),
            std::string::npos);
  EXPECT_NE(usage_error_text([] {
              describe_data("mutag", {{"train", std::int64_t{5}}});
            }).find("'train'"),
            std::string::npos);
}

TEST(OpenDataset, SaysWhichCommandGetsWhatIsMissing) {
  const DataFolder folder;
  EXPECT_EQ(usage_error_text([] { open_dataset("mutag", {}); }),
            "data set mutag is not in " + folder.root().string() + "; get it with: factorgcn data fetch mutag");
  EXPECT_NE(usage_error_text([] { open_dataset("zinc", {}); }).find("data fetch zinc --mirror"), std::string::npos);
  EXPECT_NE(usage_error_text([] { open_dataset("PROTEINS", {}); }).find("factorgcn data fetch PROTEINS"),
            std::string::npos);
  EXPECT_EQ(usage_error_text([] { open_dataset("no/such.safetensors", {}); }),
            "data set file no/such.safetensors does not exist");
}

TEST(OpenDataset, ReadsAnyTuSetAndSplitsItByFold) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 40);
  const Settings settings{{"fold", std::int64_t{2}}, {"folds", std::int64_t{4}}};
  const Dataset dataset = open_dataset("RINGS", settings);
  EXPECT_EQ(dataset.name, "RINGS");
  EXPECT_EQ(dataset.split.test.size(), 10U);
  EXPECT_EQ(dataset.split.validation.size(), 10U);
  EXPECT_EQ(dataset.split.train.size(), 20U);
  EXPECT_TRUE(folder.has("parsed/RINGS.safetensors"));
  std::set<std::int64_t> tested;
  for (std::int64_t fold = 1; fold <= 4; ++fold) {
    const Dataset again = open_dataset("RINGS", {{"fold", fold}, {"folds", std::int64_t{4}}, {"seed", fold}});
    tested.insert(again.split.test.begin(), again.split.test.end());
  }
  EXPECT_EQ(tested.size(), 40U) << "a run's seed must not move graphs between folds";
  EXPECT_NE(usage_error_text([] {
              open_dataset("RINGS", {{"fold_kind", std::string("published")}});
            }).find("no folds were published"),
            std::string::npos);
}

TEST(OpenDataset, TellsWhenAParsedCopyIsMadeAnew) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 20);
  open_dataset("RINGS", {});
  write_tu_folder(folder.root(), "RINGS", 30);
  std::string said;
  EXPECT_EQ(open_dataset("RINGS", {}, [&](const std::string& line) { said += line; }).graphs.num_graphs(), 30);
  EXPECT_NE(said.find("RINGS"), std::string::npos) << said;
}

TEST(OpenDataset, KeepsAFilesOwnSplitUnlessAFoldIsAskedFor) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 20);
  Dataset dataset = open_dataset("RINGS", {});
  dataset.split = {{0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}, {3}, {4, 5}};
  const std::string path = folder.path("own.safetensors").string();
  save_dataset(path, dataset);
  EXPECT_EQ(open_dataset(path, {{"seed", std::int64_t{1}}}).split.test, (std::vector<std::int64_t>{4, 5}));
  EXPECT_TRUE(describe_data(path, {{"seed", std::int64_t{1}}}).settings.empty());
  EXPECT_EQ(open_dataset(path, {{"fold", std::int64_t{1}}}).split.test.size(), 2U);
  EXPECT_EQ(open_dataset(path, {{"fold", std::int64_t{1}}}).split.train.size(), 16U);
}

TEST(OpenDataset, DrawsASplitForTargetsWithoutOne) {
  const DataFolder folder;
  Dataset dataset = make_synthetic({.factors = 2, .train = 50, .validation = 0, .test = 0});
  dataset.split = {};
  const std::string path = folder.path("own.safetensors").string();
  save_dataset(path, dataset);
  const Dataset opened = open_dataset(path, {{"seed", std::int64_t{3}}});
  EXPECT_EQ(opened.split.train.size(), 40U);
  EXPECT_EQ(std::get<std::int64_t>(describe_data(path, {{"seed", std::int64_t{3}}}).settings.at("seed")), 3);
}

}  // namespace
}  // namespace factorgcn
