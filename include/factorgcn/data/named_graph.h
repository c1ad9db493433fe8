// One graph with its names: what `factorgcn disentangle` takes apart, wherever it came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/edge_table.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// Something known of the nodes: words or numbers.
struct FACTORGCN_API NamedAttribute {
  std::string name;
  std::vector<std::string> categories;  ///< the different words; empty: an attribute of numbers
  std::vector<std::int32_t> category;   ///< [nodes] index into `categories`; -1: not known
  std::vector<double> numbers;          ///< [nodes]; NaN: not known

  bool is_number() const { return categories.empty(); }
};

struct FACTORGCN_API NamedGraph {
  std::string name;
  std::vector<std::string> nodes;  ///< their names

  /// Edges, each once: an undirected one with its ends as its first line had them.
  std::vector<std::int32_t> sources, targets;
  std::vector<float> weights;  ///< empty: all alike
  bool directed = false;

  std::vector<std::int32_t> self_loops;  ///< nodes that have one; they say nothing of groups and are no edges here

  std::vector<std::string> truth_names;  ///< the true relations, where they are known; nothing but scores sees them
  std::vector<std::uint8_t> truth;       ///< [edges, true relations], row by row; an edge may have several or none

  std::vector<NamedAttribute> attributes;
  std::vector<std::string> notes;  ///< what a user should know: lines merged, columns left out

  std::size_t num_edges() const { return sources.size(); }
};

/// The graph of a user's tables. Lines that repeat an edge are one: weights are added (without a column of weights, the
/// lines counted), but where the lines name true or known relations the largest counts, since a sum would tell how many
/// relations an edge has. Throws Error (file, line, value) for a weight that is not positive.
/// Cost: O(lines log lines).
FACTORGCN_API NamedGraph named_graph(const std::string& name, const GraphTables& tables, const EdgeTable& table);

/// Graph number `graph` of a data set. Self loops that were added for training are left out; one-hot columns become
/// words again where their names tell (column=word), and so do the nodes' classes. Where true relations are known,
/// weights are left out, for the reason above. Throws Error for a graph that is not there.
FACTORGCN_API NamedGraph named_graph(const Dataset& dataset, std::int64_t graph);

/// Attributes from columns of a table: numbers where all are, words otherwise. A column that is different for (nearly)
/// every node names nodes and is left out, with a note. `rows` gives each node's row, -1 for none.
FACTORGCN_API std::vector<NamedAttribute> read_attributes(const TextTable& table,
                                                         const std::vector<std::size_t>& columns,
                                                         const std::vector<std::int64_t>& rows,
                                                         std::vector<std::string>& notes);

}  // namespace factorgcn
