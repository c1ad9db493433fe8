// A user's graph files as tables, whatever their format.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

struct FACTORGCN_API GraphFiles {
  std::filesystem::path edges;    ///< an edge list, or a file of any other format of io/input_format.h; may be gzip
  std::filesystem::path nodes;    ///< a table of nodes; empty: none
  std::filesystem::path graphs;   ///< a table of graphs; empty: none
  std::filesystem::path entries;  ///< features of nodes as entries: node, column, value, or Matrix Market; empty: none
  std::string format;             ///< a name of io/input_format.h; empty: by ending and content of `edges`
  std::string separator;          ///< comma, tab, semicolon or blanks; empty: detected in each table
  std::string header;             ///< yes or no; empty: detected in each table
};

/// Reads all files. `options` tells which columns were asked for by name, which makes a first line a header. Throws
/// UsageError for an unknown format and for tables that do not go with it, Error for what is wrong in a file.
FACTORGCN_API GraphTables read_graph_files(const GraphFiles& files, const ImportOptions& options);

/// A table of two columns or more as a map from the first to the second, such as `layerID layerLabel`.
FACTORGCN_API std::map<std::string, std::string> read_relation_names(const std::filesystem::path& file,
                                                                     const GraphFiles& files);

}  // namespace factorgcn
