// flock(): tied to the open file, so that the system lets it go with the process, however that ends.
#include "factorgcn/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/descriptor.h"
#include "base/folder_entries.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"

namespace factorgcn {

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& what, const std::string& instead)
    : descriptor_(retried([&] { return ::open((folder / kName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); })) {
  if (descriptor_ < 0) {
    fail("cannot open ", (folder / kName).string(), ": ", system_reason(errno));
  }
  if (retried([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) != 0) {
    const int code = errno;
    ::close(descriptor_);
    require(code != EWOULDBLOCK, what, " ", folder.string(), " is in use by another process; wait for it or choose ",
            instead);
    fail("cannot lock ", (folder / kName).string(), ": ", system_reason(code));
  }
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool has_content(const std::filesystem::path& folder) {
  for (const std::filesystem::path& path : folder_entries(folder)) {
    const std::string name = path.filename().string();
    if (name != FolderLock::kName && !is_half_written(name)) {
      return true;
    }
  }
  return false;
}

}  // namespace factorgcn
