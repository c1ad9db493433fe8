// Step 1: overlapping communities. Links are counts with rate <x_i, x_j>, x >= 0, one column a community (Ball, Karrer
// and Newman 2011), fitted by expectation-maximisation from a random start. Nothing is said of relations yet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "factorgcn/base/export.h"
#include "relations/expected_counts.h"

namespace factorgcn::relations {

struct CommunityOptions {
  int communities = 0;
  int rounds = 400;      // at most
  double enough = 1e-4;  // a round that gains less than this share of the links' number is the last
  std::uint64_t seed = 0;
  std::string purpose;                // of the random numbers
  std::function<bool()> stop = {};    // may be empty
  const Table* directions = nullptr;  // of a spectrum, to start from; may be null
};

struct Communities {
  Table x;                // [N, C]
  double likelihood = 0;  // in nats, without what does not depend on x
  int rounds = 0;
};

/// The likelihood rises from round to round. Cost: O(links x communities) a round.
FACTORGCN_API Communities find_communities(const Links& links, const CommunityOptions& options);

/// One round: x becomes what its expected counts say. Returns the likelihood of the x given.
FACTORGCN_API double improve_communities(const Links& links, Table& x, Table& counts);

}  // namespace factorgcn::relations
