// A GraphML file, read and imported with the columns that are found by themselves.
#include "factorgcn/io/graphml.h"
#include "fuzz/import_input.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_graphml(std::string_view bytes) {
  allow_one_line_error([bytes] { import_input(read_graphml(bytes, "input"), bytes); });
}

}  // namespace factorgcn
