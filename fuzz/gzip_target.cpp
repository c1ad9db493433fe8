// A gzip file, unpacked within limits that a small input can reach, then read as an edge list.
#include "factorgcn/io/gzip.h"

#include "data/delimited_text.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_gzip(std::string_view bytes) {
  allow_one_line_error([bytes] {
    GzipLimits limits;
    limits.bytes = 1U << 20;
    limits.free_bytes = 1U << 16;
    read_delimited(unpack_gzip(bytes, "input", limits), "input");
  });
}

}  // namespace factorgcn
