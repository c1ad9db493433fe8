// Moves and exchanges until none lowers the overlap inside relations, from many random deals.
#include "relations/grouping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factorgcn/base/random.h"
#include "relations/column_sums.h"

namespace factorgcn::relations {
namespace {

class Deal {
 public:
  Deal(const std::vector<double>& overlaps, int communities, int relations)
      : overlaps_(overlaps),
        communities_(communities),
        relation_(communities),
        sizes_(relations, 0),
        sums_(static_cast<std::size_t>(communities) * relations, 0) {}

  void start(RandomStream& random) {
    std::vector<int> order(relation_.size());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    std::fill(sizes_.begin(), sizes_.end(), 0);
    for (int place = 0; place < communities_; ++place) {
      relation_[order[place]] = place % relations();
      ++sizes_[place % relations()];
    }
    std::fill(sums_.begin(), sums_.end(), 0);
    for (int a = 0; a < communities_; ++a) {
      for (int b = 0; b < communities_; ++b) {
        sum(a, relation_[b]) += overlap(a, b);
      }
    }
  }

  void settle(bool equal) {
    bool moved = true;
    for (int sweep = 0; moved && sweep < 100; ++sweep) {
      moved = false;
      for (int a = 0; a < communities_; ++a) {
        moved = exchange(a) || moved;
        moved = (!equal && move(a)) || moved;
      }
    }
  }

  double cost() const {
    double cost = 0;
    for (int a = 0; a < communities_; ++a) {
      cost += sum(a, relation_[a]);
    }
    return cost;
  }

  const std::vector<int>& relation() const { return relation_; }

 private:
  static constexpr double kLeastGain = 1e-9;

  int relations() const { return static_cast<int>(sizes_.size()); }
  double overlap(int a, int b) const { return overlaps_[static_cast<std::size_t>(a) * communities_ + b]; }
  double& sum(int a, int relation) { return sums_[static_cast<std::size_t>(a) * sizes_.size() + relation]; }
  double sum(int a, int relation) const { return sums_[static_cast<std::size_t>(a) * sizes_.size() + relation]; }

  void put(int a, int relation) {
    for (int b = 0; b < communities_; ++b) {
      sum(b, relation_[a]) -= overlap(b, a);
      sum(b, relation) += overlap(b, a);
    }
    --sizes_[relation_[a]];
    ++sizes_[relation];
    relation_[a] = relation;
  }

  bool exchange(int a) {
    for (int b = 0; b < a; ++b) {
      const int mine = relation_[a], theirs = relation_[b];
      if (mine != theirs &&
          sum(a, theirs) + sum(b, mine) - 2 * overlap(a, b) < sum(a, mine) + sum(b, theirs) - kLeastGain) {
        put(a, theirs);
        put(b, mine);
        return true;
      }
    }
    return false;
  }

  bool move(int a) {
    for (int to = 0; to < relations(); ++to) {
      if (to != relation_[a] && sizes_[relation_[a]] > 1 && sum(a, to) < sum(a, relation_[a]) - kLeastGain) {
        put(a, to);
        return true;
      }
    }
    return false;
  }

  const std::vector<double>& overlaps_;
  int communities_;
  std::vector<int> relation_, sizes_;
  std::vector<double> sums_;  // [C, K] overlap of a community with all of a relation's
};

}  // namespace

std::vector<double> overlaps(const Links& links, const Table& x) {
  const int communities = x.columns();
  std::vector<double> sums = sum_rows(links, communities * communities, [&](std::int64_t row, double* into) {
    const float* values = x.row(row);
    for (int a = 0; a < communities; ++a) {
      for (int b = 0; b < a && values[a] > 0; ++b) {
        into[a * communities + b] += static_cast<double>(values[a]) * values[b];
      }
      into[a * communities + a] += static_cast<double>(values[a]) * values[a];
    }
  });
  std::vector<double> result(sums.size(), 0);
  for (int a = 0; a < communities; ++a) {
    for (int b = 0; b < a; ++b) {
      const double norm = std::sqrt(sums[a * communities + a] * sums[b * communities + b]);
      const double cosine = norm > 0 ? sums[a * communities + b] / norm : 0;
      result[a * communities + b] = result[b * communities + a] = cosine;
    }
  }
  return result;
}

std::vector<int> group_communities(const std::vector<double>& overlaps, int communities, int relations, bool equal,
                                   std::uint64_t seed, const std::string& purpose, int tries) {
  RandomStream random(seed, purpose);
  Deal deal(overlaps, communities, relations);
  std::vector<int> best;
  double least = std::numeric_limits<double>::infinity();
  for (int attempt = 0; attempt < tries; ++attempt) {
    deal.start(random);
    deal.settle(equal);
    if (deal.cost() < least - 1e-12) {
      least = deal.cost();
      best = deal.relation();
    }
  }
  return best;
}

}  // namespace factorgcn::relations
