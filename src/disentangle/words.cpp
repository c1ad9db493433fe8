// Sentences. Limits between words ("stable", "certain") stand here and nowhere else.
#include "factorgcn/disentangle/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"

namespace factorgcn {
namespace {

constexpr double kStable = 0.9, kMostlyStable = 0.7, kShaky = 0.4;
constexpr float kCertain = 0.9F, kDoubtful = 0.6F;

std::string saved_bits(double bits) { return std::isnan(bits) ? "not known" : fmt::format("{:.3f}", bits); }

/// A name without the quotes that shown_text() puts around it.
std::string bare_name(const std::string& name) {
  const std::string shown = shown_text(name);
  return shown.size() >= 2 ? shown.substr(1, shown.size() - 2) : shown;
}

}  // namespace

std::string stability_words(double stability) {
  return std::isnan(stability)        ? "not measured"
         : stability >= kStable       ? "stable"
         : stability >= kMostlyStable ? "mostly stable"
         : stability >= kShaky        ? "shaky"
                                      : "not stable";
}

std::string verdict_words(const DisentangleOutcome& outcome) {
  if (!outcome.evidence) {
    return "";
  }
  const RelationsEvidence& evidence = *outcome.evidence;
  const std::size_t count = outcome.num_relations();
  const bool known = outcome.known.has_value();
  std::string text;
  switch (evidence.verdict) {
    case RelationsVerdict::kSeveral:
      text =
          fmt::format("{} relations describe this graph better than one does, and better than chance allows.", count);
      break;
    case RelationsVerdict::kOne:
      text =
          "Its nodes fall into groups, but one partition of them says all that edges can say: nothing in them tells "
          "several relations apart. There may be several all the same, whose groups follow each other. ";
      text += count > 1 ? fmt::format("{} were asked for; which edge is of which cannot be told. ", count) : "";
      text += known ? "What is told of edges comes from those that you named."
                    : "To tell which edge is which, name the relations of a few (ask.csv, --known).";
      break;
    case RelationsVerdict::kNone:
      text =
          "No groups: what groups explain of this graph is no more than in a random graph whose nodes have the same "
          "numbers of edges. Its edges may be of several relations, but nothing shows it. ";
      if (known) {
        text += "What is told of edges comes from those that you named; do not read anything into groups.";
      } else if (count > 1) {
        text +=
            "What is written below is what such noise gives; do not read anything into it. No edge is certain. Naming "
            "the relations of a few edges is what helps (ask.csv, --known).";
      } else {
        text +=
            "So all edges are one relation here. If you know better, name the relations of a few edges (ask.csv, "
            "--known): what they share beyond groups is learnt from them.";
      }
      break;
    case RelationsVerdict::kUnstable:
      text =
          "There is some structure, but repeated attempts disagree on what it is: do not trust single edges or groups. "
          "Naming the relations of a few edges helps most (ask.csv, --known).";
      break;
  }
  if (std::isnan(evidence.saved)) {
    return text;
  }
  text +=
      fmt::format(" Bits saved per edge against a random graph of the same degrees: {}", saved_bits(evidence.saved));
  if (!std::isnan(evidence.saved_by_one)) {
    text += fmt::format("; with one relation: {}", saved_bits(evidence.saved_by_one));
  }
  if (evidence.random_graphs > 0) {
    text +=
        fmt::format("; most in {} rewired graphs: {}", evidence.random_graphs, saved_bits(evidence.saved_in_random));
  }
  return text + ".";
}

std::string certainty_words(const DisentangleOutcome& outcome) {
  const auto count = static_cast<std::int64_t>(outcome.certainty.size());
  if (count == 0 || outcome.num_relations() < 2) {  // of one relation every edge is
    return "";
  }
  const auto certain =
      std::count_if(outcome.certainty.begin(), outcome.certainty.end(), [](float value) { return value >= kCertain; });
  const auto doubtful =
      std::count_if(outcome.certainty.begin(), outcome.certainty.end(), [](float value) { return value < kDoubtful; });
  return fmt::format(
      "Of {} edges, {} are certain (the strongest relation is thought to be right in at least nine cases of ten) and "
      "{} "
      "are doubtful (in fewer than six).",
      format_count(count), format_count(certain), format_count(doubtful));
}

std::string truth_words(const DisentangleOutcome& outcome) {
  if (!outcome.truth) {
    return "";
  }
  const RelationAuc& truth = *outcome.truth;
  if (std::isnan(truth.mean)) {
    return "Relation AUC: not known, since every true relation has all of the edges or none.";
  }
  const double lift = truth.mean - truth.chance;
  const bool beyond = !std::isnan(truth.chance) && lift > 3 * truth.chance_spread && lift > 0.01;
  return fmt::format(
      "Relation AUC {:.3f}; shuffled edges reach {} ({} edges{}). {}", truth.mean,
      std::isnan(truth.chance) ? "?" : fmt::format("{:.3f} ± {:.3f}", truth.chance, truth.chance_spread),
      format_count(truth.edges), outcome.truth_without_known ? ", known ones left out" : "",
      beyond ? "The shares tell the true relations apart better than chance." : "That is no better than chance.");
}

std::vector<GroupMembers> largest_groups(const NamedGraph& graph, const DisentangleOutcome& outcome,
                                         std::size_t relation, std::size_t most, std::size_t members) {
  const RelationOutcome& part = outcome.relations[relation];
  const std::size_t count = outcome.num_relations();
  std::vector<double> at_home(graph.nodes.size(), 0.0);
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    const auto source = static_cast<std::size_t>(graph.sources[edge]);
    const auto target = static_cast<std::size_t>(graph.targets[edge]);
    const auto& receiving = part.receiving_group.empty() ? part.group : part.receiving_group;
    if (part.group[source] == receiving[target]) {
      const double share = outcome.shares[edge * count + relation];
      at_home[source] += share;
      at_home[target] += part.receiving_group.empty() ? share : 0;
    }
  }
  std::vector<GroupMembers> groups(std::min<std::size_t>(most, static_cast<std::size_t>(part.groups)));
  for (std::size_t place = 0; place < groups.size(); ++place) {
    groups[place].group = static_cast<std::int32_t>(place + 1);
  }
  for (std::size_t node = 0; node < part.group.size(); ++node) {
    const auto place = static_cast<std::size_t>(part.group[node]) - 1;
    if (part.group[node] > 0 && place < groups.size()) {
      groups[place].members.push_back(static_cast<std::int32_t>(node));
    }
  }
  for (GroupMembers& group : groups) {
    group.nodes = static_cast<std::int64_t>(group.members.size());
    std::stable_sort(group.members.begin(), group.members.end(), [&](std::int32_t left, std::int32_t right) {
      return at_home[static_cast<std::size_t>(left)] > at_home[static_cast<std::size_t>(right)];
    });
    group.members.resize(std::min(group.members.size(), members));
  }
  return groups;
}

std::string members_words(const NamedGraph& graph, const GroupMembers& group) {
  std::string text;
  for (const std::int32_t node : group.members) {
    text += (text.empty() ? "" : ", ") + bare_name(graph.nodes[static_cast<std::size_t>(node)]);
  }
  const std::int64_t more = group.nodes - static_cast<std::int64_t>(group.members.size());
  return more > 0 ? fmt::format("{} and {} more", text, format_count(more)) : text;
}

}  // namespace factorgcn
