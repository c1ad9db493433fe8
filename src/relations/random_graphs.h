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

/// Each link is kept with probability `kept`.
FACTORGCN_API Links thin_out(const Links& links, double kept, std::uint64_t seed, const std::string& purpose);

}  // namespace factorgcn::relations
