// A number that tells whether bytes are still the same: 64 bits, the same on every machine and for any number of
// threads.
//
// For finding damage, not against anyone who wants two contents to collide. A change that stays inside one aligned
// group of 8 bytes is always found; any other with probability 1 - 2^-64, as for random numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Cost: one pass over the bytes, near the speed of memory, on all threads of the pool.
FACTORGCN_API std::uint64_t content_hash(std::string_view bytes);

/// As 16 hexadecimal digits.
FACTORGCN_API std::string hash_text(std::uint64_t hash);

}  // namespace factorgcn
