// Data sets in the text layout of the TU collection: NAME_A.txt and its companions.
//
//   NAME_A.txt                one directed edge per line: source, target (node ids from 1, counted through all graphs)
//   NAME_graph_indicator.txt  line i: the graph (from 1) of node i; nodes of a graph need not lie together
//   NAME_graph_labels.txt     line g: class of graph g, any integer                          (optional)
//   NAME_graph_attributes.txt line g: real values                                            (optional)
//   NAME_node_labels.txt      line i: one or more integers                                   (optional)
//   NAME_node_attributes.txt  line i: real values                                            (optional)
//   NAME_edge_labels.txt      line e: class of the edge on line e of NAME_A.txt              (optional)
//   NAME_edge_attributes.txt  line e: real values                                            (optional)
//   NAME_edge_label_names.txt what edge labels are called: a label and its name on each line (optional)
//
// Values are separated by commas, spaces or tabs; lines end in \n or \r\n; the last newline, and only that, may be
// missing or be followed by empty lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"

namespace factorgcn {

/// Rows of equally many values; no columns where the file is missing.
template <class Value>
struct TuMatrix {
  std::int64_t columns = 0;
  std::vector<Value> values;

  bool empty() const { return columns == 0; }
  std::int64_t rows() const { return columns == 0 ? 0 : static_cast<std::int64_t>(values.size()) / columns; }
};

/// What the files say, with ids from 0.
struct FACTORGCN_API TuTables {
  std::string name;    ///< file stem
  std::string origin;  ///< folder or archive, for errors
  std::int64_t num_graphs = 0;
  std::vector<std::int32_t> node_graph;                ///< [N]
  std::vector<std::int32_t> edge_source, edge_target;  ///< [E], node ids counted through all graphs
  std::vector<std::int64_t> graph_labels;              ///< [G] or empty
  std::vector<std::int64_t> edge_labels;               ///< [E] or empty
  std::vector<std::string> edge_label_names;           ///< lines of NAME_edge_label_names.txt; may be empty
  TuMatrix<std::int64_t> node_labels;
  TuMatrix<float> node_attributes, edge_attributes, graph_attributes;

  std::int64_t num_nodes() const { return static_cast<std::int64_t>(node_graph.size()); }
  std::int64_t num_edges() const { return static_cast<std::int64_t>(edge_source.size()); }
};

/// Reads and checks all files of that name. Errors name file, line, what was found and what was expected.
/// Cost: one pass over the text; memory for the tables.
FACTORGCN_API TuTables read_tu(const FileSource& files, const std::string& name);

struct FACTORGCN_API TuDatasetOptions {
  std::string dataset_name;         ///< the data set's name; empty: the tables'
  bool self_loops = true;           ///< add a self loop to each node that has none
  std::int64_t degree_columns = 0;  ///< node types from in-degrees: how many there are; 0: as many as occur
  std::int64_t node_types = 0;      ///< node labels are types 0 .. node_types - 1; 0: numbered in rising order
};

/// A data set from tables.
///
/// Edges: those of the file, parallel ones and self loops included, in its order; then the reverse of each edge that
/// has none; then the missing self loops. Node features: attributes, followed by the one-hot labels of each label
/// column, where there are attributes; else node types from the first column of labels, numbered in rising order; else
/// node types from in-degrees, self loops counted: min(in-degree, degree_columns - 1). Targets: graph labels as classes
/// in rising order of the label; else graph attributes as regression; else none. Ground truth: one relation type per
/// edge label in rising order, entries as in the file, an added reverse with the labels of its edge, self loops left
/// out; none where there are no edge labels. A type is called as the file of names says ("LABEL NAME" on each line, or
/// as many names as there are labels), else by its label.
///
/// The split is left empty. Takes the tables, so that their memory is given back on the way.
/// Cost: O(N + E) and a sort of what is added or labelled; graphs are worked on in parallel.
FACTORGCN_API Dataset make_tu_dataset(TuTables&& tables, const TuDatasetOptions& options);

}  // namespace factorgcn
