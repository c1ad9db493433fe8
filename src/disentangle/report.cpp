// The report on a terminal: what was read, is there structure, the relations, their groups, how sure, the score.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/disentangle/words.h"
#include "factorgcn/report/table.h"

namespace factorgcn {
namespace {

constexpr std::size_t kGroupsShown = 3, kMembersShown = 8, kCandidatesShown = 8;

std::string graph_line(const NamedGraph& graph) {
  return fmt::format("{}: {} nodes, {} {}edges{}", graph.name,
                     format_count(static_cast<std::int64_t>(graph.nodes.size())),
                     format_count(static_cast<std::int64_t>(graph.num_edges())), graph.directed ? "directed " : "",
                     graph.weights.empty() ? "" : ", weighted");
}

std::string two_digits(double value) { return std::isnan(value) ? "" : fmt::format("{:.2f}", value); }

Table relations_table(const DisentangleOutcome& outcome) {
  Table table({{"relation"},
               {"edges, by shares", Align::kPoint},
               {"strongest in", Align::kRight},
               {"groups", Align::kRight},
               {"stability"}});
  for (const RelationOutcome& relation : outcome.relations) {
    const std::string agreement =
        relation.attribute.empty()
            ? ""
            : fmt::format(" ({:.2f}, chance {:.2f})", relation.attribute_agreement, relation.attribute_chance);
    const std::string stability = stability_words(relation.stability);
    table.add_row({relation.words + agreement, fmt::format("{:.1f}", relation.edges), format_count(relation.strongest),
                   format_count(relation.groups),
                   std::isnan(relation.stability) ? stability : two_digits(relation.stability) + " " + stability});
  }
  return table;
}

/// Tables do not wrap; members do.
std::string groups_text(const NamedGraph& graph, const DisentangleOutcome& outcome, int width) {
  std::string text;
  for (std::size_t index = 0; index < outcome.num_relations(); ++index) {
    const RelationOutcome& relation = outcome.relations[index];
    const auto groups = largest_groups(graph, outcome, index, kGroupsShown, kMembersShown);
    if (groups.size() < 2) {  // everybody, or nobody
      continue;
    }
    text += fmt::format("  {}{}\n", relation.words,
                        relation.groups > static_cast<std::int64_t>(groups.size())
                            ? fmt::format(", the largest {} of {} groups", groups.size(), format_count(relation.groups))
                            : "");
    for (const GroupMembers& group : groups) {
      text += wrap_text(fmt::format("group {}, {} nodes: {}", group.group, format_count(group.nodes),
                                    members_words(graph, group)),
                        width, 4) +
              "\n";
    }
  }
  return text;
}

std::string candidates_text(const DisentangleOutcome& outcome, bool utf8) {
  if (outcome.candidates.empty()) {
    return "";
  }
  std::vector<RelationsCandidate> best = outcome.candidates;
  std::stable_sort(best.begin(), best.end(), [](const RelationsCandidate& left, const RelationsCandidate& right) {
    return left.bits_per_edge < right.bits_per_edge;
  });
  if (best.size() > kCandidatesShown) {
    // What was chosen and the graph without groups stay, however far down they are.
    std::vector<RelationsCandidate> shown(best.begin(), best.begin() + kCandidatesShown - 1);
    for (std::size_t place = kCandidatesShown - 1; place < best.size(); ++place) {
      if (best[place].chosen || best[place].relations == 0) {
        shown.push_back(best[place]);
      }
    }
    best = std::move(shown);
  }
  const bool nothing = outcome.evidence && outcome.evidence->verdict == RelationsVerdict::kNone;
  const char* const chosen = nothing ? "the least bad" : "chosen";
  Table table(
      {{"relations", Align::kRight}, {"groups in each", Align::kRight}, {"bits per edge", Align::kPoint}, {""}});
  for (const RelationsCandidate& candidate : best) {
    table.add_row({candidate.relations == 0 ? "none" : std::to_string(candidate.relations),
                   candidate.relations == 0 ? "" : std::to_string(candidate.groups),
                   fmt::format("{:.3f}", candidate.bits_per_edge), candidate.chosen ? chosen : ""});
  }
  return fmt::format("Sizes tried: {}. The fewer bits it takes to write the graph down, the better.\n{}\n",
                     outcome.candidates.size(), table.to_text(utf8));
}

std::string known_text(const DisentangleOutcome& outcome) {
  if (!outcome.known || std::isnan(outcome.known->mean)) {
    return "";
  }
  const KnownEdgesReport& known = *outcome.known;
  return fmt::format("Known edges that were left out and guessed from the others ({} edges, {} parts): AUC {:.3f}{}.",
                     known.known, known.folds, known.mean,
                     std::isnan(known.without) ? "" : fmt::format("; from the graph alone {:.3f}", known.without));
}

std::string truth_table(const NamedGraph& graph, const DisentangleOutcome& outcome, bool utf8) {
  const RelationAuc& truth = *outcome.truth;
  Table table({{"true relation"}, {"edges", Align::kRight}, {"told by"}, {"AUC", Align::kPoint}});
  for (std::size_t type = 0; type < graph.truth_names.size(); ++type) {
    const int column = truth.columns[type];
    table.add_row({graph.truth_names[type], format_count(truth.positives[type]),
                   column < 0 ? "none is left" : outcome.relations[static_cast<std::size_t>(column)].words,
                   std::isnan(truth.aucs[type]) ? "not known" : fmt::format("{:.3f}", truth.aucs[type])});
  }
  return table.to_text(utf8);
}

}  // namespace

std::string outcome_report(const NamedGraph& graph, const DisentangleOutcome& outcome, bool utf8, int width) {
  const auto paragraph = [&](const std::string& text) { return text.empty() ? "" : wrap_text(text, width) + "\n\n"; };
  std::string text = graph_line(graph) + "\n\n";
  if (graph.num_edges() == 0) {
    return text + paragraph("There are no edges between different nodes, so there is nothing to take apart.");
  }
  text += paragraph(verdict_words(outcome));
  const bool nothing =
      outcome.num_relations() == 1 && outcome.evidence && outcome.evidence->verdict == RelationsVerdict::kNone;
  text += nothing ? "" : relations_table(outcome).to_text(utf8) + "\n";
  if (const std::string groups = groups_text(graph, outcome, width); !groups.empty()) {
    text += "Who is in them, those with most edges inside their group first:\n" + groups + "\n";
  }
  text += paragraph(certainty_words(outcome));
  text += candidates_text(outcome, utf8);
  text += paragraph(known_text(outcome));
  if (outcome.truth) {
    text += paragraph(truth_words(outcome)) + truth_table(graph, outcome, utf8) + "\n";
  }
  std::vector<std::string> notes = graph.notes;
  notes.insert(notes.end(), outcome.notes.begin(), outcome.notes.end());
  if (!notes.empty()) {
    text += "Notes:\n";
    for (const std::string& note : notes) {
      text += "  -" + wrap_text(note, width, 4).substr(3) + "\n";
    }
    text += "\n";
  }
  return text;
}

}  // namespace factorgcn
