// The row of each edge, in both orders of an adjacency, for kernels that loop over edges instead of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "ops/cpu/tiles.h"

namespace factorgcn::cpu {

class EdgeList {
 public:
  explicit EdgeList(std::int64_t edges) : edges_(edges), rows_(new std::int32_t[static_cast<std::size_t>(2 * edges)]) {}

  /// Writes the entries of a tile's edges; the others are not touched.
  void fill(const Tile& tile, const std::int64_t* in_offsets, const std::int64_t* out_offsets) {
    fill(tile, in_offsets, rows_.get());
    fill(tile, out_offsets, rows_.get() + edges_);
  }

  const std::int32_t* in_targets() const { return rows_.get(); }
  const std::int32_t* out_sources() const { return rows_.get() + edges_; }

 private:
  static void fill(const Tile& tile, const std::int64_t* offsets, std::int32_t* rows) {
    for (std::int64_t row = tile.node_begin; row < tile.node_end; ++row) {
      std::fill(rows + offsets[row], rows + offsets[row + 1], static_cast<std::int32_t>(row));
    }
  }

  std::int64_t edges_;
  std::unique_ptr<std::int32_t[]> rows_;
};

}  // namespace factorgcn::cpu
