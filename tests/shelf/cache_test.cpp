// A cached data set is the one that was parsed, whatever happens to the cache file.
#include "factorgcn/shelf/cache.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <thread>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/safetensors.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

/// Paths of 2, 3, 2, 3, ... nodes whose features are all `value`.
Dataset paths(float value, int count = 3) {
  std::vector<Graph> graphs;
  for (int index = 0; index < count; ++index) {
    Graph& graph = graphs.emplace_back();
    graph.num_nodes = 2 + index % 2;
    for (std::int32_t node = 0; node + 1 < graph.num_nodes; ++node) {
      graph.source.insert(graph.source.end(), {node, node + 1});
      graph.target.insert(graph.target.end(), {node + 1, node});
    }
    graph.features = at::ones({graph.num_nodes, 2}).mul(value);
  }
  Dataset dataset;
  dataset.name = "paths";
  dataset.task = Task::kGraphClass;
  dataset.num_outputs = 2;
  dataset.graphs = make_store(graphs);
  dataset.targets = at::ones({count}, at::kLong);
  dataset.split = {{0}, {1}, {}};
  dataset.output_names = {"no", "yes"};
  dataset.truth.type_names = {"only"};
  for (int index = 0; index < count; ++index) {
    dataset.truth.begin_graph();
    dataset.truth.add_part(0, std::vector<std::int32_t>{0}, std::vector<std::int32_t>{1});
  }
  return dataset;
}

/// Whether two data sets hold the same, by the bytes they would be stored as.
bool same(const Dataset& a, const Dataset& b) {
  const TensorFile first = pack_dataset(a), second = pack_dataset(b);
  if (safetensors_beginning(first) != safetensors_beginning(second)) {
    return false;
  }
  for (const auto& [name, tensor] : first.tensors) {
    if (!at::equal(tensor, second.at(name))) {
      return false;
    }
  }
  return true;
}

float value_of(const Dataset& dataset) { return dataset.graphs.features.data_ptr<float>()[0]; }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class CacheTest : public ::testing::Test {
 protected:
  CacheTest() : file_(folder_.path() / "parsed" / "paths.cache"), source_{{{"PATHS.zip", 1000, 77}}} {}

  /// Opens the cache; parse() gives paths(value).
  Dataset open(float value) { return open(value, source_, 1); }
  Dataset open(float value, const CacheSource& source, int reader_version) {
    parsed_ = 0;
    messages_.clear();
    return open_cached(
        file_, source, reader_version,
        [&] {
          ++parsed_;
          return paths(value);
        },
        [&](const std::string& text) { messages_.push_back(text); });
  }

  /// Replaces the file, opens it and expects that it is built again with that message.
  void expect_rebuilt(const std::string& content, const std::string& message_part) {
    write_file_atomically(file_, content);
    const Dataset dataset = open(5);
    EXPECT_EQ(parsed_, 1) << message_part;
    EXPECT_EQ(value_of(dataset), 5);
    expect_message(message_part);
    EXPECT_EQ(value_of(open(6)), 5);  // and it is good again
    EXPECT_EQ(parsed_, 0);
    EXPECT_TRUE(messages_.empty());
  }

  void expect_message(const std::string& part) {
    ASSERT_EQ(messages_.size(), 1);
    EXPECT_NE(messages_[0].find(part), std::string::npos) << messages_[0];
    EXPECT_EQ(messages_[0].find('\n'), std::string::npos) << messages_[0];
  }

  const TemporaryFolder folder_;
  const fs::path file_;
  const CacheSource source_;
  int parsed_ = 0;
  std::vector<std::string> messages_;
};

/// The exit code of `body` run in a process of its own; 100 where it throws.
template <class Body>
pid_t start_process(const Body& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 100;
    try {
      code = body();
    } catch (...) {
    }
    ::_exit(code);  // no destructors: the folders are the parent's
  }
  return child;
}

int exit_code(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A process that is forked has none of the pool's threads; so there must be none.
class OneThread {
 public:
  OneThread() : before_(num_threads()) { set_num_threads(1); }
  ~OneThread() { set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

TEST_F(CacheTest, ParsesOnceAndOpensAfterwards) {
  const Dataset first = open(1);
  EXPECT_EQ(parsed_, 1);
  EXPECT_TRUE(messages_.empty());
  EXPECT_TRUE(same(first, paths(1)));
  EXPECT_EQ(names_in(file_.parent_path()), std::vector<std::string>{"paths.cache"});

  const Dataset second = open(2);
  EXPECT_EQ(parsed_, 0);
  EXPECT_TRUE(messages_.empty());
  EXPECT_TRUE(same(second, paths(1)));
}

TEST_F(CacheTest, WorksWithoutMessages) {
  const auto parse = [] { return paths(1); };
  open_cached(file_, source_, 1, parse, {});
  write_file_atomically(file_, "damaged");
  EXPECT_EQ(value_of(open_cached(file_, source_, 1, parse, {})), 1);
}

TEST_F(CacheTest, TheFileIsADataSetFile) {
  open(1);
  EXPECT_TRUE(same(load_dataset(file_), paths(1)));
  const TensorFile file = read_safetensors(file_);
  EXPECT_EQ(file.metadata_at("cache_version"), "1");
  EXPECT_EQ(file.metadata_at("reader_version"), "1");
  EXPECT_EQ(file.metadata_at("content_hash").size(), 16);
}

TEST_F(CacheTest, WritingToTheDataSetLeavesTheCache) {
  open(1);
  Dataset dataset = open(2);
  dataset.graphs.features.fill_(9);
  EXPECT_TRUE(same(open(2), paths(1)));
  EXPECT_EQ(parsed_, 0);
}

TEST_F(CacheTest, ChangedSourcesAreParsedAgain) {
  std::vector<CacheSource> others(6, source_);
  others[0].files[0].name = "PATHS2.zip";
  others[1].files[0].size = 1001;
  others[2].files[0].mtime_ns = 78;
  others[3].files.push_back({"more", 0, 0});
  others[4].files.clear();
  others[5].files = {{"PATHS.zi", 1000, 77}};
  for (const CacheSource& other : others) {
    open(1, source_, 1);
    const Dataset dataset = open(2, other, 1);
    EXPECT_EQ(parsed_, 1);
    EXPECT_EQ(value_of(dataset), 2);
    expect_message("paths.cache\" is out of date: the files that it was made from have changed; it is built again");
    EXPECT_EQ(value_of(open(3, other, 1)), 2);
  }
}

TEST_F(CacheTest, OtherVersionsAreParsedAgain) {
  open(1);
  EXPECT_EQ(value_of(open(2, source_, 2)), 2);
  expect_message("is out of date: it was written by another version of the reader; it is built again");

  for (const char* key : {"cache_version", "format_version"}) {
    TensorFile file = read_safetensors(file_);
    file.metadata[key] = "999";
    write_safetensors(file_, file);
    EXPECT_EQ(value_of(open(3)), 3);
    expect_message("is out of date: it was written by another version of this program; it is built again");
    EXPECT_EQ(value_of(open(4)), 3);
  }
}

TEST_F(CacheTest, ForeignFilesAreReplaced) {
  fs::create_directory(file_.parent_path());
  expect_rebuilt("", "is damaged (not a safetensors file: it has 0 bytes");
  expect_rebuilt("PK\x03\x04 some archive, say", "is damaged (not a safetensors file: ");
  TensorFile other;
  other.metadata["format"] = "factorgcn-model";
  write_safetensors(file_, other);
  expect_rebuilt(read_file(file_), "is no cache of a data set");
  save_dataset(file_, paths(3));
  expect_rebuilt(read_file(file_), "is no cache of a data set");
}

TEST_F(CacheTest, EveryTruncationIsSeen) {
  open(1);
  const std::string bytes = read_file(file_);
  for (std::size_t length = 0; length < bytes.size(); length += length < 32 || bytes.size() - length < 32 ? 1 : 41) {
    expect_rebuilt(bytes.substr(0, length), "is damaged");
  }
  expect_rebuilt(bytes + '\0', "is damaged");
  expect_rebuilt(bytes + bytes, "is damaged");
}

TEST_F(CacheTest, EveryFlippedByteIsSeen) {
  // In every place of the file; not through expect_rebuilt(), which writes and syncs three times.
  open(1);
  const std::string bytes = read_file(file_);
  const auto parse = []() -> Dataset { fail("parsed"); };
  int damaged = 0;
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    for (const int flip : {0x01, 0x29, 0x80}) {  // 0x29 turns the blanks that end the header into tabs
      const char changed = static_cast<char>(bytes[place] ^ flip);
      {
        std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
        stream.seekp(static_cast<std::streamoff>(place)).put(changed);
      }
      std::string message;
      const std::string error =
          error_text([&] { open_cached(file_, source_, 1, parse, [&](const std::string& text) { message = text; }); });
      ASSERT_EQ(error, "parsed") << "byte " << place << " of " << bytes.size() << ", flip " << flip;
      ASSERT_TRUE(message.ends_with("; it is built again")) << message;
      ASSERT_EQ(message.find('\n'), std::string::npos) << message;
      damaged += message.find("is damaged") != std::string::npos ? 1 : 0;
    }
    std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(place)).put(bytes[place]);
  }
  // The rest hit the words that say what kind of file it is.
  EXPECT_GT(damaged, static_cast<int>(3 * bytes.size()) - 300);
  EXPECT_EQ(read_file(file_), bytes);
  EXPECT_EQ(value_of(open(2)), 1);
  EXPECT_EQ(parsed_, 0);
}

TEST_F(CacheTest, RightChecksumOfWrongShapesIsNotTrusted) {
  // What no damage brings about, but another program might: the arrays do not fit each other.
  open(1);
  TensorFile file = read_safetensors(file_);
  for (auto& [name, tensor] : file.tensors) {
    if (name == "graphs.in_degrees") {
      tensor = at::ones({2}, at::kInt);
    }
  }
  file.metadata["content_hash"] = "0000000000000000";
  std::string text = safetensors_beginning(file);
  for (const auto& [name, tensor] : file.tensors) {
    text += hash_text(content_hash({static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()}));
  }
  file.metadata["content_hash"] = hash_text(content_hash(text));
  write_safetensors(file_, file);
  expect_rebuilt(read_file(file_), "is damaged (graphs.in_degrees has shape [2]; it must be [7])");
}

TEST_F(CacheTest, ParseErrorsLeaveTheCache) {
  open(1);
  const std::string bytes = read_file(file_);
  CacheSource changed = source_;
  changed.files[0].size = 5;
  const auto broken_parse = []() -> Dataset { fail("line 3 is broken"); };
  EXPECT_EQ(error_text([&] { open_cached(file_, changed, 1, broken_parse, {}); }), "line 3 is broken");
  const auto wrong_parse = [] {
    Dataset dataset = paths(2);
    dataset.split.test = {7};
    return dataset;
  };
  EXPECT_EQ(error_text([&] { open_cached(file_, changed, 1, wrong_parse, {}); }),
            "paths: the test split names graph 7; indices must be in 0 .. 2");
  EXPECT_EQ(read_file(file_), bytes);
  EXPECT_EQ(names_in(file_.parent_path()).size(), 1);
}

TEST_F(CacheTest, OpenedDataSetsOutliveTheirFile) {
  open(1);
  const Dataset old = open(1);
  ASSERT_EQ(parsed_, 0);
  CacheSource changed = source_;
  changed.files[0].size = 5;
  open(2, changed, 1);
  EXPECT_TRUE(same(old, paths(1)));
  fs::remove(file_);
  EXPECT_TRUE(same(old, paths(1)));
}

TEST_F(CacheTest, PathUnderAFile) {
  write_file_atomically(folder_.path() / "parsed", "a file");
  const Dataset dataset = open(1);
  EXPECT_TRUE(same(dataset, paths(1)));
  expect_message("the data set is not cached and will be parsed again the next time: cannot make the folder ");
  EXPECT_EQ(read_file(folder_.path() / "parsed"), "a file");
}

TEST_F(CacheTest, FolderInItsPlace) {
  fs::create_directories(file_);
  const Dataset dataset = open(1);
  EXPECT_TRUE(same(dataset, paths(1)));
  ASSERT_EQ(messages_.size(), 2);
  EXPECT_NE(messages_[0].find("it is a folder"), std::string::npos) << messages_[0];
  EXPECT_NE(messages_[1].find("Is a directory"), std::string::npos) << messages_[1];
  EXPECT_EQ(names_in(file_.parent_path()).size(), 1);
}

TEST_F(CacheTest, FolderThatCannotBeWritten) {
  const OneThread one;
  fs::create_directory(file_.parent_path());
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(file_.parent_path().c_str(), 0555), 0);
  const int code = exit_code(start_process([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) {  // nothing is forbidden to the superuser
      return 50;
    }
    const Dataset dataset = open(1);
    const bool told = messages_.size() == 1 && messages_[0].find("Permission denied") != std::string::npos;
    return same(dataset, paths(1)) && told ? 0 : 1;
  }));
  EXPECT_EQ(code, 0);
  EXPECT_TRUE(names_in(file_.parent_path()).empty());
  ASSERT_EQ(::chmod(file_.parent_path().c_str(), 0755), 0);
}

TEST_F(CacheTest, FullDisk) {
  const OneThread one;
  open(1);
  const std::string bytes = read_file(file_);
  CacheSource changed = source_;
  changed.files[0].size = 5;
  for (const rlim_t limit : {rlim_t{0}, rlim_t{100}, rlim_t{bytes.size() - 1}}) {
    const int code = exit_code(start_process([&] {
      ::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit then fails as on a full disk
      const rlimit most{limit, limit};
      if (::setrlimit(RLIMIT_FSIZE, &most) != 0) {
        return 50;
      }
      const Dataset dataset = open(2, changed, 1);
      const bool told = messages_.size() == 2 && messages_[1].find("File too large") != std::string::npos;
      return same(dataset, paths(2)) && told ? 0 : 1;
    }));
    EXPECT_EQ(code, 0) << "limit " << limit;
    EXPECT_EQ(names_in(file_.parent_path()), std::vector<std::string>{"paths.cache"});
    EXPECT_EQ(read_file(file_), bytes);
  }
}

TEST_F(CacheTest, NamesThatCannotBeStored) {
  const auto parse = [] {
    Dataset dataset = paths(1);
    dataset.truth.type_names[0] = "\xff";
    return dataset;
  };
  std::string message;
  const Dataset dataset = open_cached(file_, source_, 1, parse, [&](const std::string& text) { message = text; });
  EXPECT_EQ(dataset.truth.type_names[0], "\xff");
  EXPECT_NE(message.find("is not cached"), std::string::npos) << message;
  EXPECT_NE(message.find("not valid UTF-8"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(CacheTest, ManyProcessesAtOnce) {
  const OneThread one;
  constexpr int kProcesses = 6, kRounds = 20;
  // All see the one cache; each finds what others wrote out of date as often as not.
  const auto work = [&](int number) {
    for (int round = 0; round < kRounds; ++round) {
      const int version = (number + round) % 2;
      const Dataset dataset = open(static_cast<float>(version), source_, version);
      for (const std::string& message : messages_) {
        if (message.find("out of date") == std::string::npos) {
          return 1;
        }
      }
      if (!same(dataset, paths(static_cast<float>(version)))) {
        return 2;
      }
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int number = 0; number < kProcesses; ++number) {
    children.push_back(start_process([&] { return work(number); }));
  }
  for (const pid_t child : children) {
    EXPECT_EQ(exit_code(child), 0);
  }
  EXPECT_EQ(names_in(file_.parent_path()), std::vector<std::string>{"paths.cache"});
  const int version = read_safetensors(file_).metadata_at("reader_version") == "0" ? 0 : 1;
  EXPECT_EQ(value_of(open(9, source_, version)), static_cast<float>(version));
  EXPECT_EQ(parsed_, 0);
}

TEST_F(CacheTest, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      for (int round = 0; round < 10; ++round) {
        const int version = (number + round) % 2;
        const Dataset dataset = open_cached(
            file_, source_, version, [&] { return paths(static_cast<float>(version)); },
            [&](const std::string& text) {
              wrong[static_cast<std::size_t>(number)] += text.find("out of date") == std::string::npos ? 1 : 0;
            });
        wrong[static_cast<std::size_t>(number)] += same(dataset, paths(static_cast<float>(version))) ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
  EXPECT_EQ(names_in(file_.parent_path()), std::vector<std::string>{"paths.cache"});
}

TEST(DescribeSource, File) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "SET.zip";
  write_file_atomically(path, "12345");
  const timespec times[2] = {{0, UTIME_OMIT}, {1700000000, 123456789}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const CacheSource source = describe_source(path);
  ASSERT_EQ(source.files.size(), 1);
  EXPECT_EQ(source.files[0].name, "SET.zip");
  EXPECT_EQ(source.files[0].size, 5);
  EXPECT_EQ(source.files[0].mtime_ns, 1700000000123456789);
}

TEST(DescribeSource, Folder) {
  const TemporaryFolder folder;
  const fs::path set = folder.path() / "SET";
  fs::create_directories(set / "deeper");
  write_file_atomically(set / "b.txt", "22");
  write_file_atomically(set / "a.txt", "1");
  write_file_atomically(set / "deeper" / "c.txt", "3");
  write_file_atomically(folder.path() / "linked", "4444");
  fs::create_symlink("../linked", set / "c.txt");
  fs::create_symlink("nowhere", set / "d.txt");
  ASSERT_EQ(::mkfifo((set / "pipe").c_str(), 0600), 0);
  const CacheSource source = describe_source(set);
  ASSERT_EQ(source.files.size(), 3);
  EXPECT_EQ(source.files[0].name, "a.txt");
  EXPECT_EQ(source.files[1].name, "b.txt");
  EXPECT_EQ(source.files[2].name, "c.txt");
  EXPECT_EQ(source.files[0].size, 1);
  EXPECT_EQ(source.files[1].size, 2);
  EXPECT_EQ(source.files[2].size, 4);
}

TEST(DescribeSource, Missing) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "absent";
  EXPECT_EQ(error_text([&] { describe_source(path); }),
            "cannot read \"" + path.string() + "\": No such file or directory");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error_text([&] { describe_source(path); }),
            "cannot read \"" + path.string() + "\": it is neither a file nor a folder");
}

}  // namespace
}  // namespace factorgcn
