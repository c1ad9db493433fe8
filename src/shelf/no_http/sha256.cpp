// For builds without OpenSSL: says so.
#include "factorgcn/shelf/sha256.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

bool can_compute_sha256() { return false; }

std::string sha256_of_file(const std::filesystem::path& path) {
  fail("cannot compute SHA-256 of ", path,
       ": this build has no OpenSSL: build with -DFACTORGCN_WITH_HTTP=ON, or use the program sha256sum");
}

}  // namespace factorgcn
