// Plain files and shared mappings.
#include "partition/scratch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/folder_entries.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

[[noreturn]] void fail_on(const std::filesystem::path& path, const char* what) {
  const int error = errno;
  fail("cannot ", what, " ", path.string(), ": ", std::generic_category().message(error));
}

}  // namespace

ScratchFolder::ScratchFolder(const std::filesystem::path& parent)
    : path_(parent / concat(".factorgcn-", ::getpid(), ".tmp")) {
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  require(!error, "cannot make folder ", path_.string(), ": ", error.message());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  for (const std::filesystem::path& path : folder_entries(path_, ignored)) {
    std::filesystem::remove(path, ignored);
  }
  std::filesystem::remove(path_, ignored);
}

std::filesystem::path ScratchFolder::new_file() { return path_ / std::to_string(files_++); }

ScratchWriter::ScratchWriter(std::filesystem::path path, std::size_t buffer_bytes)
    : path_(std::move(path)), most_(buffer_bytes) {
  std::ofstream(path_, std::ios::binary);  // also a file that nothing is put into is there
}

void ScratchWriter::put_bytes(const void* bytes, std::size_t count) {
  buffer_.append(static_cast<const char*>(bytes), count);
  if (buffer_.size() >= most_) {
    flush();
  }
}

void ScratchWriter::flush() {
  if (buffer_.empty()) {
    return;
  }
  std::ofstream stream(path_, std::ios::binary | std::ios::app);
  stream.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  stream.close();
  require(stream.good(), "cannot write ", path_.string(), "; is the disk full?");
  buffer_.clear();
}

at::Tensor map_array(const std::filesystem::path& path, std::vector<std::int64_t> shape, at::ScalarType type) {
  const at::TensorOptions options = at::TensorOptions().dtype(type);
  std::size_t bytes = c10::elementSize(type);
  for (const std::int64_t size : shape) {
    bytes *= static_cast<std::size_t>(size);
  }
  if (bytes == 0) {
    return at::empty(shape, options);
  }
  require(std::filesystem::file_size(path) == bytes, path.string(), " has ", std::filesystem::file_size(path),
          " bytes instead of ", bytes);
  const int file = retried([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC); });
  if (file < 0) {
    fail_on(path, "open");
  }
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  if (data == MAP_FAILED) {
    fail_on(path, "map");
  }
  return at::from_blob(
      data, shape, [bytes](void* mapped) { ::munmap(mapped, bytes); }, options);
}

at::Tensor new_array(const std::filesystem::path& path, std::vector<std::int64_t> shape, at::ScalarType type) {
  std::uintmax_t bytes = c10::elementSize(type);
  for (const std::int64_t size : shape) {
    bytes *= static_cast<std::uintmax_t>(size);
  }
  const Descriptor file(retried([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); }));
  if (file.value() < 0) {
    fail_on(path, "make");
  }
  // Its space is taken now: a full disk is told here, and not by SIGBUS where the mapping is written to.
  int code = 0;
  do {
    code = bytes == 0 ? 0 : ::posix_fallocate(file.value(), 0, static_cast<off_t>(bytes));
  } while (code == EINTR);
  require(code == 0, "cannot make ", path.string(), " of ", bytes, " bytes: ", system_reason(code));
  return map_array(path, std::move(shape), type);
}

}  // namespace factorgcn
