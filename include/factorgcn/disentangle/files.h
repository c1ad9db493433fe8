// The tables and graphs that `factorgcn disentangle` leaves for other programs. Each is whole or absent.
//
//   edges.csv        source, target, a share for each relation, the strongest, how certain that is; all edges in the
//                    order of the input, then its self loops, whose cells stay empty
//   groups.csv       node, then for each relation the node's group (from 1, the largest first) and its membership;
//                    empty where the node has no edge
//   factors.graphml  the same on one graph, for Gephi, networkx, igraph
//   ask.csv          edges worth labelling, relation left empty: filled in, --known takes it as it is
#pragma once

#include <filesystem>

#include "factorgcn/base/export.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/disentangle/outcome.h"

namespace factorgcn {

FACTORGCN_API void write_edges_file(const std::filesystem::path& path, const NamedGraph& graph,
                                    const DisentangleOutcome& outcome);
FACTORGCN_API void write_groups_file(const std::filesystem::path& path, const NamedGraph& graph,
                                     const DisentangleOutcome& outcome);
FACTORGCN_API void write_graph_file(const std::filesystem::path& path, const NamedGraph& graph,
                                    const DisentangleOutcome& outcome);
FACTORGCN_API void write_ask_file(const std::filesystem::path& path, const NamedGraph& graph,
                                  const DisentangleOutcome& outcome);

}  // namespace factorgcn
