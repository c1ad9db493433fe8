// Writing gzip files (RFC 1952). The same bytes always give the same file: no time and no name stand in it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/base/files.h"

namespace factorgcn {

/// True where this build has zlib; without it, a GzipWriter cannot be made.
FACTORGCN_API bool can_write_gzip();

class FACTORGCN_API GzipWriter {
 public:
  /// Compressed bytes go to `append`, which must outlive the writer.
  explicit GzipWriter(const AppendBytes& append);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  void write(std::string_view bytes);

  /// Writes what is left and the checksum. Without it the file is cut short.
  void finish();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace factorgcn
