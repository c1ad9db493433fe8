// Pieces are copied graph by graph: arcs keep their order, so a shelf is put together without sorting.
#include "nn/aligned/factor_reader.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

#include <limits>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/segment_reduce.h"
#include "factorgcn/ops/weighted_aggregate.h"

namespace factorgcn::aligned {

std::vector<Piece> present_pieces(const at::Tensor& labels) {
  const std::int64_t factors = labels.size(1);
  const float* const label = labels.data_ptr<float>();
  std::vector<Piece> pieces;
  for (std::int64_t place = 0; place < labels.numel(); ++place) {
    if (label[place] > 0) {
      pieces.push_back({place / factors, place % factors});
    }
  }
  return pieces;
}

FactorShelf shelve(const PairGraphs& graphs, std::int64_t factors, std::span<const Piece> pieces, at::Device device) {
  const auto* const node_offsets = graphs.graph_offsets.data_ptr<std::int64_t>();
  const auto* const arc_offsets = graphs.arcs.in_offsets.data_ptr<std::int64_t>();
  const auto* const sources = graphs.arcs.in_sources.data_ptr<std::int32_t>();
  const auto* const reverses = graphs.arcs.in_to_out.data_ptr<std::int64_t>();
  const auto* const pair_of_arc = graphs.pair_of_arc.data_ptr<std::int64_t>();
  std::int64_t nodes = 0, arcs = 0;
  for (const Piece& piece : pieces) {
    nodes += node_offsets[piece.graph + 1] - node_offsets[piece.graph];
    arcs += arc_offsets[node_offsets[piece.graph + 1]] - arc_offsets[node_offsets[piece.graph]];
  }
  const auto whole = at::TensorOptions().dtype(at::kLong);
  FactorShelf shelf;
  shelf.graph_offsets = at::empty({static_cast<std::int64_t>(pieces.size()) + 1}, whole);
  shelf.places = at::empty({arcs}, whole);
  shelf.arcs.in_offsets = at::empty({nodes + 1}, whole);
  shelf.arcs.in_sources = at::empty({arcs}, at::TensorOptions().dtype(at::kInt));
  shelf.arcs.in_to_out = at::empty({arcs}, whole);
  auto* const piece_offset = shelf.graph_offsets.data_ptr<std::int64_t>();
  auto* place = shelf.places.data_ptr<std::int64_t>();
  auto* offset = shelf.arcs.in_offsets.data_ptr<std::int64_t>();
  auto* source = shelf.arcs.in_sources.data_ptr<std::int32_t>();
  auto* reverse = shelf.arcs.in_to_out.data_ptr<std::int64_t>();
  piece_offset[0] = 0;
  *offset = 0;
  std::int64_t first_arc = 0;
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    const auto [graph, factor] = pieces[index];
    const std::int64_t first = node_offsets[graph], end = node_offsets[graph + 1];
    const std::int64_t node_shift = piece_offset[index] - first, arc_shift = first_arc - arc_offsets[first];
    for (std::int64_t node = first; node < end; ++node) {
      *++offset = arc_offsets[node + 1] + arc_shift;
    }
    for (std::int64_t arc = arc_offsets[first]; arc < arc_offsets[end]; ++arc) {
      *source++ = static_cast<std::int32_t>(sources[arc] + node_shift);
      *reverse++ = reverses[arc] + arc_shift;
      *place++ = pair_of_arc[arc] * factors + factor;
    }
    piece_offset[index + 1] = end + node_shift;
    first_arc = arc_offsets[end] + arc_shift;
  }
  if (!device.is_cpu()) {
    for (at::Tensor* tensor :
         {&shelf.graph_offsets, &shelf.places, &shelf.arcs.in_offsets, &shelf.arcs.in_sources, &shelf.arcs.in_to_out}) {
      *tensor = tensor->to(device);
    }
  }
  shelf.arcs.out_offsets = shelf.arcs.in_offsets;
  shelf.arcs.out_targets = shelf.arcs.in_sources;
  return shelf;
}

FactorShelf shelve_all(const PairGraphs& graphs, std::int64_t factors) {
  const std::int64_t nodes = graphs.num_nodes(), arcs = graphs.pair_of_arc.numel(), count = graphs.num_graphs();
  require(nodes * factors <= std::numeric_limits<std::int32_t>::max(), "model aligned: ", factors, " factors of ",
          nodes, " nodes are more than 32-bit numbers tell apart; take fewer graphs at a time");
  // list, list + step, list + 2 step, ...
  const auto repeated = [factors](const at::Tensor& list, std::int64_t step) {
    const at::Tensor shifts = at::arange(factors, list.options()) * step;
    return (list.unsqueeze(0) + shifts.unsqueeze(1)).flatten();
  };
  const auto offsets = [&](const at::Tensor& list, std::int64_t rows, std::int64_t step) {
    return at::cat({repeated(list.narrow(0, 0, rows), step), at::full({1}, step * factors, list.options())});
  };
  FactorShelf shelf;
  shelf.graph_offsets = offsets(graphs.graph_offsets, count, nodes);
  shelf.arcs.in_offsets = offsets(graphs.arcs.in_offsets, nodes, arcs);
  shelf.arcs.in_sources = repeated(graphs.arcs.in_sources, nodes);
  shelf.arcs.in_to_out = repeated(graphs.arcs.in_to_out, arcs);
  shelf.places = repeated(graphs.pair_of_arc * factors, 1);
  shelf.arcs.out_offsets = shelf.arcs.in_offsets;
  shelf.arcs.out_targets = shelf.arcs.in_sources;
  return shelf;
}

FactorReader::FactorReader(WeightMaker& maker, const std::string& name, std::int64_t blocks, std::int64_t width) {
  for (std::int64_t index = 0; index < blocks; ++index) {
    blocks_.push_back(make_block(maker, name + std::to_string(index + 1), index == 0 ? 1 : width, width));
  }
}

at::Tensor FactorReader::read(const FactorShelf& shelf, const at::Tensor& coefficients, Moments moments) const {
  const at::Tensor weights = coefficients.reshape({-1}).index_select(0, shelf.places).unsqueeze(1);
  at::Tensor x = segment_sum(weights, shelf.arcs.in_offsets) / 3;
  for (const Block& block : blocks_) {
    x = finish_block(block, x + weighted_aggregate(shelf.arcs, x, weights).squeeze(1), moments);
  }
  return segment_mean(x, shelf.graph_offsets);
}

}  // namespace factorgcn::aligned
