// In place of gzip where the build has no zlib.
#include "factorgcn/io/gzip_writer.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

struct GzipWriter::Stream {};

bool can_write_gzip() { return false; }

GzipWriter::GzipWriter(const AppendBytes&) {
  fail("this build cannot write gzip files: build with zlib (-DFACTORGCN_WITH_ZIP=ON), or leave .gz out of the name");
}

GzipWriter::~GzipWriter() = default;

void GzipWriter::write(std::string_view) {}

void GzipWriter::finish() {}

}  // namespace factorgcn
