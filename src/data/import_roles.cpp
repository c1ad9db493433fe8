// Columns by option, by well-known name, by position; then the task.
#include "data/import_roles.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

Classes read_classes(const TextTable& table, std::size_t column) {
  std::unordered_map<std::string_view, std::int64_t> numbers;
  bool all_numbers = true;
  double value = 0;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, column);
    if (!is_missing_value(cell) && numbers.try_emplace(cell, 0).second) {
      all_numbers = all_numbers && parse_decimal(cell, value);
    }
  }
  std::vector<std::pair<double, std::string_view>> order;
  for (const auto& [cell, number] : numbers) {
    value = 0;
    if (all_numbers) {
      parse_decimal(cell, value);
    }
    order.emplace_back(value, cell);
  }
  std::sort(order.begin(), order.end());
  Classes classes;
  for (const auto& [key, cell] : order) {
    numbers[cell] = static_cast<std::int64_t>(classes.names.size());
    classes.names.emplace_back(cell);
  }
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, column);
    classes.of_row.push_back(is_missing_value(cell) ? -1 : numbers[cell]);
  }
  return classes;
}

/// True where a column that nobody asked for is no class: a name that differs from row to row, or nearly so.
bool looks_like_names(const Classes& classes) {
  constexpr std::size_t kMany = 20;
  const std::size_t labelled = classes.of_row.size() - classes.missing();
  return (classes.names.size() > 2 && classes.names.size() == labelled) ||
         (classes.names.size() > kMany && 2 * classes.names.size() > labelled);
}

class RoleChooser {
 public:
  RoleChooser(const GraphTables& tables, const ImportOptions& options) : tables_(tables), options_(options) {}

  ImportRoles run() {
    check_options();
    choose_edge_columns();
    choose_node_columns();
    choose_graph_columns();
    choose_task();
    return std::move(roles_);
  }

 private:
  void note(std::string text) { roles_.notes.push_back(std::move(text)); }

  void check_options() const {
    const double sum = std::accumulate(options_.split_shares.begin(), options_.split_shares.end(), 0.0);
    const bool good = std::all_of(options_.split_shares.begin(), options_.split_shares.end(),
                                  [](double share) { return share >= 0 && share <= 1; });
    require_usage(good && std::abs(sum - 1) < 1e-6 && options_.split_shares[0] > 0, "split shares ",
                  options_.split_shares[0], ",", options_.split_shares[1], ",", options_.split_shares[2],
                  ": give three shares from 0 to 1 that add up to 1, the first (training) above 0");
    if (!tables_.nodes) {
      for (const auto& [option, value] : {std::pair{"--node", options_.node}, std::pair{"--label", options_.label},
                                          std::pair{"--split", options_.split}}) {
        require_usage(value.empty() || value == "none", option, " ", value,
                      ": there is no node table; give --nodes FILE");
      }
      require_usage(options_.features.empty() || options_.features == std::vector<std::string>{"none"}, "--features ",
                    options_.features.empty() ? "" : options_.features.front(),
                    ": there is no node table; give --nodes FILE");
      require_usage(options_.one_hot.empty(), "--one-hot ", options_.one_hot.empty() ? "" : options_.one_hot.front(),
                    ": there is no node table; give --nodes FILE");
    }
    if (!tables_.graphs) {
      for (const auto& [option, value] :
           {std::pair{"--graph-label", options_.graph_label}, std::pair{"--graph-split", options_.graph_split}}) {
        require_usage(value.empty() || value == "none", option, " ", value,
                      ": there is no graph table; give --graphs FILE");
      }
      for (const auto& [option, columns] :
           {std::pair{"--graph-target", options_.graph_targets}, std::pair{"--graph-labels", options_.graph_labels}}) {
        require_usage(columns.empty(), option, " ", columns.empty() ? "" : columns.front(),
                      ": there is no graph table; give --graphs FILE");
      }
    }
    require_usage(options_.graph_targets.empty() || options_.graph_label.empty() || options_.graph_label == "none",
                  "--graph-label and --graph-target exclude each other: a class or values, not both");
    require_usage(options_.graph_labels.empty() || (options_.graph_targets.empty() &&
                                                    (options_.graph_label.empty() || options_.graph_label == "none")),
                  "--graph-labels excludes --graph-label and --graph-target: there is one kind of answer");
  }

  void choose_edge_columns() {
    const TextTable& edges = tables_.edges;
    require(edges.num_columns() >= 2, edges.origin, ": it has ", edges.num_columns(),
            " column; an edge list needs two at least, the ends of each edge (is the separator right? --separator)");
    const Column source = find_column(edges, "--source", options_.source, KnownColumns::source());
    const Column target = find_column(edges, "--target", options_.target, KnownColumns::target());
    const bool neither = options_.source.empty() && options_.target.empty() && (!source || !target);
    if (neither) {
      roles_.edges.source = 0;
      roles_.edges.target = 1;
    } else {
      require_usage(source.has_value(), "--source is not given, and ", edges.origin,
                    " has no column with a known name for it: give --source COL");
      require_usage(target.has_value(), "--target is not given, and ", edges.origin,
                    " has no column with a known name for it: give --target COL");
      roles_.edges.source = *source;
      roles_.edges.target = *target;
    }
    ColumnUse use(edges);
    use.take(roles_.edges.source, "source");
    use.take(roles_.edges.target, "target");
    const auto optional_column = [&](const char* option, const std::string& asked,
                                     const std::vector<std::string>& known) -> Column {
      const Column column = find_column(edges, option, asked, known);
      return column && asked.empty() && !use.is_free(*column) ? Column() : column;
    };
    roles_.edges.graph = optional_column("--graph", options_.graph, KnownColumns::graph());
    use.take(roles_.edges.graph, "graph");
    roles_.edges.relation = optional_column("--relation", options_.relation, KnownColumns::relation());
    use.take(roles_.edges.relation, "relation");
    drop_direction_column();
    roles_.ends = concat(column_text(edges, roles_.edges.source), " and ", column_text(edges, roles_.edges.target));
    roles_.edges.weight = optional_column("--edge-weight", options_.edge_weight, KnownColumns::weight());
    use.take(roles_.edges.weight, "weight");
    if (const auto free = use.free_columns(); !free.empty()) {
      note(concat("not used in ", edges.origin, ": ", columns_text(edges, free)));
    }
  }

  /// Some programs write a column "Type" that says Directed or Undirected; that is no relation.
  void drop_direction_column() {
    if (!roles_.edges.relation || !options_.relation.empty()) {
      return;
    }
    const TextTable& edges = tables_.edges;
    for (std::size_t row = 0; row < edges.num_rows(); ++row) {
      const std::string value = plain_column_name(edges.cell(row, *roles_.edges.relation));
      if (value != "directed" && value != "undirected") {
        return;
      }
    }
    if (edges.num_rows() > 0) {
      note(concat(column_text(edges, *roles_.edges.relation),
                  " says which edges are directed and is not used as a relation; --directed keeps directions"));
      roles_.edges.relation.reset();
    }
  }

  void choose_node_columns() {
    if (!tables_.nodes) {
      return;
    }
    const TextTable& nodes = *tables_.nodes;
    ColumnUse use(nodes);
    require_usage(options_.node != "none", "--node none: a node table needs the column with the nodes' names");
    const Column graph = node_graph_column(nodes);
    const Column named = find_column(nodes, "--node", options_.node, KnownColumns::node());
    const std::size_t first_other = graph == Column(0) && nodes.num_columns() > 1 ? 1 : 0;
    roles_.nodes.node = named.value_or(first_other);
    use.take(roles_.nodes.node, "node");
    roles_.nodes.graph = graph == Column(roles_.nodes.node) && options_.node_graph.empty() ? Column() : graph;
    use.take(roles_.nodes.graph, "graph");
    const auto optional_column = [&](const char* option, const std::string& asked,
                                     const std::vector<std::string>& known) -> Column {
      const Column column = find_column(nodes, option, asked, known);
      return column && asked.empty() && !use.is_free(*column) ? Column() : column;
    };
    roles_.nodes.label = optional_column("--label", options_.label, KnownColumns::label());
    if (roles_.nodes.label) {
      roles_.node_classes = read_classes(nodes, *roles_.nodes.label);
      const bool empty = roles_.node_classes.names.empty();
      if (options_.label.empty() && (empty || looks_like_names(roles_.node_classes))) {
        note(concat(column_text(nodes, *roles_.nodes.label),
                    empty ? " holds no values" : " tells nodes apart: taken for a name",
                    ", not for a class (--label says otherwise)"));
        use.take(roles_.nodes.label, "name");
        roles_.nodes.label.reset();
      } else {
        require(!empty, nodes.origin, ": ", column_text(nodes, *roles_.nodes.label), " holds no labels");
        use.take(roles_.nodes.label, "label");
      }
    }
    roles_.nodes.split = optional_column("--split", options_.split, KnownColumns::split());
    use.take(roles_.nodes.split, "split");
    if (tables_.entry_column >= 0) {
      const auto column = static_cast<std::size_t>(tables_.entry_column);
      use.take(column, "feature");
      roles_.nodes.features.push_back({column, true, false, tables_.entry_width});
    }
    for (const std::string& asked : options_.features) {
      if (const Column column = find_column(nodes, "--features", asked, {})) {
        use.take(column, "feature");
        roles_.nodes.features.push_back({*column, true});
      }
    }
    choose_words(nodes, use);
    const auto free = use.free_columns();
    if (options_.features.empty()) {
      for (const std::size_t column : free) {
        roles_.nodes.features.push_back({column, false});
      }
      std::sort(roles_.nodes.features.begin(), roles_.nodes.features.end(),
                [](const FeatureColumn& left, const FeatureColumn& right) { return left.column < right.column; });
    } else if (!free.empty()) {
      note(concat("not used in ", nodes.origin, ": ", columns_text(nodes, free)));
    }
  }

  /// Columns that are to be words: features, named as such or not.
  void choose_words(const TextTable& nodes, ColumnUse& use) {
    for (const std::string& asked : options_.one_hot) {
      const Column column = find_column(nodes, "--one-hot", asked, {});
      require_usage(column.has_value(), "--one-hot ", asked, ": give the columns that hold words");
      auto& features = roles_.nodes.features;
      const auto known = std::find_if(features.begin(), features.end(),
                                      [&](const FeatureColumn& feature) { return feature.column == *column; });
      if (known != features.end()) {
        known->one_hot = true;
      } else {
        use.take(column, "feature");
        features.push_back({*column, true, true});
      }
    }
  }

  /// --graph names the column in both tables, but a number belongs to the edge list alone.
  Column node_graph_column(const TextTable& nodes) const {
    if (!options_.node_graph.empty()) {
      return find_column(nodes, "--node-graph", options_.node_graph, KnownColumns::graph());
    }
    std::string asked = options_.graph;
    const bool number = !asked.empty() && asked.find_first_not_of("0123456789") == std::string::npos;
    const auto named = [&] {
      return nodes.has_header && std::find(nodes.columns.begin(), nodes.columns.end(), asked) != nodes.columns.end();
    };
    if (number || (asked != "none" && !named())) {
      asked.clear();
    }
    return find_column(nodes, "--graph", asked, KnownColumns::graph());
  }

  void choose_graph_columns() {
    if (!tables_.graphs) {
      return;
    }
    const TextTable& graphs = *tables_.graphs;
    std::vector<std::string> known = KnownColumns::graph();
    known.insert(known.end(), {"id", "name"});
    ColumnUse use(graphs);
    require_usage(options_.graph_name != "none", "--graph-name none: a graph table needs the column with the names");
    roles_.graphs.name = find_column(graphs, "--graph-name", options_.graph_name, known).value_or(0);
    use.take(roles_.graphs.name, "graph");
    const bool labels = !options_.graph_labels.empty();
    const char* const option = labels ? "--graph-labels" : "--graph-target";
    for (const std::string& asked : labels ? options_.graph_labels : options_.graph_targets) {
      const Column column = find_column(graphs, option, asked, {});
      require_usage(column.has_value(), option, " ", asked, ": give the columns with the values");
      use.take(column, "target");
      roles_.graphs.targets.push_back(*column);
    }
    const auto optional_column = [&](const char* option, const std::string& asked,
                                     const std::vector<std::string>& names) -> Column {
      const Column column = find_column(graphs, option, asked, names);
      return column && asked.empty() && !use.is_free(*column) ? Column() : column;
    };
    if (roles_.graphs.targets.empty()) {
      roles_.graphs.label = optional_column("--graph-label", options_.graph_label, KnownColumns::label());
    }
    if (roles_.graphs.label) {
      roles_.graph_classes = read_classes(graphs, *roles_.graphs.label);
      const bool empty = roles_.graph_classes.names.empty();
      const bool one_graph = graphs.num_rows() == 1;  // which has no classes to tell apart
      if (options_.graph_label.empty() && (empty || one_graph || looks_like_names(roles_.graph_classes))) {
        note(concat(column_text(graphs, *roles_.graphs.label),
                    empty ? " holds no values" : " tells graphs apart: taken for a name",
                    ", not for a class (--graph-label says otherwise)"));
        use.take(roles_.graphs.label, "name");
        roles_.graphs.label.reset();
      } else {
        require(!empty, graphs.origin, ": ", column_text(graphs, *roles_.graphs.label), " holds no labels");
        use.take(roles_.graphs.label, "label");
      }
    }
    roles_.graphs.split = optional_column("--graph-split", options_.graph_split, KnownColumns::split());
    use.take(roles_.graphs.split, "split");
    if (const auto free = use.free_columns(); !free.empty()) {
      note(concat("not used in ", graphs.origin, ": ", columns_text(graphs, free)));
    }
  }

  void choose_task() {
    const bool graph_task = roles_.graphs.label || !roles_.graphs.targets.empty();
    if (roles_.nodes.label && graph_task) {
      throw UsageError(
          concat("there are labels of nodes (", column_text(*tables_.nodes, *roles_.nodes.label),
                 ") and of graphs; choose one: --label none, or --graph-label none without --graph-target"));
    }
    roles_.task = roles_.nodes.label               ? Task::kNodeClass
                  : roles_.graphs.label            ? Task::kGraphClass
                  : !options_.graph_labels.empty() ? Task::kMultiLabel
                  : !roles_.graphs.targets.empty() ? Task::kRegression
                                                   : Task::kNone;
    if (roles_.task == Task::kNone && tables_.nodes) {
      note_likely_labels(*tables_.nodes);
    }
    if (roles_.nodes.split && roles_.task != Task::kNodeClass) {
      require_usage(options_.split.empty(), "--split ", options_.split,
                    " splits nodes, but nodes have no labels; give --label COL");
      note(concat(column_text(*tables_.nodes, *roles_.nodes.split), " is not used: nodes have no labels"));
    }
    if (roles_.graphs.split && roles_.task == Task::kNone) {
      require_usage(options_.graph_split.empty(), "--graph-split ", options_.graph_split,
                    " splits graphs, but there are no labels; give --graph-label COL or --graph-target COL");
      note(concat(column_text(*tables_.graphs, *roles_.graphs.split), " is not used: there are no labels"));
    }
    if (roles_.graphs.split && roles_.nodes.split && roles_.task == Task::kNodeClass) {
      throw UsageError("there is a split of nodes and one of graphs; choose one: --split none or --graph-split none");
    }
  }

  /// Columns of words with few values, of which each comes more than once: one of them may be what is to be learnt.
  void note_likely_labels(const TextTable& nodes) {
    constexpr std::size_t kMostClasses = 20;
    std::vector<std::size_t> likely;
    for (const FeatureColumn& feature : roles_.nodes.features) {
      double value = 0;
      if (nodes.num_rows() == 0 || parse_decimal(nodes.cell(0, feature.column), value)) {
        continue;
      }
      const Classes classes = read_classes(nodes, feature.column);
      const std::size_t labelled = nodes.num_rows() - classes.missing();
      if (classes.names.size() >= 2 && classes.names.size() <= kMostClasses && 2 * classes.names.size() <= labelled) {
        likely.push_back(feature.column);
      }
    }
    if (!likely.empty()) {
      note(concat("no labels were given; ", columns_text(nodes, likely), likely.size() == 1 ? " holds" : " hold",
                  " words that could be: --label says which column to learn"));
    }
  }

  const GraphTables& tables_;
  const ImportOptions& options_;
  ImportRoles roles_;
};

}  // namespace

ImportRoles choose_roles(const GraphTables& tables, const ImportOptions& options) {
  return RoleChooser(tables, options).run();
}

}  // namespace factorgcn
