// A mapping shows the file's bytes, never changes the file, and outlives its name.
#include "factorgcn/base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() : path_(folder_.path() / "file") {}
  const TemporaryFolder folder_;
  const std::filesystem::path path_;
};

TEST_F(MappedFileTest, ShowsTheBytes) {
  std::string content = "three pages and a bit";
  content.resize(3 * 4096 + 5, 'x');
  content.back() = '!';
  write_file_atomically(path_, content);
  const MappedFile file(path_);
  EXPECT_EQ(file.size(), content.size());
  EXPECT_EQ(file.bytes(), content);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.data()) % 4096, 0);
}

TEST_F(MappedFileTest, EmptyFile) {
  write_file_atomically(path_, "");
  const MappedFile file(path_);
  EXPECT_EQ(file.size(), 0);
  EXPECT_EQ(file.data(), nullptr);
  EXPECT_EQ(file.bytes(), "");
}

TEST_F(MappedFileTest, WritingStaysInThisMapping) {
  write_file_atomically(path_, "before");
  const MappedFile file(path_), other(path_);
  file.data()[0] = 'B';
  EXPECT_EQ(file.bytes(), "Before");
  EXPECT_EQ(other.bytes(), "before");
  EXPECT_EQ(read_file(path_), "before");
}

TEST_F(MappedFileTest, ReadOnlyFilesCanBeMapped) {
  write_file_atomically(path_, "fixed");
  ASSERT_EQ(::chmod(path_.c_str(), 0444), 0);
  const MappedFile file(path_);
  file.data()[0] = 'F';
  EXPECT_EQ(read_file(path_), "fixed");
}

TEST_F(MappedFileTest, OutlivesReplacementAndRemoval) {
  write_file_atomically(path_, "old content");
  const MappedFile file(path_);
  write_file_atomically(path_, "new");
  EXPECT_EQ(file.bytes(), "old content");
  EXPECT_EQ(MappedFile(path_).bytes(), "new");
  std::filesystem::remove(path_);
  EXPECT_EQ(file.bytes(), "old content");
}

TEST_F(MappedFileTest, RefusesWhatIsNoFile) {
  const auto refusal = [](const std::filesystem::path& path) { return error_text([&] { MappedFile file(path); }); };
  EXPECT_EQ(refusal(path_), "cannot read \"" + path_.string() + "\": No such file or directory");
  EXPECT_EQ(refusal(folder_.path()), "cannot map \"" + folder_.path().string() + "\" into memory: it is a folder");
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(path_), "cannot map \"" + path_.string() + "\" into memory: it is no regular file");
  EXPECT_EQ(refusal(path_ / "below"), "cannot read \"" + (path_ / "below").string() + "\": Not a directory");
}

}  // namespace
}  // namespace factorgcn
