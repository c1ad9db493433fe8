// Values of edges from one order of an adjacency to the other, on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/cpu/row_ranges.h"

namespace factorgcn::cpu {

/// Rows of [E, columns] from one order of edges to the other: out[in_to_out[e]] = in[e], or in[e] = out[in_to_out[e]].
template <class T>
void permute_edges(const T* from, const std::int64_t* in_to_out, std::int64_t edges, std::int64_t columns, bool to_out,
                   T* to) {
  parallel_rows(edges, std::max<std::int64_t>(1, (1 << 15) / columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      const T* row = from + (to_out ? e : in_to_out[e]) * columns;
      std::copy_n(row, columns, to + (to_out ? in_to_out[e] : e) * columns);
    }
  });
}

}  // namespace factorgcn::cpu
