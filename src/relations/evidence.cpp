// The graph itself has been described in the best of many ways, random graphs in one: to save just more than they do
// says nothing.
#include "relations/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/eval/student.h"
#include "relations/random_graphs.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kRandomLinks = 10'000;  // of a random graph to compare a large one with

/// What one more random graph would stay below in 99 cases of 100, by those seen; 0 at least.
double bound_of_chance(const std::vector<double>& savings) {
  if (savings.size() < 2) {
    return savings.empty() ? 0.0 : std::max(0.0, savings.front());
  }
  const auto count = static_cast<double>(savings.size());
  const double mean = std::accumulate(savings.begin(), savings.end(), 0.0) / count;
  double squares = 0;
  for (const double saving : savings) {
    squares += (saving - mean) * (saving - mean);
  }
  const double deviation = std::sqrt(squares / (count - 1) * (1 + 1 / count));
  return std::max(
      {0.0, *std::max_element(savings.begin(), savings.end()), mean + student_quantile(0.99, count - 1) * deviation});
}

}  // namespace

RelationsEvidence weigh_evidence(const Links& links, const Selection& selection, const DisentangleOptions& options,
                                 const Effort& effort, Session& session, double done) {
  RelationsEvidence evidence;
  const auto per_edge = [&](double bits) {
    return std::isfinite(bits) ? bits / static_cast<double>(links.links()) : kNotKnown;
  };
  evidence.saved = per_edge(selection.none.bits - selection.best.bits);
  evidence.saved_by_one = std::isnan(selection.one) ? kNotKnown : per_edge(selection.none.bits - selection.one);
  evidence.random_graphs = options.random_graphs >= 0 ? options.random_graphs : effort.random_graphs;
  std::vector<double> random_savings;
  const bool large = links.links() >= kManyLinks;
  Effort less = effort;
  less.starts = std::min(effort.starts, 4);
  for (int index = 0; index < evidence.random_graphs; ++index) {
    session.at(concat("random graph ", index + 1, " of ", evidence.random_graphs), done);
    const std::string purpose = concat("relations/random graph ", index);
    const Links random = large ? random_with_degrees_of(links, kRandomLinks, options.seed, purpose)
                               : rewire(links, options.seed, purpose);
    const FitOptions fit{.relations = selection.best.relations(),
                         .groups = std::max(selection.groups, 2),
                         .effort = less,
                         .seed = options.seed,
                         .stop = session.stop()};
    const Partitions found =
        session.partitions(concat("random graph ", index), random.nodes, [&] { return fit_best(random, fit); });
    random_savings.push_back((no_relations(random).bits - found.bits) /
                             static_cast<double>(std::max<std::int64_t>(random.links(), 1)));
  }
  if (!random_savings.empty()) {
    evidence.saved_in_random = *std::max_element(random_savings.begin(), random_savings.end());
  }
  evidence.chance_bound = bound_of_chance(random_savings);
  // Where rewiring cannot change anything (a star), all save the same.
  const double chance = evidence.chance_bound + 1e-6 * std::abs(evidence.chance_bound);
  const auto cut = std::count_if(selection.best.groups_in.begin(), selection.best.groups_in.end(),
                                 [](int groups) { return groups > 1; });
  const bool several = cut > 1 && evidence.saved > chance && !(evidence.saved_by_one >= evidence.saved);
  const bool one = cut > 0 && (evidence.saved_by_one > chance || (cut == 1 && evidence.saved > chance));
  evidence.verdict = several ? RelationsVerdict::kSeveral : one ? RelationsVerdict::kOne : RelationsVerdict::kNone;
  return evidence;
}

}  // namespace factorgcn::relations
