// GED_E, relation AUC and C-Score.
//
// One sample costs O(E log E) to pair up the two directions of its edges, then O(P) for each factor and true part, P
// the number of connected node pairs: the n largest entries are selected, not sorted. Nothing of size N x N is built.
#include "factorgcn/eval/disentanglement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/assignment.h"
#include "factorgcn/eval/relation_auc.h"

namespace factorgcn {
namespace {

/// Sorting these keys sorts by first node, then by second.
std::uint64_t node_pair_key(std::int32_t first, std::int32_t second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(second);
}

std::uint64_t unordered_key(std::int32_t a, std::int32_t b) { return node_pair_key(std::min(a, b), std::max(a, b)); }

void check_graphs(const FactorGraphs& graphs) {
  require(graphs.num_nodes >= 0, "factor graphs: ", graphs.num_nodes, " nodes; the number cannot be negative");
  require(graphs.num_factors >= 1, "factor graphs: ", graphs.num_factors, " factors; at least 1 is needed");
  require(graphs.sources.size() == graphs.targets.size(), "factor graphs: ", graphs.sources.size(), " sources but ",
          graphs.targets.size(), " targets; every edge needs both");
  const std::size_t expected = graphs.sources.size() * static_cast<std::size_t>(graphs.num_factors);
  require(graphs.coefficients.size() == expected, "factor graphs: ", graphs.coefficients.size(), " coefficients, ",
          graphs.sources.size(), " edges x ", graphs.num_factors, " factors need ", expected);
}

void check_node(std::int64_t node, std::int64_t num_nodes, const char* where) {
  require(node >= 0 && node < num_nodes, where, ": node ", node, " is not among the graph's ", num_nodes, " nodes");
}

/// An unordered node pair's entry in one factor; pairs are numbered by (smaller node, larger node).
struct RankedPair {
  double value;
  std::int32_t pair;
};

bool ranks_before(const RankedPair& a, const RankedPair& b) {
  return a.value != b.value ? a.value > b.value : a.pair < b.pair;
}

/// The positive entries of some factors of one sample, ready to be ranked against true parts.
class RankedFactors {
 public:
  RankedFactors(const FactorGraphs& graphs, int first_factor, int num_factors) {
    check_graphs(graphs);
    sort_edges(graphs);
    const std::size_t pairs = pair_keys_.size();
    ranked_.resize(pairs * num_factors);
    counts_.assign(num_factors, 0);
    marks_.assign(pairs, 0);
    for (int factor = 0; factor < num_factors; ++factor) {
      fill_factor(graphs, first_factor + factor, factor);
    }
  }

  /// Makes `part` the one that differing_entries() compares with.
  void set_part(const GroundTruth::Part& part, std::int64_t num_nodes) {
    require(part.sources.size() == part.targets.size(), "ground truth: a part has ", part.sources.size(),
            " sources but ", part.targets.size(), " targets; every entry needs both");
    entries_.clear();
    for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
      check_node(part.sources[entry], num_nodes, "ground truth");
      check_node(part.targets[entry], num_nodes, "ground truth");
      if (part.sources[entry] != part.targets[entry]) {
        entries_.push_back(node_pair_key(part.sources[entry], part.targets[entry]));
      }
    }
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());

    std::fill(marks_.begin(), marks_.end(), std::uint8_t{0});
    for (const std::uint64_t entry : entries_) {
      const auto source = static_cast<std::int32_t>(entry >> 32);
      const auto target = static_cast<std::int32_t>(entry & 0xffffffffU);
      const std::uint64_t key = unordered_key(source, target);
      const auto found = std::lower_bound(pair_keys_.begin(), pair_keys_.end(), key);
      if (found != pair_keys_.end() && *found == key) {
        marks_[found - pair_keys_.begin()] |= source < target ? kForward : kBackward;
      }
    }
  }

  /// Directed entries of the part.
  std::int64_t num_entries() const { return static_cast<std::int64_t>(entries_.size()); }

  /// Connected pairs of different nodes.
  std::int64_t num_pairs() const { return static_cast<std::int64_t>(pair_keys_.size()); }

  /// Coefficients drawn at random for every pair and factor.
  void draw(RandomStream& random) {
    const std::size_t pairs = pair_keys_.size();
    for (std::size_t slot = 0; slot < counts_.size(); ++slot) {
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        ranked_[slot * pairs + pair] = {1 - random.uniform(), static_cast<std::int32_t>(pair)};
      }
      counts_[slot] = static_cast<std::int64_t>(pairs);
    }
  }

  /// [pairs, factors]: what relation AUC ranks.
  std::vector<float> shares() const {
    const std::size_t factors = counts_.size(), pairs = pair_keys_.size();
    std::vector<float> shares(pairs * factors, 0.0F);
    for (std::size_t factor = 0; factor < factors; ++factor) {
      for (std::int64_t at = 0; at < counts_[factor]; ++at) {
        const RankedPair& each = ranked_[factor * pairs + static_cast<std::size_t>(at)];
        shares[static_cast<std::size_t>(each.pair) * factors + factor] = static_cast<float>(each.value);
      }
    }
    return shares;
  }

  /// Whether the part holds a pair, in either direction.
  bool part_holds(std::int64_t pair) const { return marks_[static_cast<std::size_t>(pair)] != 0; }

  std::int64_t differing_entries(int factor) {
    RankedPair* const first = ranked_.data() + pair_keys_.size() * factor;
    const std::int64_t wanted = num_entries();
    const std::int64_t count = counts_[factor];
    // Both directions of a pair have one value, so they are neighbours in the ranking: whole pairs are kept, and of the
    // last one only the forward direction where an odd number of entries is wanted.
    const std::int64_t whole = std::min(wanted / 2, count);
    const bool half = wanted % 2 != 0 && whole < count;
    if (whole < count) {
      std::nth_element(first, first + whole, first + count, ranks_before);
    }
    std::int64_t common = 0;
    for (std::int64_t rank = 0; rank < whole; ++rank) {
      common += std::popcount(marks_[first[rank].pair]);
    }
    if (half) {
      common += (marks_[first[whole].pair] & kForward) != 0;
    }
    const std::int64_t kept = 2 * whole + half;
    return kept + wanted - 2 * common;
  }

 private:
  static constexpr std::uint8_t kForward = 1;   ///< smaller node -> larger node
  static constexpr std::uint8_t kBackward = 2;  ///< larger node -> smaller node

  struct PairedEdge {
    std::uint64_t key;
    std::int64_t edge;
  };

  void sort_edges(const FactorGraphs& graphs) {
    edges_.reserve(graphs.sources.size());
    for (std::size_t edge = 0; edge < graphs.sources.size(); ++edge) {
      const std::int32_t source = graphs.sources[edge], target = graphs.targets[edge];
      check_node(source, graphs.num_nodes, "factor graphs");
      check_node(target, graphs.num_nodes, "factor graphs");
      if (source != target) {
        edges_.push_back({unordered_key(source, target), static_cast<std::int64_t>(edge)});
      }
    }
    std::sort(edges_.begin(), edges_.end(), [](const PairedEdge& a, const PairedEdge& b) { return a.key < b.key; });
    pair_keys_.reserve(edges_.size());
    pair_begins_.reserve(edges_.size() + 1);
    for (std::size_t at = 0; at < edges_.size(); ++at) {
      if (at == 0 || edges_[at].key != edges_[at - 1].key) {
        pair_keys_.push_back(edges_[at].key);
        pair_begins_.push_back(static_cast<std::int64_t>(at));
      }
    }
    pair_begins_.push_back(static_cast<std::int64_t>(edges_.size()));
  }

  void fill_factor(const FactorGraphs& graphs, int factor, int slot) {
    RankedPair* const first = ranked_.data() + pair_keys_.size() * slot;
    std::int64_t count = 0;
    const auto coefficient = [&](std::int64_t at) -> double {
      const std::int64_t edge = edges_[at].edge;
      const double value = graphs.coefficients[edge * graphs.num_factors + factor];
      require(std::isfinite(value), "factor graphs: the coefficient of edge ", edge, " in factor ", factor, " is ",
              value, "; coefficients must be finite");
      return value;
    };
    for (std::size_t pair = 0; pair < pair_keys_.size(); ++pair) {
      const std::int64_t begin = pair_begins_[pair], end = pair_begins_[pair + 1];
      // M + M^T ranks as its half does. One or two terms: the sum does not depend on their order. More (parallel
      // edges): summed from the smallest up, so that it does not either.
      double value = coefficient(begin);
      if (end - begin == 2) {
        value += coefficient(begin + 1);
      } else if (end - begin > 2) {
        terms_.clear();
        for (std::int64_t at = begin; at < end; ++at) {
          terms_.push_back(coefficient(at));
        }
        std::sort(terms_.begin(), terms_.end());
        value = 0;
        for (const double term : terms_) {
          value += term;
        }
      }
      if (value > 0) {
        first[count++] = {value, static_cast<std::int32_t>(pair)};
      }
    }
    counts_[slot] = count;
  }

  std::vector<PairedEdge> edges_;          ///< by pair
  std::vector<std::uint64_t> pair_keys_;   ///< ascending
  std::vector<std::int64_t> pair_begins_;  ///< into edges_
  std::vector<RankedPair> ranked_;         ///< [factors, pairs], counts_ of each row in use, in any order
  std::vector<std::int64_t> counts_;
  std::vector<double> terms_;
  std::vector<std::uint64_t> entries_;  ///< of the part, directed, distinct
  std::vector<std::uint8_t> marks_;     ///< [pairs]; which directions the part holds
};

/// Fewer where one draw is much work: beyond some size chance hardly varies from draw to draw.
int draws_for(std::int64_t work, int wanted) {
  constexpr std::int64_t kMostWork = 100'000'000;
  return static_cast<int>(std::clamp<std::int64_t>(kMostWork / std::max<std::int64_t>(work, 1), 1, wanted));
}

std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) {
    return {};
  }
  double sum = 0;
  for (const double value : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

double ged_e(const FactorGraphs& graphs, int factor, const GroundTruth::Part& part) {
  require(factor >= 0 && factor < graphs.num_factors, "ged_e: factor ", factor, " is not among the ",
          graphs.num_factors, " factors");
  RankedFactors ranked(graphs, factor, 1);
  ranked.set_part(part, graphs.num_nodes);
  return static_cast<double>(ranked.differing_entries(0));
}

ChanceDraws ChanceDraws::for_samples(std::int64_t samples) {
  constexpr std::int64_t kDrawsInAll = 64;
  return {static_cast<int>(std::clamp<std::int64_t>(kDrawsInAll / std::max<std::int64_t>(samples, 1), 1, 32))};
}

DisentanglementScorer::DisentanglementScorer(std::int64_t num_types, int num_factors, ChanceDraws chance)
    : num_types_(num_types), num_factors_(num_factors), chance_(chance) {
  require(num_types >= 0, "disentanglement scorer: ", num_types, " relation types; the number cannot be negative");
  require(num_factors >= 1, "disentanglement scorer: ", num_factors, " factors; at least 1 is needed");
  match_counts_.assign(static_cast<std::size_t>(num_types) * num_factors, 0);
  type_counts_.assign(static_cast<std::size_t>(num_types), 0);
}

std::vector<FactorMatch> DisentanglementScorer::add(const FactorGraphs& graphs, const GroundTruth& truth,
                                                    std::int64_t index) {
  const std::optional<SampleScore> sample = score_sample(graphs, truth, index);
  if (!sample) {
    return {};
  }
  add(*sample);
  return sample->matches;
}

std::optional<SampleScore> DisentanglementScorer::score_sample(const FactorGraphs& graphs, const GroundTruth& truth,
                                                               std::int64_t index) const {
  require(graphs.num_factors == num_factors_, "disentanglement scorer: a sample of ", graphs.num_factors,
          " factors where ", num_factors_, " were announced");
  require(index >= 0 && index < truth.num_graphs(), "disentanglement scorer: graph ", index,
          " is not in the ground truth, which has ", truth.num_graphs(), " graphs");
  const std::int64_t parts = truth.num_parts(index);
  if (parts == 0) {
    return {};
  }

  RankedFactors ranked(graphs, 0, num_factors_);
  std::vector<double> costs(static_cast<std::size_t>(parts) * num_factors_);
  std::vector<double> unmatched(static_cast<std::size_t>(parts));
  std::vector<FactorMatch> matches(static_cast<std::size_t>(parts));
  for (std::int64_t p = 0; p < parts; ++p) {
    const GroundTruth::Part part = truth.part(index, p);
    require(part.type >= 0 && part.type < num_types_, "disentanglement scorer: relation type ", part.type, " in graph ",
            index, " is not among the ", num_types_, " types announced");
    matches[p].type = part.type;
  }
  const bool with_chance = chance_.draws > 0;
  const std::vector<float> shares = with_chance ? ranked.shares() : std::vector<float>();
  std::vector<std::uint8_t> holds(with_chance ? ranked.num_pairs() * parts : 0);
  // Every part against every factor, and the best of it.
  const auto match = [&](bool take_note) {
    for (std::int64_t p = 0; p < parts; ++p) {
      ranked.set_part(truth.part(index, p), graphs.num_nodes);
      for (int factor = 0; factor < num_factors_; ++factor) {
        costs[p * num_factors_ + factor] = static_cast<double>(ranked.differing_entries(factor));
      }
      unmatched[p] = static_cast<double>(ranked.num_entries());
      for (std::int64_t pair = 0; take_note && pair < ranked.num_pairs(); ++pair) {
        holds[pair * parts + p] = ranked.part_holds(pair) ? 1 : 0;
      }
    }
    return assign(static_cast<int>(parts), num_factors_, costs, unmatched);
  };
  const Assignment assignment = match(with_chance);
  for (std::int64_t p = 0; p < parts; ++p) {
    FactorMatch& match = matches[p];
    match.factor = assignment.column_of_row[p];
    match.ged_e = match.factor < 0 ? unmatched[p] : costs[p * num_factors_ + match.factor];
  }
  SampleScore sample{std::move(matches), assignment.cost / static_cast<double>(parts), {}, {}, {}};
  if (with_chance) {
    const int draws = draws_for(ranked.num_pairs() * num_factors_ * parts, chance_.draws);
    RandomStream random(0, concat("ged_e/chance/graph ", index));
    double sum = 0;
    for (int draw = 0; draw < draws; ++draw) {
      ranked.draw(random);
      sum += match(/*take_note=*/false).cost / static_cast<double>(parts);
    }
    sample.ged_e_chance = sum / draws;
    if (ranked.num_pairs() > 0) {
      const RelationAuc auc = relation_auc(shares, num_factors_, holds, static_cast<int>(parts),
                                           {.shuffles = draws, .seed = static_cast<std::uint64_t>(index)});
      if (std::isfinite(auc.mean)) {
        sample.relation_auc = auc.mean;
        sample.relation_auc_chance = auc.chance;
      }
    }
  }
  return sample;
}

void DisentanglementScorer::add(const SampleScore& sample) {
  for (const FactorMatch& match : sample.matches) {
    ++type_counts_[match.type];
    if (match.factor >= 0) {
      ++match_counts_[static_cast<std::int64_t>(match.type) * num_factors_ + match.factor];
    }
  }
  sample_scores_.push_back(sample.ged_e);
  const auto append = [](std::vector<double>& values, const std::optional<double>& value) {
    if (value) {
      values.push_back(*value);
    }
  };
  append(chance_scores_, sample.ged_e_chance);
  append(aucs_, sample.relation_auc);
  append(chance_aucs_, sample.relation_auc_chance);
}

DisentanglementScore DisentanglementScorer::score() const {
  DisentanglementScore result;
  result.samples = static_cast<std::int64_t>(sample_scores_.size());
  if (result.samples == 0) {
    return result;
  }
  const auto samples = static_cast<double>(result.samples);
  for (const double score : sample_scores_) {
    result.ged_e += score;
  }
  result.ged_e /= samples;
  double squares = 0;
  for (const double score : sample_scores_) {
    squares += (score - result.ged_e) * (score - result.ged_e);
  }
  result.ged_e_std = std::sqrt(squares / samples);

  result.ged_e_chance = mean_of(chance_scores_);
  result.relation_auc = mean_of(aucs_);
  result.relation_auc_chance = mean_of(chance_aucs_);

  double shares = 0;
  std::int64_t types_seen = 0;
  for (std::int64_t type = 0; type < num_types_; ++type) {
    if (type_counts_[type] > 0) {
      const auto row = match_counts_.begin() + type * num_factors_;
      const std::int64_t most = *std::max_element(row, row + num_factors_);
      shares += static_cast<double>(most) / static_cast<double>(type_counts_[type]);
      ++types_seen;
    }
  }
  result.c_score = shares / static_cast<double>(types_seen);
  return result;
}

}  // namespace factorgcn
