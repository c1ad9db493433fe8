// Whole-file writes and reads on POSIX. A write goes to a new name in the same folder (rename() cannot cross file
// systems), is forced to disk, and only then takes the real name. Cost: one pass over the content, two syncs.
#include "factorgcn/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "base/descriptor.h"
#include "base/folder_entries.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// Small appended pieces are gathered to this size before they go to the system.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

constexpr const char* kTemporaryBegin = ".factorgcn-";
constexpr const char* kTemporaryEnd = ".tmp";

/// Removes a file when its scope ends, unless it was kept.
class TemporaryName {
 public:
  TemporaryName() = default;
  ~TemporaryName() {
    if (!name_.empty()) {
      ::unlink(name_.c_str());
    }
  }
  TemporaryName(const TemporaryName&) = delete;
  TemporaryName& operator=(const TemporaryName&) = delete;

  void set(const std::filesystem::path& name) { name_ = name; }
  void keep() { name_.clear(); }
  const std::filesystem::path& name() const { return name_; }

 private:
  std::filesystem::path name_;
};

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

/// Opens a new file in `folder` under a name nobody else has. Unlike mkstemp(), the file gets the permissions that the
/// user's umask asks for. The name is short so that a long final name still fits.
int open_temporary(const std::filesystem::path& folder, TemporaryName& temporary) {
  static std::atomic<std::uint64_t> counter{0};
  while (true) {
    const auto number = counter.fetch_add(1, std::memory_order_relaxed);
    const std::filesystem::path name = folder / concat(kTemporaryBegin, ::getpid(), "-", number, kTemporaryEnd);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      temporary.set(name);
      return descriptor;
    }
    if (errno != EEXIST && errno != EINTR) {
      return -1;
    }
  }
}

void write_all(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = retried([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (written < 0) {
      fail("cannot write ", path, ": ", system_reason(errno));
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Makes a rename durable. Some file systems do not sync folders; there the rename is as safe as it can be.
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const Descriptor descriptor(
      retried([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (descriptor.value() < 0) {
    fail("cannot open the folder of ", path, " to sync it: ", system_reason(errno));
  }
  if (retried([&] { return ::fsync(descriptor.value()); }) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("cannot sync the folder of ", path, ": ", system_reason(errno));
  }
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  write_file_atomically(path, [content](const AppendBytes& append) { append(content); });
}

void write_file_atomically(const std::filesystem::path& path, const std::function<void(const AppendBytes&)>& write) {
  require(path.has_filename(), "cannot write ", path, ": the path names no file");
  const std::filesystem::path folder = folder_of(path);
  TemporaryName temporary;
  Descriptor descriptor(open_temporary(folder, temporary));
  if (descriptor.value() < 0) {
    fail("cannot write ", path, ": no file can be made in its folder: ", system_reason(errno));
  }

  // A file that is replaced keeps its permissions.
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode)) {
    if (::fchmod(descriptor.value(), old.st_mode & 07777) != 0) {
      fail("cannot write ", path, ": its permissions cannot be kept: ", system_reason(errno));
    }
  }

  std::string buffer;
  write([&](std::string_view bytes) {
    if (buffer.size() + bytes.size() > kBufferBytes) {
      write_all(descriptor.value(), buffer, path);
      buffer.clear();
    }
    if (bytes.size() > kBufferBytes) {
      write_all(descriptor.value(), bytes, path);
    } else {
      buffer.append(bytes);
    }
  });
  write_all(descriptor.value(), buffer, path);
  if (retried([&] { return ::fsync(descriptor.value()); }) != 0) {
    fail("cannot sync ", path, ": ", system_reason(errno));
  }
  if (!descriptor.close()) {
    fail("cannot close ", path, ": ", system_reason(errno));
  }
  if (::rename(temporary.name().c_str(), path.c_str()) != 0) {
    fail("cannot write ", path, ": the finished file cannot take this name: ", system_reason(errno));
  }
  temporary.keep();
  sync_folder(folder, path);
}

bool is_half_written(const std::string& name) {
  return name.starts_with(kTemporaryBegin) && name.ends_with(kTemporaryEnd);
}

void remove_half_written(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : folder_entries(folder)) {
    if (is_half_written(path.filename().string())) {
      std::filesystem::remove(path);
    }
  }
}

std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  const Descriptor descriptor(retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (descriptor.value() < 0) {
    fail("cannot read ", path, ": ", system_reason(errno));
  }
  struct stat status {};
  if (::fstat(descriptor.value(), &status) != 0) {
    fail("cannot read ", path, ": ", system_reason(errno));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  require(!S_ISREG(status.st_mode) || size <= max_bytes, "cannot read ", path, ": it has ", size,
          " bytes, more than the ", max_bytes, " expected here");

  // The size is a hint alone: pipes have none, and a file may grow or shrink while it is read.
  std::string content;
  std::size_t filled = 0;
  content.resize(S_ISREG(status.st_mode) ? static_cast<std::size_t>(size) + 1 : std::size_t{1} << 16);
  while (true) {
    const ssize_t got =
        retried([&] { return ::read(descriptor.value(), content.data() + filled, content.size() - filled); });
    if (got < 0) {
      fail("cannot read ", path, ": ", system_reason(errno));
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
    require(filled <= max_bytes, "cannot read ", path, ": it has more than the ", max_bytes, " bytes expected here");
    if (filled == content.size()) {
      content.resize(content.size() * 2);
    }
  }
  content.resize(filled);
  return content;
}

}  // namespace factorgcn
