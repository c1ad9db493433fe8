// A node-link file, read and imported with the columns that are found by themselves.
#include "factorgcn/io/node_link.h"

#include "factorgcn/data/dataset.h"
#include "factorgcn/data/import.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_node_link(std::string_view bytes) {
  allow_one_line_error([bytes] {
    const GraphTables tables = read_node_link(bytes, "input");
    ImportOptions options;
    options.directed = bytes.size() % 2 == 1;
    options.missing_values = static_cast<MissingValues>(bytes.size() % 3);
    check_dataset(import_graphs(tables, options).dataset);
  });
}

}  // namespace factorgcn
