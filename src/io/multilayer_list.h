// Lists of "layer node node weight" without a header, as collections of multiplex networks have them.
#pragma once

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Whether a table without a header is such a list rather than one of ends of edges in its first two columns: it has
/// four columns, the last of numbers; the first holds few values, each in many lines; with them no line repeats
/// another, but the first two columns alone repeat each other all over. Cost: O(rows).
FACTORGCN_API bool looks_like_multilayer_list(const TextTable& table);

/// Calls the columns layer, source, target and, where there is a fourth, weight. Throws Error where there are fewer
/// than three or more than four.
FACTORGCN_API void name_multilayer_columns(TextTable& table);

}  // namespace factorgcn
