// Parts of a graph that fits no memory, straight from its tables.
//
//   edges   a line per edge: two node numbers, separated by commas, semicolons, tabs or blanks; further columns are
//           ignored, as are empty lines, lines that begin with # or %, and a first line without numbers
//   nodes   a header, then a line per node, by rising number: its number (first column), its class, its part of the
//           split (train, validation, test, or nothing; where there is no such column it is drawn), and features, which
//           are numbers
//
// Nodes go to parts by hash. Edges count once, in both directions unless told otherwise, and each node has a loop, as
// `data import` has it; a node's in-edges are in the order of their sources. Everything of the graph's size lies in
// files in the folder that is written, sorted there piece by piece; memory holds `memory` bytes and one line.
// Cost: three passes over the tables, O(edges log edges) compared, some 60 bytes of disk an edge on the way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/io/part_files.h"

namespace factorgcn {

struct FACTORGCN_API EdgeListOptions {
  std::string label = "label", split = "split";  ///< columns of the node table
  std::int64_t parts = 1;
  std::int64_t memory = std::int64_t{1} << 30;  ///< bytes; at least 1 MiB
  std::uint64_t seed = 0;                       ///< of the parts, and of a split that is drawn
  bool directed = false;
};

/// Told what is being done and the share of all work that is done; may throw to end it.
using CutProgress = std::function<void(const std::string& step, double done)>;

/// Writes the parts and their manifest into a folder that prepare_parts_folder() made (partition/cut.h). Throws Error
/// that names file, line and value where a table does not hold what is needed.
FACTORGCN_API PartsManifest cut_edge_list(const std::filesystem::path& edges, const std::filesystem::path& nodes,
                                          const std::filesystem::path& folder, const EdgeListOptions& options,
                                          const CutProgress& progress = {});

}  // namespace factorgcn
