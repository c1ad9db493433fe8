// A data set from a user's own tables (data/graph_tables.h).
//
// Columns are chosen by name or by number (from 1). Where an option is empty, columns with well-known names are taken;
// the text "none" switches an optional column off.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// What to do about a feature without a value.
enum class MissingValues { kRefuse, kZero, kMean };

struct FACTORGCN_API ImportOptions {
  std::string name = "imported";  ///< the data set's name

  // Columns of the edge list.
  std::string source, target;  ///< source, from, u ... and target, to, v ...; otherwise columns 1 and 2
  std::string graph;           ///< graph; otherwise all edges are one graph
  std::string relation;        ///< relation, type, layer; kept as ground truth
  std::string edge_weight;     ///< weight; of repeated edges the sum
  std::map<std::string, std::string> relation_names;  ///< what to call each relation; those not named keep their value

  // Columns of the node table.
  std::string node;                   ///< node, id, name; otherwise the first column besides the graph's
  std::string node_graph;             ///< as `graph`, where that is a name
  std::string label;                  ///< label, class
  std::string split;                  ///< split
  std::vector<std::string> features;  ///< empty: all columns with no other use; {"none"}: none
  std::vector<std::string> one_hot;   ///< features that are words even where they look like numbers

  // Columns of the graph table.
  std::string graph_name;                  ///< graph, id, name; otherwise column 1
  std::string graph_label;                 ///< label, class
  std::vector<std::string> graph_targets;  ///< regression values, instead of a class
  std::vector<std::string> graph_labels;   ///< several labels, each there (1) or not (0), instead of a class
  std::string graph_split;                 ///< split

  bool directed = false;                ///< keep each edge's direction instead of adding its reverse
  bool self_loops = true;               ///< add a self loop to each node that has none
  bool zero_for_missing_nodes = false;  ///< nodes that the table lacks get features of 0 instead of an error
  MissingValues missing_values = MissingValues::kRefuse;
  std::array<double, 3> split_shares{0.8, 0.1, 0.1};  ///< of a drawn split: train, validation, test
  std::uint64_t seed = 0;                             ///< of a drawn split
};

struct FACTORGCN_API Imported {
  Dataset dataset;
  std::string ends;                ///< which columns the edges' ends were read from
  std::string weights;             ///< which column the edges' weights were read from; empty: they have none
  std::string features;            ///< how the node features were made
  std::string split;               ///< where the split came from; empty where there is none
  std::vector<std::string> notes;  ///< what a user should know: merged duplicates, columns without use
};

/// Throws UsageError where an option names what is not there, and Error (file, line, value) where the tables do not
/// hold what is needed.
///
/// Nodes: those of the node table in its order, then those that only edges name, in order of appearance; the same for
/// graphs. Edges: both directions unless `directed`; equal ones are one; a pair with several relations is one edge and
/// an entry of each relation, and the weights of its rows are added. Features: numeric columns as values, columns of
/// number lists as that many values, other columns one-hot (at most 100 different values; a missing value is all zero);
/// without any, node types from in-degrees. A column of which three quarters or more are numbers, or lists of them, is
/// one of numbers: a word in it is an error.
///
/// Task: node labels give Task::kNodeClass, graph labels Task::kGraphClass, graph targets Task::kRegression, several
/// labels Task::kMultiLabel, nothing Task::kNone. Classes are in rising order where all are numbers, otherwise in
/// alphabetical order. What has no label is in no split and has class 0 (or target 0) as a placeholder; it is an error
/// where a split column puts it in one, or where nodes of many graphs are split by graph.
///
/// Split: the split column; otherwise drawn, each class in the given shares and at least once in the training part. It
/// holds nodes for a node task with one graph or with a node split column, and graphs otherwise.
/// Cost: O(cells + edges log edges).
FACTORGCN_API Imported import_graphs(const GraphTables& tables, const ImportOptions& options);

/// Names under which columns are found without being asked for, as plain_column_name() writes them.
struct FACTORGCN_API KnownColumns {
  static const std::vector<std::string>& source();
  static const std::vector<std::string>& target();
  static const std::vector<std::string>& graph();
  static const std::vector<std::string>& relation();
  static const std::vector<std::string>& weight();
  static const std::vector<std::string>& node();
  static const std::vector<std::string>& label();
  static const std::vector<std::string>& split();
};

}  // namespace factorgcn
