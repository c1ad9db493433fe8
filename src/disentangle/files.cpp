// Edges, groups and questions, through the writers of io/.
#include "factorgcn/disentangle/files.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/io/graph_writer.h"
#include "factorgcn/io/row_writer.h"

namespace factorgcn {
namespace {

/// Names that the files' own columns have.
std::string share_column(const RelationOutcome& relation) {
  for (const char* taken : {"source", "target", "graph", "strongest", "certainty", "weight", "node", "id"}) {
    if (relation.column == taken) {
      return concat("relation ", relation.column);
    }
  }
  return relation.column;
}

std::vector<NamedColumn> edge_columns_of(const NamedGraph& graph, const DisentangleOutcome& outcome) {
  std::vector<NamedColumn> columns;
  for (const RelationOutcome& relation : outcome.relations) {
    columns.push_back({share_column(relation), ColumnKind::kNumber, "shares"});
  }
  columns.push_back({"strongest", ColumnKind::kText, {}});
  columns.push_back({"certainty", ColumnKind::kNumber, {}});
  if (!graph.weights.empty()) {
    columns.push_back({"weight", ColumnKind::kNumber, {}});
  }
  return columns;
}

/// What edge_columns_of() names; of a self loop nothing is known.
void edge_values(const NamedGraph& graph, const DisentangleOutcome& outcome, std::size_t edge,
                 std::vector<CellValue>& values) {
  values.clear();
  const std::size_t count = outcome.num_relations();
  for (std::size_t relation = 0; relation < count; ++relation) {
    values.emplace_back(outcome.shares[edge * count + relation]);
  }
  values.emplace_back(std::string_view(outcome.relations[static_cast<std::size_t>(outcome.strongest[edge])].column));
  values.push_back(outcome.certainty.empty() ? CellValue() : CellValue(outcome.certainty[edge]));
  if (!graph.weights.empty()) {
    values.emplace_back(graph.weights[edge]);
  }
}

const std::string& name_of(const NamedGraph& graph, std::int32_t node) {
  return graph.nodes[static_cast<std::size_t>(node)];
}

std::vector<NamedColumn> group_columns_of(const DisentangleOutcome& outcome, const std::string& ending) {
  std::vector<NamedColumn> columns;
  for (const RelationOutcome& relation : outcome.relations) {
    columns.push_back({share_column(relation) + ending, ColumnKind::kWhole, {}});
    columns.push_back({share_column(relation) + "_membership", ColumnKind::kNumber, {}});
    if (!relation.receiving_group.empty()) {
      columns.push_back({share_column(relation) + "_receiving" + ending, ColumnKind::kWhole, {}});
      columns.push_back({share_column(relation) + "_receiving_membership", ColumnKind::kNumber, {}});
    }
  }
  return columns;
}

void group_values(const DisentangleOutcome& outcome, std::size_t node, std::vector<CellValue>& values) {
  for (const RelationOutcome& relation : outcome.relations) {
    const auto add = [&](std::int32_t group, float membership) {
      values.push_back(group > 0 ? CellValue(std::int64_t{group}) : CellValue());
      values.push_back(group > 0 ? CellValue(membership) : CellValue());
    };
    add(relation.group[node], relation.membership[node]);
    if (!relation.receiving_group.empty()) {
      add(relation.receiving_group[node], relation.receiving_membership[node]);
    }
  }
}

void add_edges(const NamedGraph& graph, const DisentangleOutcome& outcome, GraphWriter& writer) {
  std::vector<CellValue> values;
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    edge_values(graph, outcome, edge, values);
    writer.add_edge(name_of(graph, graph.sources[edge]), name_of(graph, graph.targets[edge]), values);
  }
  values.assign(writer.layout().edge_columns.size(), CellValue());
  for (const std::int32_t node : graph.self_loops) {
    writer.add_edge(name_of(graph, node), name_of(graph, node), values);
  }
}

}  // namespace

void write_edges_file(const std::filesystem::path& path, const NamedGraph& graph, const DisentangleOutcome& outcome) {
  GraphFileLayout layout;
  layout.directed = graph.directed;
  layout.edge_columns = edge_columns_of(graph, outcome);
  write_graphs(path, layout, [&](GraphWriter& writer) {
    writer.begin_graph(graph.name);
    add_edges(graph, outcome, writer);
  });
}

void write_graph_file(const std::filesystem::path& path, const NamedGraph& graph, const DisentangleOutcome& outcome) {
  GraphFileLayout layout;
  layout.directed = graph.directed;
  layout.node_columns = group_columns_of(outcome, "_group");
  layout.edge_columns = edge_columns_of(graph, outcome);
  write_graphs(path, layout, [&](GraphWriter& writer) {
    writer.begin_graph(graph.name);
    std::vector<CellValue> values;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      values.clear();
      group_values(outcome, node, values);
      writer.add_node(graph.nodes[node], values);
    }
    add_edges(graph, outcome, writer);
  });
}

void write_groups_file(const std::filesystem::path& path, const NamedGraph& graph, const DisentangleOutcome& outcome) {
  std::vector<NamedColumn> columns{{"node", ColumnKind::kText, {}}};
  for (NamedColumn& column : group_columns_of(outcome, "")) {
    columns.push_back(std::move(column));
  }
  write_rows(path, columns, [&](const AddRow& add) {
    std::vector<CellValue> values;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      values.assign(1, CellValue(std::string_view(graph.nodes[node])));
      group_values(outcome, node, values);
      add(values);
    }
  });
}

void write_ask_file(const std::filesystem::path& path, const NamedGraph& graph, const DisentangleOutcome& outcome) {
  const std::vector<NamedColumn> columns{{"source", ColumnKind::kText, {}},
                                         {"target", ColumnKind::kText, {}},
                                         {"relation", ColumnKind::kText, {}},
                                         {"guess", ColumnKind::kText, {}},
                                         {"certainty", ColumnKind::kNumber, {}}};
  write_rows(path, columns, [&](const AddRow& add) {
    std::vector<CellValue> values;
    for (const std::int64_t question : outcome.ask) {
      const auto edge = static_cast<std::size_t>(question);
      const RelationOutcome& guess = outcome.relations[static_cast<std::size_t>(outcome.strongest[edge])];
      values = {std::string_view(name_of(graph, graph.sources[edge])),
                std::string_view(name_of(graph, graph.targets[edge])), CellValue(), std::string_view(guess.column),
                outcome.certainty.empty() ? CellValue() : CellValue(outcome.certainty[edge])};
      add(values);
    }
  });
}

}  // namespace factorgcn
