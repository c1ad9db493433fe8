// The graph; tables of relations, groups, sizes tried and the score.
#include "factorgcn/disentangle/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "disentangle/page_graph.h"
#include "factorgcn/base/text.h"
#include "factorgcn/disentangle/words.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

constexpr std::size_t kGroupsOnPage = 5, kMembersOnPage = 12;

PageCell number_cell(double value) {
  PageCell cell;
  if (std::isfinite(value)) {
    cell.value = value;
  }
  return cell;
}

PageCell text_cell(std::string text) {
  PageCell cell;
  cell.text = std::move(text);
  return cell;
}

PageColumn column_of(std::string key, std::string label, int digits = 0, PageBetter better = PageBetter::kNone) {
  PageColumn column;
  column.key = std::move(key);
  column.label = std::move(label);
  column.digits = digits;
  column.better = better;
  return column;
}

PageTable relations_part(const DisentangleOutcome& outcome) {
  PageTable table;
  table.id = "relations";
  table.title = "Relations";
  table.caption =
      "Edges are counted by their shares, and by the relation that is strongest in them. Stability: how much "
      "the groups agree between repeated attempts, 0 chance, 1 always the same.";
  table.columns = {column_of("edges", "edges, by shares", 1), column_of("strongest", "strongest in", 0),
                   column_of("groups", "groups", 0), column_of("stability", "stability", 2, PageBetter::kHigher),
                   column_of("words", "in words")};
  const bool agrees = std::any_of(outcome.relations.begin(), outcome.relations.end(),
                                  [](const RelationOutcome& relation) { return !relation.attribute.empty(); });
  if (agrees) {
    table.columns.push_back(column_of("attribute", "agrees with"));
  }
  for (const RelationOutcome& relation : outcome.relations) {
    PageRow row;
    row.label = relation.words;
    row.cells["edges"] = number_cell(relation.edges);
    row.cells["strongest"] = number_cell(static_cast<double>(relation.strongest));
    row.cells["groups"] = number_cell(static_cast<double>(relation.groups));
    row.cells["stability"] = number_cell(relation.stability);
    row.cells["words"] = text_cell(stability_words(relation.stability));
    if (!relation.attribute.empty()) {
      row.cells["attribute"] = text_cell(fmt::format("{}, {:.2f} (chance {:.2f})", relation.attribute,
                                                     relation.attribute_agreement, relation.attribute_chance));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable groups_part(const NamedGraph& graph, const DisentangleOutcome& outcome) {
  PageTable table;
  table.id = "groups";
  table.title = "Groups";
  table.detail = true;
  table.caption = fmt::format("The largest {} of each relation; first the nodes with most edges inside their group.",
                              kGroupsOnPage);
  table.columns = {column_of("nodes", "nodes", 0), column_of("members", "members")};
  for (std::size_t index = 0; index < outcome.num_relations(); ++index) {
    for (const GroupMembers& group : largest_groups(graph, outcome, index, kGroupsOnPage, kMembersOnPage)) {
      PageRow row;
      row.label = fmt::format("{}, group {}", outcome.relations[index].words, group.group);
      row.cells["nodes"] = number_cell(static_cast<double>(group.nodes));
      row.cells["members"] = text_cell(members_words(graph, group));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

PageTable candidates_part(const DisentangleOutcome& outcome) {
  PageTable table;
  table.id = "sizes";
  table.title = "Sizes tried";
  table.detail = true;
  table.caption = "Bits it takes to write the graph down, per edge: the fewer, the better the description.";
  table.columns = {column_of("bits", "bits per edge", 3, PageBetter::kLower)};
  for (const RelationsCandidate& candidate : outcome.candidates) {
    PageRow row;
    row.label = candidate.relations == 0 ? "no groups"
                                         : fmt::format("{} relation{} of {} groups", candidate.relations,
                                                       candidate.relations == 1 ? "" : "s", candidate.groups);
    row.cells["bits"] = number_cell(candidate.bits_per_edge);
    row.emphasis = candidate.chosen;
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable truth_part(const NamedGraph& graph, const DisentangleOutcome& outcome) {
  const RelationAuc& truth = *outcome.truth;
  PageTable table;
  table.id = "truth";
  table.title = "Against the true relations";
  table.caption = truth_words(outcome);
  table.columns = {column_of("auc", "AUC", 3, PageBetter::kHigher), column_of("edges", "edges", 0),
                   column_of("column", "told by")};
  for (std::size_t type = 0; type < graph.truth_names.size(); ++type) {
    PageRow row;
    row.label = graph.truth_names[type];
    row.cells["auc"] = number_cell(truth.aucs[type]);
    row.cells["edges"] = number_cell(static_cast<double>(truth.positives[type]));
    if (truth.columns[type] >= 0) {
      row.cells["column"] = text_cell(outcome.relations[static_cast<std::size_t>(truth.columns[type])].words);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Page disentangle_page(const NamedGraph& graph, const DisentangleOutcome& outcome,
                      const nlohmann::ordered_json& settings) {
  Page page;
  page.title = graph.name;
  page.subtitle = "which edge is which relation";
  page.program = std::string("factorgcn ") + FACTORGCN_VERSION;
  page.created = page_time_now();
  page.facts = {{"nodes", format_count(static_cast<std::int64_t>(graph.nodes.size()))},
                {"edges", format_count(static_cast<std::int64_t>(graph.num_edges()))},
                {"direction", graph.directed ? "directed" : "undirected"},
                {"method", outcome.method},
                {"seed", settings.at("seed").dump()}};
  for (const std::string& words : {verdict_words(outcome), certainty_words(outcome)}) {
    if (!words.empty()) {
      page.notes.push_back(words);
    }
  }
  for (const auto* notes : {&graph.notes, &outcome.notes}) {
    page.notes.insert(page.notes.end(), notes->begin(), notes->end());
  }
  page.factor_graphs.push_back(graph_for_page(graph, outcome));
  page.tables.push_back(relations_part(outcome));
  page.tables.push_back(groups_part(graph, outcome));
  if (!outcome.candidates.empty()) {
    page.tables.push_back(candidates_part(outcome));
  }
  if (outcome.truth) {
    page.tables.push_back(truth_part(graph, outcome));
  }
  return page;
}

}  // namespace factorgcn
