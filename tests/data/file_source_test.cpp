// Files of a folder and in memory come whole, in order and by plain names only.
#include "factorgcn/data/file_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

TEST(FolderSource, OffersFilesSortedAndLeavesFoldersOut) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "b.txt", "two");
  write_file_atomically(folder.path() / "a.txt", "one");
  std::filesystem::create_directory(folder.path() / "deep");
  write_file_atomically(folder.path() / "deep" / "c.txt", "three");
  std::filesystem::create_symlink("nowhere", folder.path() / "dangling");
  const FolderSource source(folder.path());
  EXPECT_EQ(source.names(), (std::vector<std::string>{"a.txt", "b.txt"}));
  EXPECT_EQ(source.origin(), folder.path().string());
  EXPECT_TRUE(source.has("a.txt"));
  EXPECT_FALSE(source.has("deep"));
  EXPECT_FALSE(source.has("c.txt"));
  EXPECT_EQ(source.read_all("b.txt"), "two");
}

TEST(FolderSource, ReadsLargeFilesInPieces) {
  const TemporaryFolder folder;
  std::string content;
  for (int line = 0; content.size() < (std::size_t{5} << 19); ++line) {
    content += std::to_string(line) + "\n";
  }
  write_file_atomically(folder.path() / "large", content);
  write_file_atomically(folder.path() / "empty", "");
  const FolderSource source(folder.path());
  std::string joined;
  int pieces = 0;
  source.read("large", [&](std::string_view piece) {
    ++pieces;
    EXPECT_FALSE(piece.empty());
    joined += piece;
  });
  EXPECT_GT(pieces, 1);
  EXPECT_EQ(joined, content);
  EXPECT_EQ(source.read_all("empty"), "");
}

TEST(FolderSource, RefusesWhatIsNoFileOfTheFolder) {
  const TemporaryFolder folder;
  const std::string name = folder.path().string();
  std::filesystem::create_directory(folder.path() / "inner");
  write_file_atomically(folder.path() / "outer.txt", "x");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const FolderSource source(folder.path());
  const auto read = [&](const std::string& file) { return error_text([&] { source.read_all(file); }); };
  EXPECT_EQ(read("absent.txt"), name + ": the file absent.txt is missing");
  EXPECT_EQ(read("inner"), name + ": inner is no regular file");
  EXPECT_EQ(read("pipe"), name + ": pipe is no regular file");
  EXPECT_EQ(read(".."), name + ": '..' cannot be the name of a file in this folder");
  const FolderSource inner(folder.path() / "inner");
  EXPECT_NE(error_text([&] { inner.read_all("../outer.txt"); }).find("cannot be the name of a file"),
            std::string::npos);
  EXPECT_NE(error_text([&] { FolderSource(folder.path() / "absent"); }).find("absent: it is not there"),
            std::string::npos);
  EXPECT_NE(error_text([&] { FolderSource(folder.path() / "outer.txt"); }).find("outer.txt: it is no folder"),
            std::string::npos);
}

TEST(MemorySource, OffersWhatItWasGiven) {
  const MemorySource source({{"b", "2"}, {"a", ""}}, "here");
  EXPECT_EQ(source.names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(source.read_all("b"), "2");
  EXPECT_EQ(source.read_all("a"), "");
  EXPECT_EQ(error_text([&] { source.read_all("c"); }), "here: the file c is missing");
}

}  // namespace
}  // namespace factorgcn
