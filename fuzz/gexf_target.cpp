// A GEXF file, read and imported with the columns that are found by themselves.
#include "factorgcn/io/gexf.h"
#include "fuzz/import_input.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_gexf(std::string_view bytes) {
  allow_one_line_error([bytes] { import_input(read_gexf(bytes, "input"), bytes); });
}

}  // namespace factorgcn
