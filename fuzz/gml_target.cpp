// A GML file, read and imported with the columns that are found by themselves.
#include "factorgcn/io/gml.h"
#include "fuzz/import_input.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_gml(std::string_view bytes) {
  allow_one_line_error([bytes] { import_input(read_gml(bytes, "input"), bytes); });
}

}  // namespace factorgcn
