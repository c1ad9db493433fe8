// A walk over the table of sizes; each cell is tried once.
#include "relations/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "factorgcn/base/error.h"

namespace factorgcn::relations {
namespace {

constexpr int kGroupSteps[] = {2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32};

class Selector {
 public:
  Selector(const Links& links, const DisentangleOptions& options, const Effort& effort, Session& session)
      : links_(links), options_(options), effort_(effort), session_(session) {
    selection_.none = no_relations(links);
    selection_.best.bits = std::numeric_limits<double>::infinity();
    selection_.one = kNotKnown;
    note(0, 0, selection_.none.bits);
  }

  Selection run() {
    const int most = options_.relations > 0 ? options_.relations : options_.most_relations;
    double shortest = std::numeric_limits<double>::infinity();
    int worse = 0, at = 3;
    for (int relations = options_.relations > 0 ? most : 1; relations <= most && worse < 2; ++relations) {
      const double bits = options_.groups > 0 ? bits_with(relations, options_.groups) : climb(relations, at);
      worse = bits < shortest ? 0 : worse + 1;
      shortest = std::min(shortest, bits);
    }
    // Between the steps of the walk.
    if (options_.groups == 0) {
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
    candidate.bits_per_edge = bits / std::max(1.0, static_cast<double>(links_.links()));
    selection_.candidates.push_back(candidate);
  }

  double bits_with(int relations, int groups) {
    const auto [known, fresh] = tried_.try_emplace({relations, groups}, 0.0);
    if (!fresh) {
      return known->second;
    }
    session_.at(concat(relations, relations == 1 ? " relation of " : " relations of ", groups, " groups"), progress());
    FitOptions fit{
        .relations = relations, .groups = groups, .effort = effort_, .seed = options_.seed, .stop = session_.stop()};
    Partitions found = session_.partitions(concat("fit ", relations, " x ", groups), links_.nodes,
                                           [&] { return fit_best(links_, fit); });
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

  /// Where the number of relations was given, one relation was not tried yet.
  void compare_with_one() {
    if (options_.relations > 1 && links_.links() < kManyLinks) {
      const auto chosen = best_;
      Partitions kept = std::move(selection_.best);
      selection_.best = {};
      selection_.best.bits = std::numeric_limits<double>::infinity();
      int at = 3;
      climb(1, at);
      selection_.best = std::move(kept);
      best_ = chosen;
    }
    for (const auto& [sizes, bits] : tried_) {
      if (sizes.first == 1 && !(bits >= selection_.one)) {
        selection_.one = bits;
      }
    }
  }

  double progress() const {
    const double most = options_.relations > 0 ? 8 : 22;
    return 0.6 * std::min(1.0, static_cast<double>(tried_.size()) / most);
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
  Selection selection_;
  std::map<std::pair<int, int>, double> tried_;
  std::pair<int, int> best_{0, 0};
};

}  // namespace

Selection select_sizes(const Links& links, const DisentangleOptions& options, const Effort& effort, Session& session) {
  return Selector(links, options, effort, session).run();
}

}  // namespace factorgcn::relations
