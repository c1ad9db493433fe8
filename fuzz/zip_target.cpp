// A zip archive from anywhere, under limits that an honest small archive keeps.
#include <string>

#include "factorgcn/io/zip_source.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_zip(std::string_view bytes) {
  ZipLimits limits;
  limits.member_bytes = 1U << 20;
  limits.total_bytes = 1U << 22;
  limits.members = 100;
  allow_one_line_error([&] {
    const ZipSource archive = ZipSource::from_bytes(std::string(bytes), "input", limits);
    for (const std::string& name : archive.names()) {
      std::size_t total = 0;
      // One bad file must not hide the others.
      allow_one_line_error([&] { archive.read(name, [&](std::string_view piece) { total += piece.size(); }); });
      require(total <= limits.member_bytes, "the limit was passed\nby ", name);
    }
  });
}

}  // namespace factorgcn
