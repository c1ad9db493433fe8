// Names to nodes, nodes to edges, words to relations.
#include "factorgcn/data/known_edges.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

constexpr std::size_t kMostKinds = 1000;  // more are a column of something else

std::uint64_t known_key(const NamedGraph& graph, std::int32_t source, std::int32_t target) {
  const auto [first, second] =
      graph.directed ? std::pair(source, target) : std::pair(std::min(source, target), std::max(source, target));
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(second);
}

std::unordered_map<std::uint64_t, std::int64_t> edges_by_ends(const NamedGraph& graph) {
  std::unordered_map<std::uint64_t, std::int64_t> edges;
  edges.reserve(graph.num_edges());
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    edges.emplace(known_key(graph, graph.sources[edge], graph.targets[edge]), static_cast<std::int64_t>(edge));
  }
  return edges;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Collects what is known, edge by edge.
class KnownCollector {
 public:
  explicit KnownCollector(const TextTable& table) : table_(table) {}

  /// The relations of a cell: "work", "work;family".
  void add(std::size_t row, std::int64_t edge, std::string_view cell) {
    while (!cell.empty()) {
      const std::size_t end = std::min(cell.find(';'), cell.size());
      const std::string_view word = without_blanks(cell.substr(0, end));
      if (!is_missing_value(word)) {
        known_[edge].push_back(relation(row, word));
      }
      cell.remove_prefix(std::min(end + 1, cell.size()));
    }
  }

  KnownRelations take() {
    require(!known_.empty(), table_.origin, ": no relation is filled in; give at least one edge's");
    result_.relations.assign(known_.size() * result_.names.size(), 0);
    for (const auto& [edge, relations] : known_) {
      for (const std::size_t relation : relations) {
        result_.relations[result_.edges.size() * result_.names.size() + relation] = 1;
      }
      result_.edges.push_back(edge);
    }
    return std::move(result_);
  }

 private:
  std::size_t relation(std::size_t row, std::string_view word) {
    const auto [place, fresh] = numbers_.try_emplace(std::string(word), result_.names.size());
    if (fresh) {
      require(result_.names.size() < kMostKinds, table_.where(row), ": ", shown_text(word), " is relation number ",
              kMostKinds + 1, "; that many are no relations (is it the right column?)");
      result_.names.emplace_back(word);
    }
    return place->second;
  }

  const TextTable& table_;
  KnownRelations result_;
  std::map<std::int64_t, std::vector<std::size_t>> known_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

struct KnownTableColumns {
  std::size_t source, target, relation;
};

KnownTableColumns find_known_columns(const TextTable& table) {
  require(table.num_columns() >= 3, table.origin, ": it has ", table.num_columns(),
          " columns; three are needed: source, target and relation");
  const auto source = find_column(table, "", "", KnownColumns::source());
  const auto target = find_column(table, "", "", KnownColumns::target());
  const auto relation = find_column(table, "", "", KnownColumns::relation());
  const KnownTableColumns columns{source.value_or(0), target.value_or(1), relation.value_or(2)};
  require(columns.source != columns.target && columns.source != columns.relation && columns.target != columns.relation,
          table.origin, ": name its columns source, target and relation");
  return columns;
}

}  // namespace

KnownRelations read_known(std::string_view text, const std::string& origin, const NamedGraph& graph) {
  DelimitedOptions options;
  for (const auto* names : {&KnownColumns::source(), &KnownColumns::target(), &KnownColumns::relation()}) {
    options.known_names.insert(options.known_names.end(), names->begin(), names->end());
  }
  options.enough_known = 2;
  const TextTable table = read_delimited(text, origin, options);
  const KnownTableColumns columns = find_known_columns(table);
  std::unordered_map<std::string_view, std::int32_t> nodes;
  for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
    nodes.emplace(graph.nodes[node], static_cast<std::int32_t>(node));
  }
  const auto edges = edges_by_ends(graph);
  const auto node_of = [&](std::size_t row, std::size_t column) {
    const std::string_view name = table.cell(row, column);
    const auto found = nodes.find(name);
    if (found == nodes.end()) {
      const std::vector<std::string_view> names(graph.nodes.begin(), graph.nodes.end());
      const std::string nearest = names.size() > 100'000 ? "" : nearest_name(std::string(name), names);
      fail(table.where(row), ": node ", shown_text(name), " is not in the graph",
           nearest.empty() ? "" : concat("; did you mean ", shown_text(nearest), "?"));
    }
    return found->second;
  };
  KnownCollector known(table);
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::int32_t source = node_of(row, columns.source);
    const std::int32_t target = node_of(row, columns.target);
    const auto edge = edges.find(known_key(graph, source, target));
    if (edge == edges.end()) {
      const bool turned = graph.directed && edges.contains(known_key(graph, target, source));
      const bool loop = source == target;
      fail(table.where(row), ": no edge ", graph.directed ? "leads from " : "joins ",
           shown_text(table.cell(row, columns.source)), graph.directed ? " to " : " and ",
           shown_text(table.cell(row, columns.target)),
           turned ? "; there is one the other way"
           : loop ? "; a self loop has no relation here"
                  : "");
    }
    known.add(row, edge->second, table.cell(row, columns.relation));
  }
  return known.take();
}

KnownRelations read_known_file(const std::filesystem::path& file, const NamedGraph& graph) {
  return read_known(read_file(file), file.string(), graph);
}

KnownRelations read_known_column(const TextTable& edges, const EdgeTable& table, const NamedGraph& graph) {
  require(table.known.has_value(), edges.origin, ": no column of known relations was asked for");
  const auto by_ends = edges_by_ends(graph);
  KnownCollector known(edges);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const EdgeTable::Row& line = table.rows[row];
    if (line.source != line.target) {
      known.add(row, by_ends.at(known_key(graph, line.source, line.target)), edges.cell(row, *table.known));
    }
  }
  return known.take();
}

}  // namespace factorgcn
