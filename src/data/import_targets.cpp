// Targets by task, splits by column or by drawing.
#include "data/import_targets.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "data/import_split.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/random_split.h"

namespace factorgcn {
namespace {

class TargetSetter {
 public:
  TargetSetter(const GraphTables& tables, const ImportOptions& options, const ImportRoles& roles,
               const NumberedTables& numbered, Imported& result)
      : tables_(tables), options_(options), roles_(roles), numbered_(numbered), result_(result) {}

  void set_targets() {
    switch (result_.dataset.task) {
      case Task::kNodeClass:
        return set_node_classes();
      case Task::kGraphClass:
      case Task::kRegression:
      case Task::kMultiLabel:
        return set_graph_targets();
      default:
        return;
    }
  }

 private:
  /// int64 targets, 0 where there is no class.
  void set_class_targets(std::vector<std::string> names, const std::vector<std::int64_t>& classes) {
    Dataset& dataset = result_.dataset;
    dataset.num_outputs = static_cast<std::int64_t>(names.size());
    dataset.output_names = std::move(names);
    dataset.targets = at::empty({static_cast<std::int64_t>(classes.size())}, at::TensorOptions().dtype(at::kLong));
    std::transform(classes.begin(), classes.end(), dataset.targets.data_ptr<std::int64_t>(),
                   [](std::int64_t value) { return std::max<std::int64_t>(value, 0); });
    set_labelled(classes);
    if (dataset.num_outputs == 1) {
      result_.notes.push_back("there is only one class: nothing can be learnt from it");
    }
  }

  /// Marks what has a label: everything but -1.
  void set_labelled(const std::vector<std::int64_t>& classes) {
    at::Tensor labelled = at::empty({static_cast<std::int64_t>(classes.size())}, at::TensorOptions().dtype(at::kBool));
    std::transform(classes.begin(), classes.end(), labelled.data_ptr<bool>(),
                   [](std::int64_t value) { return value >= 0; });
    result_.dataset.labelled = std::move(labelled);
  }

  void set_node_classes() {
    const TextTable& nodes = *tables_.nodes;
    Dataset& dataset = result_.dataset;
    std::vector<std::int64_t> classes;
    for (const NumberedNode& node : numbered_.nodes) {
      classes.push_back(node.row < 0 ? -1 : roles_.node_classes.of_row[static_cast<std::size_t>(node.row)]);
    }
    set_class_targets(roles_.node_classes.names, classes);
    const auto unlabelled = static_cast<std::size_t>(std::count(classes.begin(), classes.end(), -1));
    dataset.node_split = roles_.nodes.split.has_value() || (numbered_.graph_names.size() == 1 && !roles_.graphs.split);
    if (roles_.nodes.split) {
      std::vector<std::int64_t> rows;
      std::transform(numbered_.nodes.begin(), numbered_.nodes.end(), std::back_inserter(rows),
                     [](const NumberedNode& node) { return node.row; });
      read_split(nodes, *roles_.nodes.split, rows, classes, "node");
    } else if (dataset.node_split) {
      set_drawn_split(classes, "nodes", true);
    } else {
      const auto lacking = std::find(classes.begin(), classes.end(), -1);
      if (lacking != classes.end()) {
        const NumberedNode& node = numbered_.nodes[static_cast<std::size_t>(lacking - classes.begin())];
        fail(node.row < 0 ? nodes.origin : nodes.where(static_cast<std::size_t>(node.row)), ": node ",
             shown_text(node.name),
             " has no label, but whole graphs are split; label it, or say with --split which "
             "nodes are for training, validation and test");
      }
      split_graphs(std::vector<std::int64_t>(numbered_.graph_names.size(), 0), false);
    }
    if (unlabelled > 0) {
      result_.notes.push_back(
          concat(counted_text(unlabelled, "node"), " without a label: in no split, stored with class 0"));
    }
  }

  void set_graph_targets() {
    const TextTable& graphs = *tables_.graphs;
    Dataset& dataset = result_.dataset;
    std::vector<std::int64_t> classes;
    if (dataset.task == Task::kGraphClass) {
      classes = roles_.graph_classes.of_row;
      set_class_targets(roles_.graph_classes.names, classes);
    } else {
      classes = set_values(graphs);
      set_labelled(classes);
    }
    const auto unlabelled = static_cast<std::size_t>(std::count(classes.begin(), classes.end(), -1));
    require(unlabelled < classes.size(), graphs.origin, ": no graph has a value in every target column");
    split_graphs(classes, dataset.task == Task::kGraphClass);
    if (unlabelled > 0) {
      result_.notes.push_back(concat(
          counted_text(unlabelled, "graph"), " without a ", dataset.task == Task::kGraphClass ? "label" : "target",
          ": in no split, stored with ", dataset.task == Task::kGraphClass ? "class 0" : "0"));
    }
  }

  /// Regression targets, or 1 for each label that is there; returns 0 for each graph that has them all
  /// and -1 for the others.
  std::vector<std::int64_t> set_values(const TextTable& graphs) {
    Dataset& dataset = result_.dataset;
    const auto rows = static_cast<std::int64_t>(graphs.num_rows());
    dataset.num_outputs = static_cast<std::int64_t>(roles_.graphs.targets.size());
    dataset.targets = at::empty({rows, dataset.num_outputs}, at::TensorOptions().dtype(at::kFloat));
    auto* values = dataset.targets.data_ptr<float>();
    std::vector<std::int64_t> present(graphs.num_rows(), 0);
    for (std::size_t row = 0; row < graphs.num_rows(); ++row) {
      for (const std::size_t column : roles_.graphs.targets) {
        const std::string_view cell = graphs.cell(row, column);
        double value = 0;
        if (is_missing_value(cell)) {
          present[row] = -1;
        } else if (!parse_decimal(cell, value) || !(std::abs(value) <= std::numeric_limits<float>::max())) {
          fail(graphs.where(row), ": ", column_text(graphs, column), " is ", shown_text(cell),
               "; a finite number was expected");
        } else if (dataset.task == Task::kMultiLabel && value != 0 && value != 1) {
          fail(graphs.where(row), ": ", column_text(graphs, column), " is ", shown_text(cell),
               "; a label is there (1) or not (0)");
        }
        *values++ = static_cast<float>(value);
      }
    }
    for (const std::size_t column : roles_.graphs.targets) {
      dataset.output_names.push_back(graphs.columns[column]);
    }
    return present;
  }

  void split_graphs(const std::vector<std::int64_t>& classes, bool by_class) {
    if (!roles_.graphs.split) {
      set_drawn_split(classes, "graphs", by_class);
      return;
    }
    std::vector<std::int64_t> rows(classes.size());
    std::iota(rows.begin(), rows.end(), 0);
    read_split(*tables_.graphs, *roles_.graphs.split, rows, classes, "graph");
  }

  void read_split(const TextTable& table, std::size_t column, const std::vector<std::int64_t>& rows,
                  const std::vector<std::int64_t>& classes, const char* what) {
    Split& split = result_.dataset.split;
    const std::array parts{&split.train, &split.validation, &split.test};
    for (std::size_t item = 0; item < rows.size(); ++item) {
      if (rows[item] < 0) {
        continue;
      }
      const auto row = static_cast<std::size_t>(rows[item]);
      const SplitPart part = split_part(table.cell(row, column));
      if (part == SplitPart::kUnknown) {
        fail(table.where(row), ": ", column_text(table, column), " is ", shown_text(table.cell(row, column)),
             "; train, val, test or nothing was expected");
      }
      if (part == SplitPart::kNone) {
        continue;
      }
      if (classes[item] < 0) {
        fail(table.where(row), ": this ", what, " has no label, but is in the split ",
             shown_text(table.cell(row, column)), "; label it, or leave its split empty");
      }
      parts[static_cast<std::size_t>(part)]->push_back(static_cast<std::int64_t>(item));
    }
    require(!split.train.empty(), table.origin, ": ", column_text(table, column), " puts no ", what,
            " into the training part; mark some with 'train'");
    result_.split = concat(what, "s, from ", column_text(table, column));
    note_empty_parts();
  }

  void set_drawn_split(const std::vector<std::int64_t>& classes, const char* what, bool by_class) {
    result_.dataset.split = draw_stratified_split(classes, options_.split_shares, options_.seed);
    result_.split = concat(what, ", drawn with seed ", options_.seed, by_class ? ", each class in its share" : "");
    note_empty_parts();
  }

  void note_empty_parts() {
    const Split& split = result_.dataset.split;
    for (const auto& [part, name] : {std::pair{&split.validation, "validation"}, std::pair{&split.test, "test"}}) {
      if (part->empty()) {
        result_.notes.push_back(concat("the ", name, " part is empty"));
      }
    }
  }

  const GraphTables& tables_;
  const ImportOptions& options_;
  const ImportRoles& roles_;
  const NumberedTables& numbered_;
  Imported& result_;
};

}  // namespace

void set_import_targets(const GraphTables& tables, const ImportOptions& options, const ImportRoles& roles,
                        const NumberedTables& numbered, Imported& result) {
  TargetSetter(tables, options, roles, numbered, result).set_targets();
}

}  // namespace factorgcn
