// What a data set holds, in numbers a person can check against a paper's table.
#pragma once

#include <cstdint>
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
  std::int64_t feature_columns = 0;  ///< 0 where nodes have types instead
  std::int64_t node_types = 0;       ///< 0 where nodes have feature values
  std::int64_t outputs = 0;
  ValueRange nodes_per_graph;
  ValueRange edges_per_graph;
  ValueRange in_degree;                   ///< over all nodes
  std::vector<double> output_shares;      ///< share of graphs with each label, or of graphs or nodes in each class
  std::vector<ValueRange> target_ranges;  ///< regression alone: of each target
  std::int64_t train = 0, validation = 0, test = 0;
  std::vector<TruthTypeSummary> truth_types;  ///< empty where no truth is known
};

/// Cost: one pass over the data set, which must have passed check_dataset().
FACTORGCN_API DatasetSummary summarise(const Dataset& dataset);

}  // namespace factorgcn
