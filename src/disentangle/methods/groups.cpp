// The program's own method (relations/disentangle.h): names go in, columns of memberships come out as groups.
#include <algorithm>
#include <utility>

#include "disentangle/methods/list.h"
#include "factorgcn/relations/disentangle.h"

namespace factorgcn::disentangle_method_entries {
namespace {

std::vector<NodeAttribute> attributes_of(const NamedGraph& graph) {
  std::vector<NodeAttribute> attributes;
  for (const NamedAttribute& named : graph.attributes) {
    NodeAttribute& attribute = attributes.emplace_back();
    attribute.name = named.name;
    attribute.categories = named.category;
    attribute.numbers.assign(named.numbers.begin(), named.numbers.end());
  }
  return attributes;
}

std::vector<bool> nodes_without_edges(const NamedGraph& graph) {
  std::vector<bool> alone(graph.nodes.size(), true);
  for (const auto* ends : {&graph.sources, &graph.targets}) {
    for (const std::int32_t node : *ends) {
      alone[static_cast<std::size_t>(node)] = false;
    }
  }
  return alone;
}

/// Each node's strongest group of a relation; `memberships` are those for sending or for receiving.
void strongest_groups(const std::vector<float>& memberships, std::size_t width, const FoundRelation& columns,
                      std::vector<std::int32_t>& group, std::vector<float>& membership) {
  for (std::size_t at = static_cast<std::size_t>(columns.first_group); at < memberships.size(); at += width) {
    const auto first = memberships.begin() + static_cast<std::ptrdiff_t>(at);
    const auto best = std::max_element(first, first + columns.groups);
    group.push_back(static_cast<std::int32_t>(best - first));
    membership.push_back(*best);
  }
}

void read_groups(const Disentangled& found, const FoundRelation& columns, const std::vector<bool>& alone,
                 RelationOutcome& relation) {
  const auto width = static_cast<std::size_t>(found.num_groups());
  if (columns.groups == 0) {
    relation.group.assign(alone.size(), -1);
    relation.membership.assign(alone.size(), 0.0F);
  } else {
    strongest_groups(found.memberships, width, columns, relation.group, relation.membership);
    strongest_groups(found.receiving, width, columns, relation.receiving_group, relation.receiving_membership);
  }
  order_groups(relation, alone);
}

/// A graph without edges, or without anything found: all edges are one relation, and nothing is known of groups.
void set_single_relation(const NamedGraph& graph, DisentangleOutcome& outcome) {
  outcome.relations.resize(1);
  outcome.relations[0].group.assign(graph.nodes.size(), 0);
  outcome.relations[0].membership.assign(graph.nodes.size(), 0.0F);
  outcome.shares.assign(graph.num_edges(), 1.0F);
}

}  // namespace

DisentangleOutcome groups(const NamedGraph& graph, const KnownRelations& known, const DisentangleOptions& options,
                          RelationsObserver& observer) {
  DisentangleOutcome outcome;
  if (observer.stop()) {
    throw StoppedEarly();
  }
  if (graph.num_edges() == 0) {
    set_single_relation(graph, outcome);
    return outcome;
  }
  const RelationGraph edges{static_cast<std::int64_t>(graph.nodes.size()), graph.sources, graph.targets, graph.weights,
                            graph.directed};
  const KnownEdges told{static_cast<int>(known.names.size()), known.edges, known.relations};
  Disentangled found = disentangle(edges, options, told, attributes_of(graph), observer);
  const std::vector<bool> alone = nodes_without_edges(graph);
  for (const FoundRelation& each : found.relations) {
    RelationOutcome& relation = outcome.relations.emplace_back();
    relation.stability = each.stability;
    relation.attribute_agreement = each.attribute_agreement;
    relation.attribute_chance = each.attribute_chance;
    relation.attribute = each.attribute < 0 ? "" : graph.attributes[static_cast<std::size_t>(each.attribute)].name;
    read_groups(found, each, alone, relation);
  }
  outcome.shares = std::move(found.shares);
  outcome.certainty = std::move(found.certainty);
  outcome.ask = std::move(found.ask);
  outcome.candidates = std::move(found.candidates);
  outcome.evidence = found.evidence;
  outcome.notes = std::move(found.notes);
  if (!known.empty()) {
    outcome.known = std::move(found.known);
  }
  if (outcome.relations.empty()) {
    set_single_relation(graph, outcome);
  }
  return outcome;
}

}  // namespace factorgcn::disentangle_method_entries
