// Where data sets are looked for.
#include "factorgcn/shelf/data_root.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "shelf/data_folder.h"

namespace factorgcn {
namespace {

TEST(DataRoot, IsWhatTheVariableSays) {
  const EnvironmentVariable data("FACTORGCN_DATA", "/some/where");
  EXPECT_EQ(data_root(), "/some/where");
}

TEST(DataRoot, OfARelativeVariableCountsFromTheCurrentFolder) {
  const EnvironmentVariable data("FACTORGCN_DATA", "graphs");
  EXPECT_EQ(data_root(), std::filesystem::current_path() / "graphs");
}

TEST(DataRoot, IsInTheCacheFolder) {
  const EnvironmentVariable data("FACTORGCN_DATA", nullptr);
  const EnvironmentVariable cache("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(data_root(), "/caches/factorgcn");
}

TEST(DataRoot, IsInTheHomeFolderLast) {
  const EnvironmentVariable data("FACTORGCN_DATA", "");
  const EnvironmentVariable home("HOME", "/home/someone");
  {
    const EnvironmentVariable cache("XDG_CACHE_HOME", nullptr);
    EXPECT_EQ(data_root(), "/home/someone/.cache/factorgcn");
  }
  {
    const EnvironmentVariable relative("XDG_CACHE_HOME", "not/absolute");
    EXPECT_EQ(data_root(), "/home/someone/.cache/factorgcn");
  }
}

TEST(DataRoot, MustBeKnown) {
  const EnvironmentVariable data("FACTORGCN_DATA", nullptr);
  const EnvironmentVariable cache("XDG_CACHE_HOME", nullptr);
  const EnvironmentVariable home("HOME", nullptr);
  EXPECT_NE(error_text([] { data_root(); }).find("set FACTORGCN_DATA to a folder"), std::string::npos);
}

TEST(DatasetFiles, AreTheFolderOrTheArchive) {
  const DataFolder data;
  EXPECT_FALSE(find_dataset_files("TINY"));
  EXPECT_FALSE(std::filesystem::exists(data.root())) << "asking must not make the data root";

  write_bytes(data.root("TINY.zip"), "any");
  ASSERT_TRUE(find_dataset_files("TINY"));
  EXPECT_EQ(find_dataset_files("TINY")->path, data.root("TINY.zip"));
  EXPECT_TRUE(find_dataset_files("TINY")->is_zip);

  write_bytes(data.root("TINY/readme.txt"), "no data");
  EXPECT_TRUE(find_dataset_files("TINY")->is_zip) << "a folder without the edges is no data set";
  write_bytes(data.root("TINY/TINY_A.txt"), "1, 2\n");
  EXPECT_FALSE(find_dataset_files("TINY")->is_zip);
  EXPECT_EQ(find_dataset_files("TINY")->path, data.root("TINY"));

  std::filesystem::create_directories(data.root("OTHER.zip"));
  EXPECT_FALSE(find_dataset_files("OTHER")) << "a folder is no archive";
}

TEST(DatasetFiles, AreNeverOutsideTheRoot) {
  const DataFolder data;
  write_bytes(data.path("up.zip"), "any");
  EXPECT_FALSE(find_dataset_files(""));
  EXPECT_NE(error_text([] { find_dataset_files("../up"); }), "no error");
  EXPECT_NE(error_text([] { find_dataset_files(".."); }), "no error");
}

}  // namespace
}  // namespace factorgcn
