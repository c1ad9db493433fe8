// Lines of an edge list become edges: sorted by their ends, merged, and put back into the order of the file.
#include <algorithm>
#include <numeric>
#include <utility>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/data/named_graph.h"

namespace factorgcn {
namespace {

struct EndsKey {
  std::uint64_t ends;
  std::size_t row;
  auto operator<=>(const EndsKey&) const = default;
};

std::uint64_t key_of_ends(std::int32_t source, std::int32_t target) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
}

std::string lines_text(std::size_t count) { return concat(format_count(static_cast<std::int64_t>(count)), " lines"); }

/// Ascending by ends, then by row; self loops are taken out.
std::vector<EndsKey> sorted_rows(const EdgeTable& table, NamedGraph& graph) {
  std::vector<EndsKey> keys;
  keys.reserve(table.rows.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const EdgeTable::Row& line = table.rows[row];
    if (line.source == line.target) {
      graph.self_loops.push_back(line.source);
      continue;
    }
    const bool turn = !table.directed && line.source > line.target;
    keys.push_back({turn ? key_of_ends(line.target, line.source) : key_of_ends(line.source, line.target), row});
  }
  std::sort(keys.begin(), keys.end());
  std::sort(graph.self_loops.begin(), graph.self_loops.end());
  graph.self_loops.erase(std::unique(graph.self_loops.begin(), graph.self_loops.end()), graph.self_loops.end());
  return keys;
}

}  // namespace

NamedGraph named_graph(const std::string& name, const GraphTables& tables, const EdgeTable& table) {
  NamedGraph graph;
  graph.name = name;
  graph.nodes = table.nodes;
  graph.directed = table.directed;
  graph.notes = table.notes;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    require(table.rows[row].weight > 0, tables.edges.where(row), ": the weight is ", table.rows[row].weight,
            "; weights must be above 0 here (--edge-weight none leaves them out)");
  }
  std::vector<EndsKey> keys = sorted_rows(table, graph);

  // One entry per edge: its rows are keys[first] .. keys[last].
  struct Merged {
    std::size_t row, first, last;
  };
  std::vector<Merged> edges;
  for (std::size_t first = 0; first < keys.size();) {
    std::size_t last = first;
    while (last < keys.size() && keys[last].ends == keys[first].ends) {
      ++last;
    }
    edges.push_back({keys[first].row, first, last});
    first = last;
  }
  std::sort(edges.begin(), edges.end(), [](const Merged& left, const Merged& right) { return left.row < right.row; });

  const bool relations_are_told = !table.relations.empty() || table.known.has_value();
  const std::size_t repeats = keys.size() - edges.size();
  const bool weighted = table.has_weights || (repeats > 0 && !relations_are_told);
  graph.truth_names = table.relations;
  graph.truth.assign(edges.size() * graph.truth_names.size(), 0);
  std::size_t without_relation = 0;
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const Merged& edge = edges[index];
    graph.sources.push_back(table.rows[edge.row].source);
    graph.targets.push_back(table.rows[edge.row].target);
    float weight = 0;
    bool related = false;
    for (std::size_t place = edge.first; place < edge.last; ++place) {
      const EdgeTable::Row& line = table.rows[keys[place].row];
      weight = relations_are_told ? std::max(weight, line.weight) : weight + line.weight;
      if (line.relation >= 0) {
        graph.truth[index * graph.truth_names.size() + static_cast<std::size_t>(line.relation)] = 1;
        related = true;
      }
    }
    without_relation += !related;
    if (weighted) {
      graph.weights.push_back(weight);
    }
  }
  if (!graph.truth_names.empty() && without_relation > 0) {
    graph.notes.push_back(concat(format_count(static_cast<std::int64_t>(without_relation)),
                                 " edges have no true relation; they count as being in none"));
  }
  if (repeats > 0 && !relations_are_told) {
    graph.notes.push_back(
        concat(lines_text(repeats), " repeat an edge", table.directed ? "" : " (in either direction)",
               table.has_weights ? "; their weights are added" : "; an edge weighs as many as it has"));
  }
  if (!graph.self_loops.empty()) {
    graph.notes.push_back(concat(format_count(static_cast<std::int64_t>(graph.self_loops.size())),
                                 " self loops say nothing of groups: in edges.csv, without shares"));
  }
  if (tables.nodes) {
    graph.attributes = read_attributes(*tables.nodes, table.attributes, table.node_rows, graph.notes);
  }
  return graph;
}

}  // namespace factorgcn
