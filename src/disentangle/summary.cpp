// Numbers, and the sentences that go with them.
#include "factorgcn/disentangle/summary.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "data/shown_text.h"
#include "factorgcn/disentangle/words.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kGroupsListed = 20, kMembersListed = 20;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

const char* verdict_name(RelationsVerdict verdict) {
  switch (verdict) {
    case RelationsVerdict::kSeveral:
      return "several relations";
    case RelationsVerdict::kOne:
      return "one relation";
    case RelationsVerdict::kNone:
      return "no structure";
    case RelationsVerdict::kUnstable:
      break;
  }
  return "unstable";
}

Json relation_json(const NamedGraph& graph, const DisentangleOutcome& outcome, std::size_t index) {
  const RelationOutcome& relation = outcome.relations[index];
  Json result{{"name", relation.column},
              {"edges_by_shares", relation.edges},
              {"strongest_in", relation.strongest},
              {"groups", relation.groups},
              {"stability", number_or_null(relation.stability)},
              {"stability_in_words", stability_words(relation.stability)}};
  if (!relation.attribute.empty()) {
    result["attribute"] = {{"name", relation.attribute},
                           {"agreement", number_or_null(relation.attribute_agreement)},
                           {"chance", number_or_null(relation.attribute_chance)}};
  }
  Json groups = Json::array();
  for (const GroupMembers& group : largest_groups(graph, outcome, index, kGroupsListed, kMembersListed)) {
    Json members = Json::array();
    for (const std::int32_t node : group.members) {
      members.push_back(graph.nodes[static_cast<std::size_t>(node)]);
    }
    groups.push_back({{"group", group.group}, {"nodes", group.nodes}, {"members", std::move(members)}});
  }
  result["largest_groups"] = std::move(groups);
  return result;
}

Json truth_json(const NamedGraph& graph, const DisentangleOutcome& outcome) {
  const RelationAuc& truth = *outcome.truth;
  Json relations = Json::array();
  for (std::size_t type = 0; type < graph.truth_names.size(); ++type) {
    const int column = truth.columns[type];
    relations.push_back(
        {{"name", graph.truth_names[type]},
         {"edges", truth.positives[type]},
         {"auc", number_or_null(truth.aucs[type])},
         {"told_by", column < 0 ? Json() : Json(outcome.relations[static_cast<std::size_t>(column)].column)}});
  }
  return {{"relation_auc", number_or_null(truth.mean)},           {"chance", number_or_null(truth.chance)},
          {"chance_spread", number_or_null(truth.chance_spread)}, {"edges", truth.edges},
          {"known_edges_left_out", outcome.truth_without_known},  {"relations", std::move(relations)}};
}

}  // namespace

nlohmann::ordered_json summary_json(const NamedGraph& graph, const DisentangleOutcome& outcome, const Json& settings) {
  Json result{{"program", std::string("factorgcn ") + FACTORGCN_VERSION},
              {"graph",
               {{"name", graph.name},
                {"nodes", graph.nodes.size()},
                {"edges", graph.num_edges()},
                {"self_loops", graph.self_loops.size()},
                {"directed", graph.directed},
                {"weighted", !graph.weights.empty()}}},
              {"method", outcome.method},
              {"verdict_in_words", verdict_words(outcome)}};
  if (outcome.evidence) {
    const RelationsEvidence& evidence = *outcome.evidence;
    result["verdict"] = verdict_name(evidence.verdict);
    result["evidence"] = {{"bits_per_edge_saved", number_or_null(evidence.saved)},
                          {"by_one_relation", number_or_null(evidence.saved_by_one)},
                          {"most_in_rewired_graphs", number_or_null(evidence.saved_in_random)},
                          {"reached_by_chance", number_or_null(evidence.chance_bound)},
                          {"rewired_graphs", evidence.random_graphs}};
  }
  Json relations = Json::array();
  for (std::size_t index = 0; index < outcome.num_relations(); ++index) {
    relations.push_back(relation_json(graph, outcome, index));
  }
  result["relations"] = std::move(relations);
  Json candidates = Json::array();
  for (const RelationsCandidate& candidate : outcome.candidates) {
    candidates.push_back({{"relations", candidate.relations},
                          {"groups", candidate.groups},
                          {"bits_per_edge", number_or_null(candidate.bits_per_edge)},
                          {"likelihood", number_or_null(candidate.likelihood)},
                          {"chosen", candidate.chosen}});
  }
  result["candidates"] = std::move(candidates);
  result["certainty_in_words"] = certainty_words(outcome);
  if (outcome.known) {
    Json aucs = Json::array();
    for (const double auc : outcome.known->aucs) {
      aucs.push_back(number_or_null(auc));
    }
    result["known_edges"] = {{"known", outcome.known->known},
                             {"parts", outcome.known->folds},
                             {"auc_when_left_out", number_or_null(outcome.known->mean)},
                             {"auc_from_the_graph_alone", number_or_null(outcome.known->without)},
                             {"aucs", std::move(aucs)}};
  }
  if (outcome.truth) {
    result["truth"] = truth_json(graph, outcome);
  }
  Json notes = Json::array();
  for (const auto* some : {&graph.notes, &outcome.notes}) {
    for (const std::string& note : *some) {
      notes.push_back(note);
    }
  }
  result["notes"] = std::move(notes);
  result["settings"] = settings;
  return result;
}

}  // namespace factorgcn
