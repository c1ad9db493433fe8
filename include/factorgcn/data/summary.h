// What a data set holds, in numbers a person can check against a paper's table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// Smallest, mean and largest of some count.
struct FACTORGCN_API ValueRange {
  double min = 0, mean = 0, max = 0;
};

/// One relation type of the ground truth.
struct FACTORGCN_API TruthTypeSummary {
  std::string name;
  std::int64_t graphs = 0;  ///< in which it occurs
  double mean_entries = 0;  ///< directed entries per part; 0 where it never occurs
};

struct FACTORGCN_API DatasetSummary {
  std::string name;
  Task task = Task::kMultiLabel;
  std::int64_t graphs = 0;
  std::int64_t nodes = 0;
  std::int64_t directed_edges = 0;  ///< self loops included
  std::int64_t self_loops = 0;
  std::int64_t added_self_loops = 0;  ///< of these, those that are not in the source
  std::optional<std::int64_t>
      undirected_edges;              ///< as in the source, self loops there included; where all go both ways
  std::int64_t feature_columns = 0;  ///< 0 where nodes have types instead
  std::int64_t node_types = 0;       ///< 0 where nodes have feature values
  std::int64_t outputs = 0;
  ValueRange nodes_per_graph;
  ValueRange edges_per_graph;
  ValueRange in_degree;                     ///< over all nodes
  std::vector<std::int64_t> output_counts;  ///< graphs with each label, or graphs or nodes in each class
  std::vector<double> output_shares;        ///< the same as shares
  std::vector<std::string> output_names;    ///< empty where they have none
  std::vector<ValueRange> target_ranges;    ///< regression alone: of each target
  bool node_split = false;                  ///< the next three count nodes instead of graphs
  std::int64_t train = 0, validation = 0, test = 0;
  std::vector<TruthTypeSummary> truth_types;  ///< empty where no truth is known
};

/// Cost: one pass over the data set, which must have passed check_dataset().
FACTORGCN_API DatasetSummary summarise(const Dataset& dataset);

}  // namespace factorgcn
