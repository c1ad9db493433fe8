// Roles and numbers as for an import (import_roles.h, import_numbering.h), without what only a data set needs.
#include "factorgcn/data/edge_table.h"

#include <algorithm>
#include <utility>

#include "data/import_columns.h"
#include "data/import_numbering.h"
#include "data/import_roles.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

bool every_edge_is_directed(const GraphTables& tables) {
  const auto& said = tables.edge_is_directed;
  return !said.empty() && std::all_of(said.begin(), said.end(), [](bool one_way) { return one_way; });
}

std::vector<std::size_t> attribute_columns(const GraphTables& tables, const ImportRoles& roles) {
  std::vector<std::size_t> columns;
  if (tables.nodes) {
    const Column split = find_column(*tables.nodes, "--split", "", KnownColumns::split());
    for (std::size_t column = 0; column < tables.nodes->num_columns(); ++column) {
      if (column != roles.nodes.node && column != roles.nodes.graph && column != split) {
        columns.push_back(column);
      }
    }
  }
  return columns;
}

}  // namespace

bool has_column(const TextTable& table, const std::string& asked) {
  try {
    return !asked.empty() && find_column(table, "", asked, {}).has_value();
  } catch (const UsageError&) {
    return false;
  }
}

EdgeTable read_edge_table(const GraphTables& tables, const ImportOptions& options, const std::string& known) {
  EdgeTable result;
  ImportOptions chosen = options;
  chosen.label = tables.nodes ? "none" : "";  // a label is an attribute like others here
  chosen.split = chosen.label;
  chosen.features = {"none"};
  chosen.zero_for_missing_nodes = true;
  chosen.directed = options.directed || every_edge_is_directed(tables);
  if (!known.empty()) {
    result.known = find_column(tables.edges, "--known", known, {});
    if (options.relation.empty() &&
        find_column(tables.edges, "--relation", "", KnownColumns::relation()) == result.known) {
      chosen.relation = "none";
    }
  }
  if (!options.relation.empty()) {
    find_column(tables.edges, "--truth", options.relation, {});  // a wrong name is said under the option's own
  }
  const ImportRoles roles = choose_roles(tables, chosen);
  std::vector<std::string> unneeded;
  NumberedTables numbered = number_tables(tables, chosen, roles, unneeded);
  require_usage(numbered.graph_names.size() == 1, tables.edges.origin, " holds ", numbered.graph_names.size(),
                " graphs; one is needed here: give a file with one of them");
  for (const TextTable* table : {&tables.edges, tables.nodes ? &*tables.nodes : nullptr}) {
    if (table != nullptr) {
      result.notes.insert(result.notes.end(), table->notes.begin(), table->notes.end());
    }
  }
  for (const NumberedNode& node : numbered.nodes) {
    result.nodes.emplace_back(node.name);
    result.node_rows.push_back(node.row);
  }
  result.rows.reserve(numbered.edges.size());
  for (const NumberedEdge& edge : numbered.edges) {
    result.rows.push_back({edge.source, edge.target, edge.relation, edge.weight});
  }
  result.relations = std::move(numbered.relation_names);
  result.directed = chosen.directed;
  result.has_weights = roles.edges.weight.has_value();
  result.attributes = attribute_columns(tables, roles);
  return result;
}

}  // namespace factorgcn
