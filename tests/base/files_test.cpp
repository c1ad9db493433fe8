// Atomic writes and whole reads: content, permissions, and each way the system can refuse.
#include "factorgcn/base/files.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error_text.h"
#include "base/temporary_folder.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

int entries_in(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string quoted(const fs::path& path) { return concat(path); }

TEST(Files, WritesAndReadsBack) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a.bin";
  const std::string content("one\0two\n\xff", 9);
  write_file_atomically(path, content);
  EXPECT_EQ(read_file(path), content);
  write_file_atomically(path, std::string_view("shorter"));
  EXPECT_EQ(read_file(path), "shorter");
  write_file_atomically(path, std::string_view());
  EXPECT_EQ(read_file(path), "");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(Files, JoinsPiecesOfAnySize) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "pieces";
  std::string expected;
  write_file_atomically(path, [&](const AppendBytes& append) {
    for (const std::size_t size : {0, 1, 1000, 1 << 20, (1 << 20) + 1, 3, 3 << 20, 7}) {
      const std::string piece(size, static_cast<char>('a' + size % 26));
      expected += piece;
      append(piece);
    }
  });
  EXPECT_TRUE(read_file(path) == expected);
}

TEST(Files, WorksInTheCurrentFolderAndWithTheLongestName) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const std::string longest(255, 'n');
  EXPECT_EQ(error_text([&] { write_file_atomically(longest, std::string_view("x")); }), "no error");
  EXPECT_EQ(error_text([&] { EXPECT_EQ(read_file(longest), "x"); }), "no error");
  fs::current_path(before);
}

TEST(Files, NewFilesFollowTheUmaskAndReplacedOnesKeepTheirPermissions) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  const mode_t before = ::umask(027);
  write_file_atomically(path, std::string_view("x"));
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(path).permissions()), 0640U);
  fs::permissions(path, fs::perms(0604));
  write_file_atomically(path, std::string_view("y"));
  EXPECT_EQ(static_cast<unsigned>(fs::status(path).permissions()), 0604U);
}

TEST(Files, AThrowingWriterLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  write_file_atomically(path, std::string_view("old"));
  EXPECT_THROW(write_file_atomically(path,
                                     [](const AppendBytes& append) {
                                       append("new");
                                       throw std::logic_error("stop");
                                     }),
               std::logic_error);
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(Files, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  write_file_atomically(path, std::string_view("old"));
  // A limit on the size of files stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string message = error_text([&] { write_file_atomically(path, std::string(5000, 'x')); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write " + quoted(path) + ": File too large");
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(Files, RefusesPlacesThatCannotBeWritten) {
  const TemporaryFolder folder;
  const fs::path missing = folder.path() / "none" / "a";
  EXPECT_EQ(error_text([&] { write_file_atomically(missing, std::string_view("x")); }),
            "cannot write " + quoted(missing) + ": no file can be made in its folder: No such file or directory");
  const fs::path taken = folder.path() / "taken";
  fs::create_directory(taken);
  EXPECT_EQ(error_text([&] { write_file_atomically(taken, std::string_view("x")); }),
            "cannot write " + quoted(taken) + ": the finished file cannot take this name: Is a directory");
  const fs::path nameless = taken / "";
  EXPECT_EQ(error_text([&] { write_file_atomically(nameless, std::string_view("x")); }),
            "cannot write " + quoted(nameless) + ": the path names no file");
  EXPECT_EQ(entries_in(folder.path()), 1);
  EXPECT_EQ(entries_in(taken), 0);
}

TEST(Files, ManyWritersNeverMixTheirContent) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "shared";
  write_file_atomically(path, std::string(4096, 'a'));
  std::vector<std::thread> writers;
  for (const char letter : {'a', 'b', 'c'}) {
    writers.emplace_back([&, letter] {
      for (int round = 0; round < 20; ++round) {
        write_file_atomically(path, std::string(4096, letter));
      }
    });
  }
  for (int round = 0; round < 100; ++round) {
    const std::string content = read_file(path);
    ASSERT_EQ(content.size(), 4096U);
    ASSERT_EQ(content.find_first_not_of(content[0]), std::string::npos);
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_EQ(entries_in(folder.path()), 1);
}

TEST(Files, RefusesWhatCannotBeRead) {
  const TemporaryFolder folder;
  const fs::path missing = folder.path() / "none";
  EXPECT_EQ(error_text([&] { read_file(missing); }), "cannot read " + quoted(missing) + ": No such file or directory");
  EXPECT_EQ(error_text([&] { read_file(folder.path()); }), "cannot read " + quoted(folder.path()) + ": Is a directory");
}

TEST(Files, RefusesFilesLargerThanAllowed) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "a";
  write_file_atomically(path, std::string_view("12345"));
  EXPECT_EQ(read_file(path, 5), "12345");
  EXPECT_EQ(error_text([&] { read_file(path, 4); }),
            "cannot read " + quoted(path) + ": it has 5 bytes, more than the 4 expected here");
}

TEST(Files, ReadsAPipeToItsEndButNotPastTheLimit) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content(200000, 'p');
  const auto feed = [&] { std::ofstream(path, std::ios::binary) << content; };
  std::thread writer(feed);
  EXPECT_TRUE(read_file(path) == content);
  writer.join();
  const auto handler = ::signal(SIGPIPE, SIG_IGN);  // the reader leaves early
  std::thread second(feed);
  EXPECT_EQ(error_text([&] { read_file(path, 100); }),
            "cannot read " + quoted(path) + ": it has more than the 100 bytes expected here");
  second.join();
  ::signal(SIGPIPE, handler);
}

}  // namespace
}  // namespace factorgcn
