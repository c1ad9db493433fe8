// How many independent directions of structure a graph has, without fitting anything.
//
// A relation of R groups is R - 1 directions beyond the bulk of the graph's matrix (link_operator.h), whatever the
// sizes of its groups, and K relations add theirs up. So the count of directions beyond what a random graph with the
// same degrees shows says how many groups there are in all, up to the number of relations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "relations/expected_counts.h"

namespace factorgcn::relations {

struct Spectrum {
  Table directions;            // [N, how many lie beyond chance], orthonormal, the slowest first
  std::vector<double> values;  // theirs, in units of the bulk's edge
  double chance = 0;           // the greatest of a random graph with the same degrees
};

/// At most `most` directions are looked for. The random graph is a small one with degrees of this graph's nodes.
/// Cost: some 60 passes over the links with `most` columns, O(N most^2) ten times; memory: 3 N most floats.
FACTORGCN_API Spectrum find_spectrum(const Links& links, int most, std::uint64_t seed,
                                     const std::function<bool()>& stop = {});

}  // namespace factorgcn::relations
