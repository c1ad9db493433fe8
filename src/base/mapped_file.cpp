// mmap() behind a class. The descriptor is closed at once: a mapping keeps its file alive by itself.
#include "factorgcn/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include "base/descriptor.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// An open descriptor, or an Error. O_NONBLOCK: opening a pipe that nobody writes to must not hang.
int open_to_read(const std::filesystem::path& path) {
  const int descriptor = retried([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (descriptor < 0) {
    fail("cannot read ", path, ": ", system_reason(errno));
  }
  return descriptor;
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const int descriptor = open_to_read(path);
  struct stat status {};
  int error = ::fstat(descriptor, &status) == 0 ? 0 : errno;
  const bool regular = error == 0 && S_ISREG(status.st_mode);
  const bool fits = regular && static_cast<std::uintmax_t>(status.st_size) <= std::numeric_limits<std::size_t>::max();
  if (fits && status.st_size > 0) {
    // NORESERVE: nobody is expected to write, so a file larger than the free memory can be mapped all the same.
    void* const address = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
    if (address == MAP_FAILED) {
      error = errno;
    } else {
      data_ = static_cast<char*>(address);
      size_ = static_cast<std::size_t>(status.st_size);
      // Only advice: a disk that has to fetch the file may begin now.
      ::madvise(address, size_, MADV_WILLNEED);
    }
  }
  ::close(descriptor);
  require(error == 0, "cannot map ", path, " into memory: ", system_reason(error));
  require(regular, "cannot map ", path, " into memory: it is ",
          S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
  require(fits, "cannot map ", path, " into memory: its ", status.st_size, " bytes are too many for this machine");
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) {
    ::munmap(data_, size_);
  }
}

}  // namespace factorgcn
