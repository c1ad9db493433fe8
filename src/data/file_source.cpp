// Files of a folder and files in memory. Cost: one read of the file, in pieces of a megabyte.
#include "factorgcn/data/file_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/folder_entries.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// A name that leads out of the folder is no name of a file in it.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

bool FileSource::has(const std::string& name) const {
  const std::vector<std::string> all = names();
  return std::binary_search(all.begin(), all.end(), name);
}

std::string FileSource::read_all(const std::string& name) const {
  std::string content;
  read(name, [&content](std::string_view piece) { content.append(piece); });
  return content;
}

FolderSource::FolderSource(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(folder_, error);
  require(
      is_folder, folder_.string(), ": it is ",
      std::filesystem::exists(folder_, error) ? "no folder" : "not there; expected a folder with a data set's files");
}

std::string FolderSource::origin() const { return folder_.string(); }

std::vector<std::string> FolderSource::names() const {
  std::error_code error;
  std::vector<std::string> found;
  for (const std::filesystem::path& path : folder_entries(folder_, error)) {
    std::error_code ignored;  // a link that leads nowhere is no file
    if (std::filesystem::is_regular_file(path, ignored)) {
      found.push_back(path.filename().string());
    }
  }
  require(!error, folder_.string(), ": the folder cannot be listed: ", error.message());
  std::sort(found.begin(), found.end());
  return found;
}

void FolderSource::read(const std::string& name, const Consume& consume) const {
  require(is_plain_name(name), folder_.string(), ": '", name, "' cannot be the name of a file in this folder");
  // Not waiting for a writer, should the name be a pipe's.
  const Descriptor file(
      retried([&] { return ::open((folder_ / name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (file.value() < 0) {
    const int code = errno;
    if (code == ENOENT) {
      fail(folder_.string(), ": the file ", name, " is missing");
    }
    fail(folder_.string(), ": ", name, " cannot be opened: ", system_reason(code));
  }
  struct stat status {};
  require(::fstat(file.value(), &status) == 0 && S_ISREG(status.st_mode), folder_.string(), ": ", name,
          " is no regular file");
  const auto buffer = std::make_unique<char[]>(kPieceBytes);
  while (true) {
    const ssize_t count = retried([&] { return ::read(file.value(), buffer.get(), kPieceBytes); });
    if (count < 0) {
      fail(folder_.string(), ": ", name, " cannot be read: ", system_reason(errno));
    }
    if (count == 0) {
      return;
    }
    consume({buffer.get(), static_cast<std::size_t>(count)});
  }
}

MemorySource::MemorySource(std::map<std::string, std::string> files, std::string origin)
    : files_(std::move(files)), origin_(std::move(origin)) {}

std::string MemorySource::origin() const { return origin_; }

std::vector<std::string> MemorySource::names() const {
  std::vector<std::string> found;
  for (const auto& [name, content] : files_) {
    found.push_back(name);
  }
  return found;
}

void MemorySource::read(const std::string& name, const Consume& consume) const {
  const auto file = files_.find(name);
  require(file != files_.end(), origin_, ": the file ", name, " is missing");
  if (!file->second.empty()) {
    consume(file->second);
  }
}

}  // namespace factorgcn
