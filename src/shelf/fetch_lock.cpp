// flock() on a file that is taken away with the lock. Between another process's open and its lock the file may have
// been taken away: then the lock is on a file without a name, and the new file is tried.
#include "shelf/fetch_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

bool has_name(int descriptor, const std::filesystem::path& path) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(descriptor, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

}  // namespace

FetchLock::FetchLock(std::filesystem::path path, const std::string& file_stem) : path_(std::move(path)) {
  while (true) {
    descriptor_ = retried([&] { return ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); });
    if (descriptor_ < 0) {
      fail("cannot write in the data root ", path_.parent_path(), ": ", std::generic_category().message(errno),
           "; set FACTORGCN_DATA to a folder that you may write to");
    }
    if (retried([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) != 0) {
      const int code = errno;
      ::close(descriptor_);
      require(code != EWOULDBLOCK, "another process is fetching ", file_stem, " (it holds ", path_,
              "): wait until it has ended, or set FACTORGCN_DATA to another folder");
      fail("cannot lock ", path_, ": ", std::generic_category().message(code));
    }
    if (has_name(descriptor_, path_)) {
      return;
    }
    ::close(descriptor_);
  }
}

FetchLock::~FetchLock() {
  ::unlink(path_.c_str());
  ::close(descriptor_);
}

}  // namespace factorgcn
