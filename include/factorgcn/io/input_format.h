// The formats of users' graph files: their names, their endings, and how to tell them by what they hold.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

enum class InputFormat {
  kEdgeList,       ///< csv, tsv, txt: one edge per line, columns between separators
  kMultilayer,     ///< multilayer: lines of layer, node, node, weight
  kAdjacencyList,  ///< adjlist
  kGraphml,
  kGexf,
  kGml,
  kPajek,
  kMpx,
  kJson,
  kMatrixMarket,
};

/// Lines of edges with columns, which tables of nodes and graphs go with.
FACTORGCN_API bool is_edge_list(InputFormat format);

/// Formats that hold no more than the names of nodes, so that a table of nodes goes with them.
FACTORGCN_API bool names_alone(InputFormat format);

/// "csv, tsv, txt, ...": the names that --format takes.
FACTORGCN_API std::string input_format_names();

/// Throws UsageError, with the nearest name, where `name` is no format.
FACTORGCN_API void check_input_format(const std::string& name);

/// By `name` where one is given; else by the path's ending (without .gz), where that is clear; else by what the text
/// holds. Throws UsageError where neither tells.
FACTORGCN_API InputFormat input_format(const std::filesystem::path& path, const std::string& name,
                                       std::string_view text);

/// What people call the format that the path's ending stands for, "GML" for karate.gml.gz; nothing for other endings.
FACTORGCN_API std::optional<std::string> input_ending(const std::filesystem::path& path);

}  // namespace factorgcn
