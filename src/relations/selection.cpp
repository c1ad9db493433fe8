// A walk over the table of sizes; each cell is tried once, but for the last of a large graph.
#include "relations/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"
#include "relations/moves.h"
#include "relations/spectrum.h"

namespace factorgcn::relations {
namespace {

constexpr int kMostDirections = 64, kSpectrumRounds = 10, kFullFits = 2;
constexpr double kSpectrumShare = 0.1, kFullShare = 0.4;  // of the work of choosing sizes on a large graph

constexpr int kGroupSteps[] = {2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32};

class Selector {
 public:
  Selector(const Links& links, const DisentangleOptions& options, const Effort& effort, Session& session, double share)
      : links_(links), options_(options), effort_(effort), session_(session), share_(share) {
    selection_.none = no_relations(links);
    selection_.best.bits = std::numeric_limits<double>::infinity();
    selection_.one = kNotKnown;
    note(0, 0, selection_.none.bits);
  }

  Selection run() {
    if (links_.links() < kManyLinks) {
      walk();
    } else if (options_.relations > 0 && options_.groups > 0) {
      bits_with(options_.relations, options_.groups);
    } else {
      walk_by_spectrum();
    }
    if (links_.links() < kManyLinks && options_.relations == 0 && selection_.best.relations() > 1) {
      try_one_of_many_groups();
    }
    if (links_.links() < kManyLinks && options_.groups == 0) {
      dissolve_groups(links_, selection_.best, {.sweeps = 10, .seed = options_.seed, .purpose = "relations/dissolve"});
    }
    if (options_.relations == 0) {
      drop_single_groups();
    }
    compare_with_one();
    for (RelationsCandidate& candidate : selection_.candidates) {
      candidate.chosen = candidate.relations == best_.first && candidate.groups == best_.second;
    }
    selection_.groups = best_.second;
    return std::move(selection_);
  }

 private:
  void note(int relations, int groups, double bits) {
    RelationsCandidate candidate;
    candidate.relations = relations;
    candidate.groups = groups;
    candidate.bits_per_edge = per_link(bits);
    selection_.candidates.push_back(candidate);
  }

  /// Every step up and down, from one relation on.
  void walk() {
    const int most = options_.relations > 0 ? options_.relations : options_.most_relations;
    double shortest = std::numeric_limits<double>::infinity();
    int worse = 0, at = 3;
    for (int relations = options_.relations > 0 ? most : 1; relations <= most && worse < 2; ++relations) {
      const double bits = options_.groups > 0 ? bits_with(relations, options_.groups) : climb(relations, at);
      worse = bits < shortest ? 0 : worse + 1;
      shortest = std::min(shortest, bits);
    }
    if (options_.groups == 0) {
      try_neighbours();
    }
  }

  /// One number of groups for each number of relations, quickly; the best and its neighbours; the best in full.
  void walk_by_spectrum() {
    const int least = std::max(options_.relations, 1);
    const int most = options_.relations > 0 ? options_.relations : options_.most_relations;
    session_.at("how many groups there are in all", 0, share_ * kSpectrumShare, kSpectrumRounds);
    const Spectrum spectrum = find_spectrum(links_, std::min(kMostDirections, most * (options_.most_groups - 1)),
                                            options_.seed, session_.stop());
    session_.leave_if_stopped();
    directions_ = &spectrum.directions;
    quick_ = true;
    const auto count = static_cast<double>(spectrum.values.size());
    double shortest = std::numeric_limits<double>::infinity();
    for (int relations = least, worse = 0; relations <= most && worse < 2; ++relations) {
      const int groups = options_.groups > 0 ? options_.groups
                                             : std::clamp(static_cast<int>(std::lround(count / relations)) + 1, 2,
                                                          options_.most_groups);
      const double bits = bits_with(relations, groups);
      worse = bits < shortest ? 0 : worse + 1;
      shortest = std::min(shortest, bits);
    }
    if (options_.groups == 0) {
      try_neighbours();
    }
    selection_.note =
        concat("sizes were chosen by quick fits of ", tried_.size(), " candidates; the graph's matrix has ",
               spectrum.values.size(), " directions beyond chance, which says how many groups there are");
    quick_ = false;
    directions_ = nullptr;
    fit_in_full();
  }

  /// From the best sizes so far up and down by one group, as long as that pays.
  void try_neighbours() {
    for (bool better = true; better;) {
      better = false;
      const int relations = best_.first;
      for (const int groups : {best_.second - 1, best_.second + 1}) {
        if (groups >= 2 && groups <= options_.most_groups && tried_.count({relations, groups}) == 0) {
          const double before = selection_.best.bits;
          better = bits_with(relations, groups) < before || better;
        }
      }
    }
  }

  /// The best candidates of the two best numbers of relations once more, with the usual effort: quick fits that are
  /// near each other may be out of order.
  void fit_in_full() {
    std::map<int, std::pair<double, std::pair<int, int>>> best;  // of each number of relations
    for (const auto& [sizes, bits] : tried_) {
      const auto [place, fresh] = best.try_emplace(sizes.first, bits, sizes);
      place->second = fresh ? place->second : std::min(place->second, {bits, sizes});
    }
    std::vector<std::pair<double, std::pair<int, int>>> order;
    for (const auto& [relations, candidate] : best) {
      order.push_back(candidate);
    }
    std::sort(order.begin(), order.end());
    order.resize(std::min<std::size_t>(order.size(), kFullFits));
    for (const auto& [quick_bits, sizes] : order) {
      tried_.erase(sizes);
      double& bits = tried_[sizes] = std::min(quick_bits, bits_with(sizes.first, sizes.second));
      selection_.candidates.pop_back();  // one line for both fits
      for (RelationsCandidate& candidate : selection_.candidates) {
        if (candidate.relations == sizes.first && candidate.groups == sizes.second) {
          candidate.bits_per_edge = per_link(bits);
        }
      }
    }
  }

  double per_link(double bits) const { return bits / std::max(1.0, static_cast<double>(links_.links())); }

  double bits_with(int relations, int groups) {
    const auto [known, fresh] = tried_.try_emplace({relations, groups}, 0.0);
    if (!fresh) {
      return known->second;
    }
    const Effort& effort = quick_ ? quick_now_ : effort_;
    const int rounds = effort.starts > 2 ? 0 : effort.starts * (effort.community_rounds + effort.polish_rounds + 5);
    const auto [done, then] = progress();
    session_.at(concat(relations, relations == 1 ? " relation of " : " relations of ", groups, " groups"), done, then,
                rounds);
    FitOptions fit{.relations = relations,
                   .groups = groups,
                   .effort = effort,
                   .seed = options_.seed,
                   .stop = session_.stop(),
                   .directions = directions_};
    Partitions found = session_.partitions(concat(quick_ ? "quick " : "fit ", relations, " x ", groups), links_.nodes,
                                           [&] { return fit_best(links_, fit); });
    if (!std::isfinite(found.bits)) {  // rates beyond what can be counted: no description
      found.bits = selection_.none.bits + links_.total();
    }
    known->second = found.bits;
    note(relations, groups, found.bits);
    if (found.bits < selection_.best.bits) {
      selection_.best = std::move(found);
      best_ = {relations, groups};
    }
    return known->second;
  }

  /// A relation of one group says no more than the background does.
  void drop_single_groups() {
    Partitions& all = selection_.best;
    Partitions left;
    left.background = all.background;
    left.activities = all.activities;
    for (int relation = 0; relation < all.relations(); ++relation) {
      if (all.groups_in[relation] > 1) {
        left.groups_in.push_back(all.groups_in[relation]);
        left.rate.push_back(all.rate[relation]);
        const auto first = all.group.begin() + relation * links_.nodes;
        left.group.insert(left.group.end(), first, first + links_.nodes);
      } else {
        left.background += all.rate[relation].front();
      }
    }
    if (left.relations() > 0 && left.relations() < all.relations()) {
      fit_rates(links_, left, 20);
      move_nodes(links_, left, {.sweeps = 10, .seed = options_.seed, .purpose = "relations/without single"});
      fit_rates(links_, left, 20);
      if (left.bits < all.bits) {
        all = std::move(left);
      }
    }
  }

  /// Many groups of one relation can be dealt out over several, each with fewer than are tried of one. So what has
  /// several must also be shorter than one relation with as many groups as they have together, and about as many.
  void try_one_of_many_groups() {
    constexpr int kMostOfOne = 200;
    int together = 0;
    for (const int groups : selection_.best.groups_in) {
      together += groups;
    }
    const auto most = static_cast<int>(std::min<std::int64_t>(kMostOfOne, links_.nodes / 2));
    for (const double way : {1.25, 0.8}) {
      double last = std::numeric_limits<double>::infinity();
      for (double groups = together; std::lround(groups) >= 2 && groups <= most; groups *= way) {
        const double bits = bits_with(1, static_cast<int>(std::lround(groups)));
        if (bits > last) {
          break;
        }
        last = bits;
      }
    }
  }

  /// Where the number of relations was given, one relation was not tried yet.
  void compare_with_one() {
    if (options_.relations > 1) {
      const auto chosen = best_;
      Partitions kept = std::move(selection_.best);
      selection_.best = {};
      selection_.best.bits = std::numeric_limits<double>::infinity();
      if (links_.links() < kManyLinks) {
        int at = 3;
        climb(1, at);
        selection_.best = kept;
        try_one_of_many_groups();
      } else {  // as many directions as the relations have together
        quick_ = true;
        bits_with(1, std::clamp(best_.first * (best_.second - 1) + 1, 2, kMostDirections));
      }
      selection_.best = std::move(kept);
      best_ = chosen;
    }
    for (const auto& [sizes, bits] : tried_) {
      if (sizes.first == 1 && !(bits >= selection_.one)) {
        selection_.one = bits;
      }
    }
  }

  /// Where this fit begins and ends, as shares of all work.
  std::pair<double, double> progress() const {
    const auto fits = static_cast<double>(tried_.size());
    if (links_.links() < kManyLinks) {
      const double most = options_.relations > 0 ? 8 : 22;
      return {share_ * std::min(1.0, (fits - 1) / most), share_ * std::min(1.0, fits / most)};
    }
    if (options_.relations > 0 && options_.groups > 0) {
      return {0, share_};
    }
    const double foreseen = options_.relations > 0 ? 4 : 8;
    const double quick = share_ * (1 - kSpectrumShare - kFullShare) / foreseen;
    const double from = share_ * kSpectrumShare + quick * std::min(fits - 1, foreseen - 1);
    return quick_ ? std::pair{from, from + quick} : std::pair{share_ * (1 - kFullShare), share_};
  }

  /// Up the steps, then down, from the number that was best with one relation less.
  double climb(int relations, int& at) {
    const int steps = static_cast<int>(std::size(kGroupSteps));
    const auto bits_at = [&](int step) { return bits_with(relations, kGroupSteps[step]); };
    double best = bits_at(at);
    for (const int way : {1, -1}) {
      int worse = 0;
      for (int step = at + way; step >= 0 && step < steps && worse < 1 && kGroupSteps[step] <= options_.most_groups;
           step += way) {
        const double bits = bits_at(step);
        worse = bits < best ? 0 : worse + 1;
        if (bits < best) {
          best = bits;
          at = step;
        }
      }
    }
    return best;
  }

  const Links& links_;
  const DisentangleOptions& options_;
  const Effort& effort_;
  Session& session_;
  const double share_;  // of all work
  const Effort quick_now_ = quick_effort();
  bool quick_ = false;
  const Table* directions_ = nullptr;  // of the spectrum, while quick fits are made
  Selection selection_;
  std::map<std::pair<int, int>, double> tried_;
  std::pair<int, int> best_{0, 0};
};

}  // namespace

Selection select_sizes(const Links& links, const DisentangleOptions& options, const Effort& effort, Session& session,
                       double share) {
  return Selector(links, options, effort, session, share).run();
}

}  // namespace factorgcn::relations
