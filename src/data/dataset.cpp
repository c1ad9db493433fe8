// Names of tasks, and the one check that every data set passes before it is used.
// Cost of the check: O(nodes * columns + edges + ground-truth entries * degree).
#include "factorgcn/data/dataset.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/graph/sparse_features.h"
#include "graph/tensor_checks.h"

namespace factorgcn {
namespace {

constexpr std::array<Task, 5> kTasks{Task::kMultiLabel, Task::kRegression, Task::kGraphClass, Task::kNodeClass,
                                     Task::kNone};

void check_features(const Dataset& dataset) {
  const at::Tensor& features = dataset.graphs.features;
  if (features.scalar_type() == at::kLong) {
    require(dataset.num_node_types >= 1, dataset.name, ": node types are given, but num_node_types is ",
            dataset.num_node_types);
    const auto* types = features.data_ptr<std::int64_t>();
    for (std::int64_t node = 0; node < features.numel(); ++node) {
      require(types[node] >= 0 && types[node] < dataset.num_node_types, dataset.name, ": node ", node, " has type ",
              types[node], "; types must be in 0 .. ", dataset.num_node_types - 1);
    }
    return;
  }
  require(dataset.num_node_types == 0, dataset.name, ": num_node_types is ", dataset.num_node_types,
          ", but features are values; it must be 0");
  if (is_sparse(features)) {
    return;  // check_store() has looked at each
  }
  const auto* values = features.data_ptr<float>();
  for (std::int64_t index = 0; index < features.numel(); ++index) {
    if (!std::isfinite(values[index])) [[unlikely]] {
      fail(dataset.name, ": feature ", index % features.size(1), " of node ", index / features.size(1), " is ",
           values[index], "; features must be finite");
    }
  }
}

void check_value_targets(const Dataset& dataset) {
  const at::Tensor& targets = dataset.targets;
  require_readable(targets, at::kFloat, dataset.name, "targets");
  require(
      targets.dim() == 2 && targets.size(0) == dataset.graphs.num_graphs() && targets.size(1) == dataset.num_outputs,
      dataset.name, ": targets have shape ", shape_text(targets), "; it must be [", dataset.graphs.num_graphs(), ", ",
      dataset.num_outputs, "], one row per graph");
  require(targets.is_contiguous(), dataset.name, ": targets are not contiguous; call contiguous() on them");
  const auto* values = targets.data_ptr<float>();
  for (std::int64_t index = 0; index < targets.numel(); ++index) {
    const std::int64_t row = index / dataset.num_outputs;
    if (dataset.task == Task::kMultiLabel) {
      require(values[index] == 0.0F || values[index] == 1.0F, dataset.name, ": label ", index % dataset.num_outputs,
              " of graph ", row, " is ", values[index], "; labels must be 0 or 1");
    } else {
      require(std::isfinite(values[index]), dataset.name, ": target ", index % dataset.num_outputs, " of graph ", row,
              " is ", values[index], "; targets must be finite");
    }
  }
}

void check_class_targets(const Dataset& dataset) {
  const bool per_node = is_node_task(dataset.task);
  const std::int64_t rows = per_node ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs();
  require_vector(dataset.targets, at::kLong, rows, dataset.name, "targets");
  const auto* classes = dataset.targets.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    require(classes[row] >= 0 && classes[row] < dataset.num_outputs, dataset.name, ": ", per_node ? "node " : "graph ",
            row, " has class ", classes[row], "; classes must be in 0 .. ", dataset.num_outputs - 1);
  }
}

void check_split(const Dataset& dataset) {
  const char* kind = dataset.node_split ? "node" : "graph";
  require(!dataset.node_split || is_node_task(dataset.task), dataset.name, ": the split is one of nodes, but the task ",
          task_name(dataset.task), " is one of graphs");
  const std::int64_t count = dataset.node_split ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs();
  constexpr std::array<const char*, 3> names{"train", "validation", "test"};
  const std::array parts{&dataset.split.train, &dataset.split.validation, &dataset.split.test};
  std::vector<std::int8_t> owner(static_cast<std::size_t>(count), -1);  // -1: in no split yet
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const std::int64_t item : *parts[part]) {
      require(item >= 0 && item < count, dataset.name, ": the ", names[part], " split names ", kind, " ", item,
              "; indices must be in 0 .. ", count - 1);
      std::int8_t& taken = owner[static_cast<std::size_t>(item)];
      if (taken == static_cast<std::int8_t>(part)) {
        fail(dataset.name, ": the ", names[part], " split names ", kind, " ", item, " twice");
      }
      if (taken >= 0) {
        fail(dataset.name, ": ", kind, " ", item, " is in the ", names[static_cast<std::size_t>(taken)],
             " split and in the ", names[part], " split; splits must not share ", kind, "s");
      }
      taken = static_cast<std::int8_t>(part);
    }
  }
}

/// Names are there for all or for none.
void check_names(const Dataset& dataset) {
  const auto check = [&](const std::vector<std::string>& names, std::int64_t count, const char* what) {
    require(names.empty() || static_cast<std::int64_t>(names.size()) == count, dataset.name, ": there are ",
            names.size(), " names for ", count, " ", what, "; give one to each or to none");
  };
  const at::Tensor& features = dataset.graphs.features;
  const bool typed = dataset.num_node_types > 0;
  check(dataset.feature_names, typed ? dataset.num_node_types : features.size(1), typed ? "node types" : "features");
  check(dataset.output_names, dataset.num_outputs, "outputs");
  check(dataset.node_names, dataset.graphs.num_nodes(), "nodes");
  check(dataset.graph_names, dataset.graphs.num_graphs(), "graphs");
}

void check_targets(const Dataset& dataset) {
  if (dataset.task == Task::kNone) {
    require(dataset.num_outputs == 0 && !dataset.targets.defined(), dataset.name,
            ": it has no task, but outputs or targets; give it a task or leave them out");
    return;
  }
  require(dataset.num_outputs >= 1, dataset.name, ": num_outputs is ", dataset.num_outputs, "; it must be at least 1");
  if (dataset.task == Task::kMultiLabel || dataset.task == Task::kRegression) {
    check_value_targets(dataset);
  } else {
    check_class_targets(dataset);
  }
}

void check_edge_types(const Dataset& dataset) {
  const at::Tensor& types = dataset.graphs.edge_types;
  require(types.defined() == (dataset.num_edge_types > 0), dataset.name, ": num_edge_types is ", dataset.num_edge_types,
          types.defined() ? ", but there are edge types" : ", but there are no edge types");
  const auto* type = types.defined() ? types.data_ptr<std::int32_t>() : nullptr;
  for (std::int64_t edge = 0; types.defined() && edge < types.numel(); ++edge) {
    require(type[edge] >= 0 && type[edge] < dataset.num_edge_types, dataset.name, ": edge ", edge, " has type ",
            type[edge], "; types must be in 0 .. ", dataset.num_edge_types - 1);
  }
}

void check_edge_weights(const Dataset& dataset) {
  const at::Tensor& weights = dataset.graphs.edge_weights;
  const auto* weight = weights.defined() ? weights.data_ptr<float>() : nullptr;
  for (std::int64_t edge = 0; weights.defined() && edge < weights.numel(); ++edge) {
    require(std::isfinite(weight[edge]), dataset.name, ": the weight of edge ", edge, " is ", weight[edge],
            "; weights must be finite");
  }
}

void check_marks(const Dataset& dataset) {
  const auto check = [&](const at::Tensor& marks, std::int64_t count, const char* what) {
    require(!marks.defined() || (marks.scalar_type() == at::kBool && marks.dim() == 1 && marks.numel() == count),
            dataset.name, ": ", what, " must be one truth value for each of ", count, " or be left out");
  };
  check(dataset.given_edges, dataset.graphs.num_edges(), "given_edges");
  check(dataset.labelled, is_node_task(dataset.task) ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs(),
        "labelled");
}

/// Offsets of the truth rise from 0 to `last`.
void check_truth_offsets(const std::string& name, const std::vector<std::int64_t>& offsets, std::size_t last,
                         const char* what) {
  require(!offsets.empty() && offsets.front() == 0 && offsets.back() == static_cast<std::int64_t>(last) &&
              std::is_sorted(offsets.begin(), offsets.end()),
          name, ": the ground truth's ", what, " must rise from 0 to ", last);
}

void check_truth(const Dataset& dataset) {
  const GroundTruth& truth = dataset.truth;
  const GraphStore& graphs = dataset.graphs;
  if (truth.num_graphs() == 0 && truth.empty()) {
    return;
  }
  require(truth.num_graphs() == graphs.num_graphs(), dataset.name, ": the ground truth covers ", truth.num_graphs(),
          " graphs, but the data set has ", graphs.num_graphs(), "; it must cover all or none");
  require(truth.entry_offsets.size() == truth.part_types.size() + 1, dataset.name, ": the ground truth has ",
          truth.part_types.size(), " parts but ", truth.entry_offsets.size(), " entry offsets; it needs one more");
  require(truth.entry_sources.size() == truth.entry_targets.size(), dataset.name, ": the ground truth has ",
          truth.entry_sources.size(), " sources but ", truth.entry_targets.size(), " targets");
  check_truth_offsets(dataset.name, truth.part_offsets, truth.part_types.size(), "part offsets");
  check_truth_offsets(dataset.name, truth.entry_offsets, truth.entry_sources.size(), "entry offsets");

  const auto* node_offsets = graphs.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = graphs.edge_offsets.data_ptr<std::int64_t>();
  const auto* in_degrees = graphs.in_degrees.data_ptr<std::int32_t>();
  const auto* in_sources = graphs.in_sources.data_ptr<std::int32_t>();
  std::vector<std::int64_t> first_in_edge;
  for (std::int64_t graph = 0; graph < graphs.num_graphs(); ++graph) {
    first_in_edge.assign(1, edge_offsets[graph]);
    for (std::int64_t node = node_offsets[graph]; node < node_offsets[graph + 1]; ++node) {
      first_in_edge.push_back(first_in_edge.back() + in_degrees[node]);
    }
    const std::int64_t nodes = node_offsets[graph + 1] - node_offsets[graph];
    for (std::int64_t index = 0; index < truth.num_parts(graph); ++index) {
      const GroundTruth::Part part = truth.part(graph, index);
      require(part.type >= 0 && part.type < truth.num_types(), dataset.name, ": part ", index, " of graph ", graph,
              " has the unknown type ", part.type, "; there are ", truth.num_types(), " types");
      for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
        const std::int32_t source = part.sources[entry];
        const std::int32_t target = part.targets[entry];
        require(source >= 0 && source < nodes && target >= 0 && target < nodes, dataset.name, ": part ", index,
                " of graph ", graph, " joins nodes ", source, " and ", target, ", but the graph has ", nodes, " nodes");
        const auto* first = in_sources + first_in_edge[static_cast<std::size_t>(target)];
        const auto* last = in_sources + first_in_edge[static_cast<std::size_t>(target) + 1];
        require(std::find(first, last, source) != last, dataset.name, ": part ", index, " of graph ", graph,
                " holds the entry ", source, " -> ", target, ", which is no edge of the graph");
      }
    }
  }
}

}  // namespace

const char* task_name(Task task) {
  switch (task) {
    case Task::kMultiLabel:
      return "multi-label";
    case Task::kRegression:
      return "regression";
    case Task::kGraphClass:
      return "graph-class";
    case Task::kNodeClass:
      return "node-class";
    case Task::kNone:
      return "none";
  }
  fail("task ", static_cast<int>(task), " is unknown");
}

Task task_from_name(const std::string& name) {
  std::array<std::string_view, kTasks.size()> names;
  for (std::size_t index = 0; index < kTasks.size(); ++index) {
    names[index] = task_name(kTasks[index]);
    if (names[index] == name) {
      return kTasks[index];
    }
  }
  throw UsageError(concat("unknown task ", shown_text(name), known_names_hint(name, names)));
}

void check_dataset(const Dataset& dataset) {
  require(!dataset.name.empty(), "a data set has no name; give it one");
  check_store(dataset.graphs, dataset.name);
  require(dataset.graphs.num_graphs() >= 1, dataset.name, ": it has no graphs");
  check_edge_types(dataset);
  check_edge_weights(dataset);
  check_features(dataset);
  check_targets(dataset);
  check_split(dataset);
  check_truth(dataset);
  check_names(dataset);
  check_marks(dataset);
  require(dataset.added_self_loops >= 0 && dataset.added_self_loops <= dataset.graphs.num_edges(), dataset.name, ": ",
          dataset.added_self_loops, " self loops are said to be added, but there are ", dataset.graphs.num_edges(),
          " edges");
}

at::Tensor known_targets(const Dataset& dataset) {
  if (dataset.labelled.defined()) {
    return dataset.labelled;
  }
  const bool of_nodes = is_node_task(dataset.task);
  at::Tensor known = at::zeros({of_nodes ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs()},
                               at::TensorOptions().dtype(at::kBool));
  if (dataset.task == Task::kNone) {
    return known;
  }
  bool* const marks = known.data_ptr<bool>();
  const auto* const offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  for (const auto* part : {&dataset.split.train, &dataset.split.validation, &dataset.split.test}) {
    for (const std::int64_t item : *part) {
      if (of_nodes && !dataset.node_split) {
        std::fill(marks + offsets[item], marks + offsets[item + 1], true);
      } else {
        marks[item] = true;
      }
    }
  }
  return known;
}

void set_edge_types_from_truth(Dataset& dataset) {
  const GroundTruth& truth = dataset.truth;
  const GraphStore& graphs = dataset.graphs;
  if (truth.num_graphs() != graphs.num_graphs() || truth.num_types() == 0) {
    return;
  }
  at::Tensor types = at::full({graphs.num_edges()}, -1, at::TensorOptions().dtype(at::kInt));
  auto* const type = types.data_ptr<std::int32_t>();
  const auto* node_offsets = graphs.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = graphs.edge_offsets.data_ptr<std::int64_t>();
  const auto* in_degrees = graphs.in_degrees.data_ptr<std::int32_t>();
  const auto* in_sources = graphs.in_sources.data_ptr<std::int32_t>();
  std::vector<std::int64_t> first_in_edge;
  for (std::int64_t graph = 0; graph < graphs.num_graphs(); ++graph) {
    first_in_edge.assign(1, edge_offsets[graph]);
    for (std::int64_t node = node_offsets[graph]; node < node_offsets[graph + 1]; ++node) {
      first_in_edge.push_back(first_in_edge.back() + in_degrees[node]);
    }
    for (std::int64_t index = 0; index < truth.num_parts(graph); ++index) {
      const GroundTruth::Part part = truth.part(graph, index);
      for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
        const auto target = static_cast<std::size_t>(part.targets[entry]);
        for (std::int64_t edge = first_in_edge[target]; edge < first_in_edge[target + 1]; ++edge) {
          if (in_sources[edge] == part.sources[entry]) {
            type[edge] = part.type;
          }
        }
      }
    }
  }
  if (std::find(type, type + types.numel(), -1) == type + types.numel()) {
    dataset.graphs.edge_types = types;
    dataset.num_edge_types = truth.num_types();
  }
}

}  // namespace factorgcn
