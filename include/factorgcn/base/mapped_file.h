// A file's bytes as memory, without reading them first.
//
// The mapping is private: pages that are written to become copies in this process, the file never changes. It follows
// the file, not its name: replacing the file by renaming another over it, as write_file_atomically() does, leaves the
// mapping whole. A file that is changed in place while it is mapped may show the new bytes, and one that is shortened
// in place ends the process with SIGBUS when a page behind its new end is touched; the system offers no way round this
// but reading the file (base/files.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

class FACTORGCN_API MappedFile {
 public:
  /// Maps the whole file, which must be a regular one; an empty file gives no bytes. Throws Error naming the path and
  /// the system's reason. Cost: independent of the size; pages come from the disk when they are first touched.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The first byte, at a page's beginning; null for an empty file. Writing is allowed and stays in this process.
  char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view bytes() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace factorgcn
