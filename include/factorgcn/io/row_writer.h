// A table written for other programs: .csv, .tsv or .json (a list of objects), each with a further .gz compressed.
//
// Quoting and numbers are those of io/graph_writer.h. In JSON, what is not known and numbers that are not finite are
// null.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/io/columns.h"

namespace factorgcn {

/// UsageError, naming all endings, for a file that write_rows() cannot write: to be asked before long work.
FACTORGCN_API void check_row_file(const std::filesystem::path& path);

/// Takes one row after the other; a value per column.
using AddRow = std::function<void(std::span<const CellValue>)>;

/// Writes the file whole or not at all. Cost: that of the text; nothing is kept.
FACTORGCN_API void write_rows(const std::filesystem::path& path, const std::vector<NamedColumn>& columns,
                              const std::function<void(const AddRow&)>& fill);

}  // namespace factorgcn
