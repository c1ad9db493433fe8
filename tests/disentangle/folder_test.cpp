// The folder of a result: who may write, what goes on, what is refused.
#include "factorgcn/disentangle/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

class DisentangleFolderTest : public ::testing::Test {
 protected:
  DisentangleFolderTest() : path_(fs::temp_directory_path() / concat("factorgcn-folder-", ::getpid())) {
    fs::remove_all(path_);
  }
  ~DisentangleFolderTest() override { fs::remove_all(path_); }

  static nlohmann::ordered_json settings(int seed) {
    return {{"method", "groups"}, {"seed", seed}, {"content", "abc"}};
  }

  fs::path path_;
};

TEST_F(DisentangleFolderTest, StepsOutliveTheProcessAndGoWithTheResult) {
  const std::vector<float> numbers{1.5F, -2, 0};
  {
    const DisentangleFolder folder(path_, settings(0), false);
    EXPECT_FALSE(folder.kept("start 1").has_value());
    folder.keep("start 1", numbers);
    folder.keep("none", {});
  }
  const DisentangleFolder folder(path_, settings(0), false);
  EXPECT_EQ(folder.kept("start 1"), numbers);
  EXPECT_EQ(folder.kept("none"), std::vector<float>{});
  EXPECT_FALSE(folder.kept("start 2").has_value());
  EXPECT_FALSE(folder.is_done());
  folder.finish({{"relations", 3}});
  EXPECT_TRUE(folder.is_done());
  EXPECT_FALSE(folder.kept("start 1").has_value());
}

TEST_F(DisentangleFolderTest, DamagedStepsAreForgotten) {
  const DisentangleFolder folder(path_, settings(0), false);
  folder.keep("start 1", {1, 2, 3});
  for (const auto& entry : fs::directory_iterator(path_ / "steps")) {
    const std::string whole = read_file(entry.path());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      write_file_atomically(entry.path(), whole.substr(0, length));
      EXPECT_FALSE(folder.kept("start 1").has_value()) << length;
      std::string changed = whole;
      changed[length] = static_cast<char>(changed[length] ^ 4);
      write_file_atomically(entry.path(), changed);
      EXPECT_FALSE(folder.kept("start 1").has_value()) << length;
    }
  }
}

TEST_F(DisentangleFolderTest, AnotherResultIsReplacedOnlyWhereThatIsSaid) {
  { DisentangleFolder(path_, settings(0), false).keep("start 1", {1}); }
  try {
    const DisentangleFolder folder(path_, settings(1), false);
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("seed is 1 instead of 0"), std::string::npos) << error.what();
  }
  write_file_atomically(path_ / "notes.md", "mine");
  const DisentangleFolder folder(path_, settings(1), true);
  EXPECT_FALSE(folder.kept("start 1").has_value());
  EXPECT_TRUE(fs::exists(path_ / "notes.md"));
}

TEST_F(DisentangleFolderTest, FoldersOfOthersAreLeftAlone) {
  fs::create_directories(path_);
  write_file_atomically(path_ / "thesis.tex", "x");
  EXPECT_THROW(DisentangleFolder(path_, settings(0), false), UsageError);
  EXPECT_THROW(DisentangleFolder(path_, settings(0), true), UsageError);
  EXPECT_THROW(DisentangleFolder(path_ / "thesis.tex", settings(0), false), UsageError);
}

TEST_F(DisentangleFolderTest, OneProcessAtATime) {
  const DisentangleFolder folder(path_, settings(0), false);
  EXPECT_THROW(DisentangleFolder(path_, settings(0), false), Error);
}

}  // namespace
}  // namespace factorgcn
