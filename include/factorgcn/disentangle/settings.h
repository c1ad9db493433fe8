// What is asked of `factorgcn disentangle`, and the graph that it is asked about.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/import.h"
#include "factorgcn/data/known_edges.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/io/graph_files.h"
#include "factorgcn/relations/options.h"

namespace factorgcn {

/// Where the graph is.
struct FACTORGCN_API GraphRequest {
  std::string path;       ///< a graph file, a data-set file, a run directory, or the name of a data set
  GraphFiles files;       ///< of a graph file: its node table, its format; `files.edges` is not looked at
  ImportOptions columns;  ///< of a graph file; `relation` is the column of true relations ("none": there is none)
  std::filesystem::path relation_names;  ///< what to call each true relation; empty: as the edge list does
  std::string known;                     ///< a file, or a column of the edge list; may be empty
  std::int64_t graph = -1;               ///< of a data set with many; -1: the only one
};

struct FACTORGCN_API RequestedGraph {
  NamedGraph graph;
  KnownRelations known;
};

/// Reads it all. Throws UsageError and Error naming what is wrong.
FACTORGCN_API RequestedGraph open_graph(const GraphRequest& request);

/// What decides a result: the same settings give the same files. The graph and what is known go in as one number, so
/// that a changed file is noticed.
FACTORGCN_API nlohmann::ordered_json settings_json(const std::string& method, const DisentangleOptions& options,
                                                   const RequestedGraph& graph);

}  // namespace factorgcn
