// A data set from the tables of the TU layout: features, targets and ground truth beside the edges of data/tu_edges.h.
// Cost: see data/tu.h. Tables are given back as soon as they are used.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "data/tu_edges.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/tu.h"

namespace factorgcn {
namespace {

/// One-hot labels are the one place where a file's content could ask for far more memory than the file is long.
constexpr std::int64_t kMostOneHotValues = std::int64_t{1} << 28;

std::vector<std::int64_t> distinct(std::vector<std::int64_t> labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

/// Position of a label that is there.
std::int64_t rank_of(const std::vector<std::int64_t>& labels, std::int64_t label) {
  return std::lower_bound(labels.begin(), labels.end(), label) - labels.begin();
}

std::vector<std::int64_t> column_of(const TuMatrix<std::int64_t>& matrix, std::int64_t column) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(matrix.rows()));
  for (std::size_t row = 0; row < values.size(); ++row) {
    values[row] = matrix.values[row * static_cast<std::size_t>(matrix.columns) + static_cast<std::size_t>(column)];
  }
  return values;
}

at::Tensor attribute_features(const TuTables& tables, const NodePlaces& places) {
  const TuMatrix<float>& attributes = tables.node_attributes;
  const TuMatrix<std::int64_t>& labels = tables.node_labels;
  std::vector<std::vector<std::int64_t>> kinds;  // per column of labels
  std::int64_t one_hot = 0;
  for (std::int64_t column = 0; column < labels.columns; ++column) {
    kinds.push_back(distinct(column_of(labels, column)));
    one_hot += static_cast<std::int64_t>(kinds.back().size());
  }
  require(one_hot <= kMostOneHotValues / tables.num_nodes(), tables.origin, ": ", tables.name, "_node_labels.txt has ",
          one_hot, " different labels for ", tables.num_nodes(),
          " nodes: too many to stand beside attributes as one column each; remove that file");
  const std::int64_t width = attributes.columns + one_hot;
  at::Tensor features = at::zeros({tables.num_nodes(), width}, at::kFloat);
  auto* const values = features.data_ptr<float>();
  for (std::int64_t node = 0; node < tables.num_nodes(); ++node) {
    float* row = values + places.place(tables, node) * width;
    std::copy_n(attributes.values.begin() + node * attributes.columns, attributes.columns, row);
    row += attributes.columns;
    for (std::int64_t column = 0; column < labels.columns; ++column) {
      const auto& kind = kinds[static_cast<std::size_t>(column)];
      row[rank_of(kind, labels.values[static_cast<std::size_t>(node * labels.columns + column)])] = 1.0F;
      row += kind.size();
    }
  }
  return features;
}

at::Tensor label_types(const TuTables& tables, const NodePlaces& places, std::int64_t declared,
                       std::int64_t& num_types) {
  const std::vector<std::int64_t> labels = column_of(tables.node_labels, 0);
  const std::vector<std::int64_t> kinds = declared > 0 ? std::vector<std::int64_t>() : distinct(labels);
  num_types = declared > 0 ? declared : static_cast<std::int64_t>(kinds.size());
  at::Tensor features = at::empty({tables.num_nodes()}, at::kLong);
  auto* const types = features.data_ptr<std::int64_t>();
  for (std::int64_t node = 0; node < tables.num_nodes(); ++node) {
    const std::int64_t label = labels[static_cast<std::size_t>(node)];
    require(declared == 0 || (label >= 0 && label < declared), tables.origin, ": ", tables.name,
            "_node_labels.txt line ", node + 1, ": found '", label, "', expected a label in 0 .. ", declared - 1);
    types[places.place(tables, node)] = declared > 0 ? label : rank_of(kinds, label);
  }
  return features;
}

at::Tensor degree_types(const GraphStore& store, std::int64_t columns, std::int64_t& num_types) {
  const std::int64_t nodes = store.in_degrees.numel();
  const auto* const degrees = store.in_degrees.data_ptr<std::int32_t>();
  num_types = columns > 0 ? columns : std::int64_t{*std::max_element(degrees, degrees + nodes)} + 1;
  at::Tensor features = at::empty({nodes}, at::kLong);
  std::transform(degrees, degrees + nodes, features.data_ptr<std::int64_t>(),
                 [&](std::int64_t degree) { return std::min(degree, num_types - 1); });
  return features;
}

void set_targets(const TuTables& tables, Dataset& dataset) {
  if (!tables.graph_labels.empty()) {
    const std::vector<std::int64_t> classes = distinct(tables.graph_labels);
    dataset.task = Task::kGraphClass;
    dataset.num_outputs = static_cast<std::int64_t>(classes.size());
    dataset.targets = at::empty({tables.num_graphs}, at::kLong);
    std::transform(tables.graph_labels.begin(), tables.graph_labels.end(), dataset.targets.data_ptr<std::int64_t>(),
                   [&](std::int64_t label) { return rank_of(classes, label); });
    for (const std::int64_t label : classes) {
      dataset.output_names.push_back(std::to_string(label));
    }
  } else if (!tables.graph_attributes.empty()) {
    dataset.task = Task::kRegression;
    dataset.num_outputs = tables.graph_attributes.columns;
    dataset.targets = at::empty({tables.num_graphs, dataset.num_outputs}, at::kFloat);
    std::copy(tables.graph_attributes.values.begin(), tables.graph_attributes.values.end(),
              dataset.targets.data_ptr<float>());
  } else {
    dataset.task = Task::kNone;
    dataset.num_outputs = 0;
  }
}

/// "LABEL NAME" taken apart; false where the line has another form.
bool split_name_line(std::string_view line, std::int64_t& label, std::string_view& name) {
  constexpr std::string_view kBlanks = " \t,";
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), label);
  if (error != std::errc() || end == line.data() + line.size() || kBlanks.find(*end) == std::string_view::npos) {
    return false;
  }
  name = line.substr(static_cast<std::size_t>(end - line.data()));
  const std::size_t first = name.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return false;
  }
  name = name.substr(first, name.find_last_not_of(kBlanks) - first + 1);
  return true;
}

/// A name for each label; the label itself where the lines do not fit.
std::vector<std::string> type_names(const std::vector<std::int64_t>& labels, const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::int64_t label : labels) {
    names.push_back(std::to_string(label));
  }
  std::vector<std::pair<std::int64_t, std::string_view>> named;
  for (const std::string& line : lines) {
    std::int64_t label = 0;
    std::string_view name;
    if (split_name_line(line, label, name)) {
      named.emplace_back(label, name);
    }
  }
  if (named.size() == lines.size()) {
    for (const auto& [label, name] : named) {
      const auto place = std::lower_bound(labels.begin(), labels.end(), label);
      if (place != labels.end() && *place == label) {
        names[static_cast<std::size_t>(place - labels.begin())] = name;
      }
    }
  } else if (lines.size() == labels.size()) {
    names = lines;
  }
  return names;
}

struct TruthEntry {
  std::int32_t type, source, target;
};

GroundTruth make_truth(const GroupedEdges& edges, const std::vector<std::string>& name_lines) {
  GroundTruth truth;
  const std::vector<std::int64_t> labels = distinct(edges.labels);
  truth.type_names = type_names(labels, name_lines);
  std::vector<TruthEntry> entries;  // of one graph
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> targets;
  for (std::size_t graph = 0; graph + 1 < edges.offsets.size(); ++graph) {
    truth.begin_graph();
    entries.clear();
    const std::int64_t first = edges.offsets[graph];
    const auto add = [&](std::int64_t edge, bool is_reverse) {
      const auto index = static_cast<std::size_t>(edge);
      const std::int32_t source = edges.source[index];
      const std::int32_t target = edges.target[index];
      if (source != target) {
        const auto type = static_cast<std::int32_t>(rank_of(labels, edges.labels[index]));
        entries.push_back({type, is_reverse ? target : source, is_reverse ? source : target});
      }
    };
    for (std::int64_t edge = first; edge < edges.offsets[graph + 1]; ++edge) {
      add(edge, false);
    }
    for (std::int64_t index = edges.missing_offsets[graph]; index < edges.missing_offsets[graph + 1]; ++index) {
      add(first + edges.missing[static_cast<std::size_t>(index)].edge, true);
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const TruthEntry& left, const TruthEntry& right) { return left.type < right.type; });
    for (std::size_t begin = 0; begin < entries.size();) {
      const std::int32_t type = entries[begin].type;
      sources.clear();
      targets.clear();
      for (; begin < entries.size() && entries[begin].type == type; ++begin) {
        sources.push_back(entries[begin].source);
        targets.push_back(entries[begin].target);
      }
      truth.add_part(type, sources, targets);
    }
  }
  return truth;
}

}  // namespace

Dataset make_tu_dataset(TuTables&& given, const TuDatasetOptions& options) {
  require_usage(options.degree_columns >= 0 && options.node_types >= 0, given.name, ": ", options.degree_columns,
                " degree columns, ", options.node_types, " node types; neither can be negative");
  TuTables tables = std::move(given);
  tables.edge_attributes = {};
  Dataset dataset;
  dataset.name = options.dataset_name.empty() ? tables.name : options.dataset_name;
  set_targets(tables, dataset);
  const NodePlaces places = place_nodes(tables);
  {
    const GroupedEdges edges = group_edges(tables, places);
    dataset.added_self_loops =
        fill_edge_orders(edges, places, options.self_loops, concat(tables.origin, ": ", tables.name), dataset.graphs);
    if (!edges.labels.empty()) {
      dataset.truth = make_truth(edges, tables.edge_label_names);
    }
  }
  if (!tables.node_attributes.empty()) {
    dataset.graphs.features = attribute_features(tables, places);
  } else if (!tables.node_labels.empty()) {
    dataset.graphs.features = label_types(tables, places, options.node_types, dataset.num_node_types);
  } else {
    dataset.graphs.features = degree_types(dataset.graphs, options.degree_columns, dataset.num_node_types);
  }
  return dataset;
}

}  // namespace factorgcn
