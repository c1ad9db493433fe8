// Arrays in files, for what is too large for memory: written from front to back, then mapped. Pages of a mapped file
// are the system's to give up, so they do not count as this process's own.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace factorgcn {

/// A folder of its own below another one, removed at the end with what is in it.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  /// A name that no other file there has, for any thread.
  std::filesystem::path new_file();

 private:
  std::filesystem::path path_;
  std::atomic<int> files_ = 0;
};

/// Appends through a small buffer and keeps no file open in between: there may be thousands.
class ScratchWriter {
 public:
  ScratchWriter(std::filesystem::path path, std::size_t buffer_bytes);

  template <class T>
  void put(const T& value) {
    put_bytes(&value, sizeof(T));
  }
  void put_bytes(const void* bytes, std::size_t count);
  void flush();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::size_t most_;
  std::string buffer_;
};

/// A file's bytes as a tensor of that shape, which keeps the mapping. Writing to it changes the file.
at::Tensor map_array(const std::filesystem::path& path, std::vector<std::int64_t> shape, at::ScalarType type);

/// A file of zeros of that shape.
at::Tensor new_array(const std::filesystem::path& path, std::vector<std::int64_t> shape, at::ScalarType type);

}  // namespace factorgcn
