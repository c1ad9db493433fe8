// The table of methods, and what is the same for all: names, counts, the score against the truth.
#include "factorgcn/disentangle/methods.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "disentangle/methods/list.h"
#include "disentangle/repeats.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"

namespace factorgcn {
namespace {

std::vector<std::string> column_names(const KnownRelations& known, std::size_t count) {
  std::vector<std::string> names(
      known.names.begin(), known.names.begin() + static_cast<std::ptrdiff_t>(std::min(count, known.names.size())));
  while (names.size() < count) {
    names.push_back(concat("relation_", names.size() + 1));
  }
  return names;
}

void name_relations(const KnownRelations& known, DisentangleOutcome& outcome) {
  const std::vector<std::string> columns = column_names(known, outcome.num_relations());
  for (std::size_t index = 0; index < columns.size(); ++index) {
    RelationOutcome& relation = outcome.relations[index];
    relation.column = columns[index];
    relation.words = index < known.names.size() ? columns[index] : concat("relation ", index + 1);
    relation.words += relation.attribute.empty() ? "" : concat(": same ", relation.attribute);
  }
}

/// True relations in the order of the columns of the same name; empty where names do not tell.
std::vector<std::size_t> truth_in_order_of(const KnownRelations& known, const NamedGraph& graph) {
  std::vector<std::size_t> order;
  for (const std::string& name : known.names) {
    const auto found = std::find(graph.truth_names.begin(), graph.truth_names.end(), name);
    if (found == graph.truth_names.end()) {
      return {};
    }
    order.push_back(static_cast<std::size_t>(found - graph.truth_names.begin()));
  }
  return order.size() == graph.truth_names.size() ? order : std::vector<std::size_t>{};
}

void score_against_truth(const NamedGraph& graph, const KnownRelations& known, std::uint64_t seed,
                         DisentangleOutcome& outcome) {
  const std::size_t types = graph.truth_names.size();
  const std::size_t columns = outcome.num_relations();
  if (types == 0 || graph.num_edges() == 0) {
    return;
  }
  std::vector<bool> told(graph.num_edges(), false);
  for (const std::int64_t edge : known.edges) {
    told[static_cast<std::size_t>(edge)] = true;
  }
  const std::vector<std::size_t> order = truth_in_order_of(known, graph);
  std::vector<float> shares;
  std::vector<std::uint8_t> truth;
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    if (told[edge]) {
      continue;
    }
    const auto first = outcome.shares.begin() + static_cast<std::ptrdiff_t>(edge * columns);
    shares.insert(shares.end(), first, first + static_cast<std::ptrdiff_t>(columns));
    for (std::size_t type = 0; type < types; ++type) {
      truth.push_back(graph.truth[edge * types + (order.empty() ? type : order[type])]);
    }
  }
  RelationAucOptions scoring;
  scoring.pairing = order.empty() ? RelationPairing::kBest : RelationPairing::kSame;
  scoring.seed = seed;
  outcome.truth = relation_auc(shares, static_cast<int>(columns), truth, static_cast<int>(types), scoring);
  outcome.truth_without_known = !known.empty();
  if (order.empty()) {
    return;
  }
  RelationAuc by_name = *outcome.truth;
  for (std::size_t place = 0; place < types; ++place) {
    by_name.aucs[order[place]] = outcome.truth->aucs[place];
    by_name.columns[order[place]] = outcome.truth->columns[place];
    by_name.positives[order[place]] = outcome.truth->positives[place];
  }
  outcome.truth = std::move(by_name);
}

}  // namespace

const std::vector<DisentangleMethod>& disentangle_methods() {
  namespace entries = disentangle_method_entries;
  static const std::vector<DisentangleMethod> methods{
      {"groups", "in one relation every node belongs to one group", false, true, true, entries::groups},
      {"link-communities", "edges with like neighbours (Ahn, Bagrow, Lehmann 2010)", true, false, false,
       entries::link_communities},
      {"factorgcn", "FactorGCN's gates, learnt by predicting edges", true, false, false, entries::factorgcn},
  };
  return methods;
}

const DisentangleMethod& disentangle_method(const std::string& name) {
  const auto& methods = disentangle_methods();
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [&](const DisentangleMethod& method) { return method.name == name; });
  if (found == methods.end()) {
    std::vector<std::string_view> names;
    for (const DisentangleMethod& method : methods) {
      names.push_back(method.name);
    }
    throw UsageError(concat("--method '", name, "' is unknown", known_names_hint(name, names)));
  }
  return *found;
}

DisentangleOutcome take_apart(const DisentangleMethod& method, const NamedGraph& graph, const KnownRelations& known,
                              const DisentangleOptions& options, RelationsObserver& observer) {
  require_usage(method.takes_known || known.empty(), "--known does not go with --method ", method.name,
                ": it learns from the graph alone");
  require_usage(!method.needs_relations || options.relations >= 1, "--method ", method.name,
                " cannot tell how many relations there are: give --relations K");
  const bool repeated = !method.tells_certainty;
  OneOfSeveralRuns first(observer, 0, repeated ? repeats_of(graph, options) + 1 : 1);
  DisentangleOutcome outcome =
      method.run(graph, known, options, repeated ? static_cast<RelationsObserver&>(first) : observer);
  outcome.method = method.name;
  if (repeated) {
    measure_by_repeats(method, graph, options, observer, outcome);
  }
  count_shares(outcome);
  name_relations(known, outcome);
  score_against_truth(graph, known, options.seed, outcome);
  return outcome;
}

}  // namespace factorgcn
