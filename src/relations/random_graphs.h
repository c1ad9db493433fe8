// Graphs with the same degrees and nothing else in common: what structure by chance alone looks like.
#pragma once

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"
#include "relations/links.h"

namespace factorgcn::relations {

/// Ends of random pairs of links are exchanged, ten times as often as there are links; weights stay with their links.
/// Cost: O(links).
FACTORGCN_API Links rewire(const Links& links, std::uint64_t seed, const std::string& purpose);

/// A random graph of about `most` links, or as many as there are: nodes drawn at random keep their degrees, which are
/// joined at random; loops and pairs joined twice are left out, so hubs lose a little. As a graph without structure
/// looks the same in every part, a small one tells what chance does in a large one. Cost: O(N + most log most).
FACTORGCN_API Links random_with_degrees_of(const Links& links, std::int64_t most, std::uint64_t seed,
                                           const std::string& purpose);

/// Each link is kept with probability `kept`.
FACTORGCN_API Links thin_out(const Links& links, double kept, std::uint64_t seed, const std::string& purpose);

}  // namespace factorgcn::relations
