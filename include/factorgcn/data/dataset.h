// A data set as the trainer sees it: graphs, targets, splits and, where known, the true relations.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/graph/ground_truth.h"

namespace factorgcn {

/// What is predicted, and so which loss and metric apply.
enum class Task {
  kMultiLabel,  ///< targets float [G, C] of 0 and 1 per graph; metric: micro-F1
  kRegression,  ///< targets float [G, C] per graph; metric: mean absolute error
  kGraphClass,  ///< targets int64 [G] per graph; metric: accuracy
  kNodeClass,   ///< targets int64 [N] per node; metric: mean of the per-class recalls
  kNone,        ///< no targets: the graphs can be looked at, not trained on
};

FACTORGCN_API const char* task_name(Task task);
FACTORGCN_API Task task_from_name(const std::string& name);

/// True where targets belong to nodes rather than graphs.
inline bool is_node_task(Task task) { return task == Task::kNodeClass; }

struct FACTORGCN_API Split {
  std::vector<std::int64_t> train, validation, test;  ///< graph indices, or node ids where Dataset::node_split is set
};

struct FACTORGCN_API Dataset {
  std::string name;
  Task task = Task::kMultiLabel;
  std::int64_t num_outputs = 0;     ///< columns a model must predict: labels, classes or regression targets
  std::int64_t num_node_types = 0;  ///< for int64 features: how many types there are; otherwise 0
  std::int64_t num_edge_types = 0;  ///< types in graphs.edge_types; 0 where edges have none
  GraphStore graphs;
  at::Tensor targets;
  Split split;
  bool node_split = false;  ///< the split holds node ids (all graphs counted through): one large graph, say
  GroundTruth truth;        ///< empty where nothing is known

  at::Tensor labelled;     ///< bool, one per target: it is known; undefined: see known_targets()
  at::Tensor given_edges;  ///< bool [E] by target: the source has the edge in this direction; undefined: not recorded

  bool directed = false;                   ///< the source's edges have a direction; else both directions are stored
  std::int64_t added_self_loops = 0;       ///< self loops that are there for training and not in the source
  std::vector<std::string> feature_names;  ///< of each feature column, or of each node type; may be empty
  std::vector<std::string> output_names;   ///< what the source calls each label or class; may be empty
  std::vector<std::string> node_names;     ///< what the source calls each node; may be empty
  std::vector<std::string> graph_names;    ///< what the source calls each graph; may be empty
};

/// Throws Error, naming the data set and the value, unless all parts fit each other: counts, types, finite values,
/// split indices in range and disjoint, ground truth inside its graphs, names for all or none.
FACTORGCN_API void check_dataset(const Dataset& dataset);

/// Which graphs, or nodes for node tasks, have a target that is not only a placeholder: bool [G] or [N]. Where a data
/// set does not say, those in its split.
FACTORGCN_API at::Tensor known_targets(const Dataset& dataset);

/// Makes the true relations known to models: each edge's type is that of the part that holds it. Nothing is set where
/// an edge is in no part. Cost: O(edges + entries * degree).
FACTORGCN_API void set_edge_types_from_truth(Dataset& dataset);

}  // namespace factorgcn
