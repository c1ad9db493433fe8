// Tiles of whole graphs, and blocks of tiles.
//
// All values that a tile's nodes need on the way through a layer fit the second-level cache, so the steps of a layer
// are taken tile by tile. Blocks of consecutive tiles are handed to threads, each with partial sums of its own; both
// depend on the graphs alone, so every sum is taken in the same order by any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "factorgcn/base/parallel.h"

namespace factorgcn::cpu {

/// Whole graphs that are worked on together.
struct Tile {
  std::int64_t graph_begin, graph_end;
  std::int64_t node_begin, node_end;

  std::int64_t nodes() const { return node_end - node_begin; }
  std::int64_t graphs() const { return graph_end - graph_begin; }
};

class Tiling {
 public:
  /// A tile takes graphs while they have at most `most_nodes` nodes together, and at least one graph.
  Tiling(const std::int64_t* offsets, std::int64_t graphs, std::int64_t most_nodes) {
    for (std::int64_t graph = 0; graph < graphs;) {
      Tile tile{graph, graph + 1, offsets[graph], offsets[graph + 1]};
      while (tile.graph_end < graphs && offsets[tile.graph_end + 1] - tile.node_begin <= most_nodes) {
        tile.node_end = offsets[++tile.graph_end];
      }
      tiles_.push_back(tile);
      graph = tile.graph_end;
    }
    const auto count = static_cast<std::int64_t>(tiles_.size());
    block_tiles_ = std::max<std::int64_t>(1, (count + kMaxBlocks - 1) / kMaxBlocks);
    blocks_ = (count + block_tiles_ - 1) / block_tiles_;
  }

  std::int64_t blocks() const { return blocks_; }

  /// Calls work(block, tile) for each tile; the tiles of a block in order and by one thread. `start`(block) comes
  /// first. Every other walk takes the blocks from the last to the first: it begins with what the walk before has left
  /// in the cache. Sums do not change by that, since they belong to blocks.
  template <class Start, class Work>
  void walk(const Start& start, const Work& work) {
    const bool turned = walks_++ % 2 == 1;
    parallel_tasks(blocks_, [&](std::int64_t index) {
      const std::int64_t block = turned ? blocks_ - 1 - index : index;
      start(block);
      const auto end = std::min<std::size_t>(tiles_.size(), static_cast<std::size_t>((block + 1) * block_tiles_));
      for (auto tile = static_cast<std::size_t>(block * block_tiles_); tile < end; ++tile) {
        work(block, tiles_[tile]);
      }
    });
  }

 private:
  static constexpr std::int64_t kMaxBlocks = 32;

  std::vector<Tile> tiles_;
  std::int64_t block_tiles_ = 1, blocks_ = 0, walks_ = 0;
};

}  // namespace factorgcn::cpu
