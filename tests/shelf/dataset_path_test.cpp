// Data sets by path: folders and archives wherever they lie, and what to say about names that are none.
#include "factorgcn/shelf/dataset_path.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/io/zip_source.h"
#include "factorgcn/shelf/open.h"
#include "shelf/data_folder.h"
#include "shelf/tiny_archive.h"
#include "shelf/tu_folder.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;
using factorgcn::testing::write_tu_folder;

TEST(DatasetPath, FoldersHoldTheSetOfTheirEdgeFile) {
  const DataFolder folder;
  write_tu_folder(folder.path(""), "RINGS", 40);
  std::filesystem::rename(folder.path("RINGS"), folder.path("renamed"));
  for (const std::string& path : {folder.path("renamed").string(), folder.path("renamed/").string()}) {
    const Dataset dataset = open_dataset(path, {});
    EXPECT_EQ(dataset.name, "RINGS");
    EXPECT_EQ(dataset.graphs.num_graphs(), 40);
    EXPECT_FALSE(dataset.split.test.empty());
  }
  EXPECT_TRUE(describe_data(folder.path("renamed").string(), {}).has_folds);
  EXPECT_EQ(open_dataset(folder.path("renamed").string(), {{"folds", std::int64_t{4}}}).split.test.size(), 10U);
}

TEST(DatasetPath, EveryPlaceHasAParsedCopyOfItsOwn) {
  const DataFolder folder;
  write_tu_folder(folder.path("a"), "RINGS", 40);
  write_tu_folder(folder.path("b"), "RINGS", 60);
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<std::string> messages;
    const auto listen = [&](const std::string& line) { messages.push_back(line); };
    EXPECT_EQ(open_dataset(folder.path("a/RINGS").string(), {}, listen).graphs.num_graphs(), 40);
    EXPECT_EQ(open_dataset(folder.path("b/RINGS").string(), {}, listen).graphs.num_graphs(), 60);
    EXPECT_TRUE(messages.empty()) << messages.front();
  }
}

TEST(DatasetPath, ArchivesAreReadWhereverTheyLie) {
  if (!can_read_zip()) {
    GTEST_SKIP() << "this build has no libzip";
  }
  const DataFolder folder;
  write_bytes(folder.path("download.zip"), make_archive(tiny_files("TINY"), "TINY"));
  EXPECT_TRUE(is_dataset_path(folder.path("download.zip").string()));
  EXPECT_EQ(find_dataset_at(folder.path("download.zip")).entry.name, "TINY");
  // A listed set's own name brings what is known of it.
  write_bytes(folder.path("other.zip"), make_archive(tiny_files("IMDB-BINARY"), "x"));
  EXPECT_EQ(find_dataset_at(folder.path("other.zip")).entry.name, "imdb-b");
}

TEST(DatasetPath, OtherFoldersSayWhatIsMissing) {
  const DataFolder folder;
  std::filesystem::create_directories(folder.path("empty"));
  expect_holds(error_text([&] { open_dataset(folder.path("empty").string(), {}); }), "it holds no file NAME_A.txt");
  write_bytes(folder.path("two/A_A.txt"), "");
  write_bytes(folder.path("two/B_A.txt"), "");
  expect_holds(error_text([&] { find_dataset_at(folder.path("two")); }), "the edges of two data sets, A_A.txt and B_A");
}

TEST(DatasetPath, GraphFilesAreToBeImported) {
  const DataFolder folder;
  write_bytes(folder.path("g.gml.gz"), "x");
  expect_holds(error_text([&] { open_dataset(folder.path("g.gml.gz").string(), {}); }),
               "g.gml.gz is a graph (GML) and no data-set file yet; make one of it: factorgcn data import " +
                   folder.path("g.gml.gz").string() + " --out g.safetensors");
}

TEST(DatasetPath, NamesThatAreNearAreSuggested) {
  const DataFolder folder;
  const auto text = [](const std::string& name) { return error_text([&] { open_dataset(name, {}); }); };
  expect_holds(text("proteins"), "did you mean 'PROTEINS'?");
  expect_holds(text("proteins"), "factorgcn data fetch PROTEINS");
  expect_holds(text("imdb-mutli"), "did you mean 'IMDB-MULTI'?");
  expect_holds(text("sinthetic"), "did you mean 'synthetic'? Known: synthetic, ");
  expect_holds(text("qqqqqqq"), "unknown data set 'qqqqqqq'; known: synthetic, ");
  write_tu_folder(folder.root(), "Starlings", 10);
  expect_holds(text("starlings"), "did you mean 'Starlings'?");
  expect_holds(text("Starlinks"), "did you mean 'Starlings'?");
}

}  // namespace
}  // namespace factorgcn
