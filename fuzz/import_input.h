// Tables of a fuzz input, imported with the columns that are found by themselves.
#pragma once

#include <string_view>

#include "factorgcn/data/dataset.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

/// The input's length chooses among options, so that each of them is tried.
inline void import_input(const GraphTables& tables, std::string_view bytes) {
  ImportOptions options;
  options.directed = bytes.size() % 2 == 1;
  options.missing_values = static_cast<MissingValues>(bytes.size() % 3);
  check_dataset(import_graphs(tables, options).dataset);
}

}  // namespace factorgcn
