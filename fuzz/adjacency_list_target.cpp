// An adjacency list, read and imported with the columns that are found by themselves.
#include "factorgcn/io/adjacency_list.h"
#include "fuzz/import_input.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_adjacency_list(std::string_view bytes) {
  allow_one_line_error([bytes] { import_input(read_adjacency_list(bytes, "input"), bytes); });
}

}  // namespace factorgcn
