// In place of the gzip reader where the build has neither libzip nor zlib.
#include "factorgcn/io/gzip.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

bool can_read_gzip() { return false; }

std::string unpack_gzip(std::string_view, const std::string& origin, const GzipLimits&) {
  fail(origin,
       ": this build cannot read gzip files: build with zlib (-DFACTORGCN_WITH_ZIP=ON), or unpack the file (gunzip)");
}

}  // namespace factorgcn
