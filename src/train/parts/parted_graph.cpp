// Each part's edges by source are counted out here; by target they are as the file has them.
#include "train/parts/parted_graph.h"

#include <ATen/ops/bincount.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <utility>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// From rows and halo to rows.
Adjacency adjacency_of(const GraphPart& part) {
  const std::int64_t sources = part.num_rows() + part.num_halo(), edges = part.num_edges();
  require(sources <= std::numeric_limits<std::int32_t>::max(), "a part has ", sources,
          " rows with its halo; cut the graph into more parts");
  Adjacency result;
  result.in_offsets = part.in_offsets;
  result.in_sources = part.in_sources;
  result.out_offsets = at::zeros({sources + 1}, at::kLong);
  result.out_targets = at::empty({edges}, at::kInt);
  result.in_to_out = at::empty({edges}, at::kLong);
  const auto* const in_offsets = part.in_offsets.data_ptr<std::int64_t>();
  const auto* const in_sources = part.in_sources.data_ptr<std::int32_t>();
  auto* const out_offsets = result.out_offsets.data_ptr<std::int64_t>();
  for (std::int64_t edge = 0; edge < edges; ++edge) {
    ++out_offsets[in_sources[edge] + 1];
  }
  for (std::int64_t source = 0; source < sources; ++source) {
    out_offsets[source + 1] += out_offsets[source];
  }
  std::vector<std::int64_t> next(out_offsets, out_offsets + sources);
  for (std::int64_t row = 0; row < part.num_rows(); ++row) {
    for (std::int64_t edge = in_offsets[row]; edge < in_offsets[row + 1]; ++edge) {
      const std::int64_t place = next[static_cast<std::size_t>(in_sources[edge])]++;
      result.out_targets.data_ptr<std::int32_t>()[place] = static_cast<std::int32_t>(row);
      result.in_to_out.data_ptr<std::int64_t>()[edge] = place;
    }
  }
  return result;
}

GraphPiece piece_of(const GraphPart& part, std::int64_t all_nodes) {
  GraphPiece piece;
  piece.rows = part.num_rows();
  piece.halo = part.num_halo();
  piece.all_nodes = all_nodes;
  piece.batch.edges = adjacency_of(part);
  piece.batch.features = part.features;
  piece.batch.edge_weights = part.edge_weights;
  piece.batch.graph_offsets = at::zeros({2}, at::kLong);
  piece.batch.graph_offsets.data_ptr<std::int64_t>()[1] = piece.rows;
  return piece;
}

/// In-degrees of halo nodes are known where their edges are.
void fetch_degree_weights(std::vector<GraphPiece>& pieces, PartLinks& links) {
  std::vector<RowTables> rows, halo;
  for (GraphPiece& piece : pieces) {
    piece.degree_weights = at::empty({piece.rows + piece.halo}, at::kFloat);
    piece.degree_weights.narrow(0, 0, piece.rows).copy_(inverse_sqrt_in_degree(piece.batch.edges));
    const at::Tensor column = piece.degree_weights.unsqueeze(1);
    rows.push_back({column.narrow(0, 0, piece.rows)});
    halo.push_back({column.narrow(0, piece.rows, piece.halo)});
  }
  links.fetch(rows, halo);
}

NodeRole role_of(Part part) {
  return part == Part::kTrain ? NodeRole::kTrain : part == Part::kValidation ? NodeRole::kValidation : NodeRole::kTest;
}

}  // namespace

PartedGraph::PartedGraph(const std::filesystem::path& folder, PartsManifest manifest, Group* group)
    : manifest_(std::move(manifest)) {
  const auto parts = static_cast<std::int64_t>(manifest_.parts.size());
  const std::vector<std::int64_t> first = first_parts(parts, group == nullptr ? 1 : group->size());
  const auto rank = static_cast<std::size_t>(group == nullptr ? 0 : group->rank());
  first_part_ = first[rank];
  for (std::int64_t part = first[rank]; part < first[rank + 1]; ++part) {
    parts_.push_back(read_part(folder, manifest_, part));
    pieces_.push_back(piece_of(parts_.back(), manifest_.nodes));
  }
  links_ = std::make_unique<PartLinks>(parts_, parts, group);
  fetch_degree_weights(pieces_, *links_);
}

PartedGraph::Labelled PartedGraph::labelled(std::size_t own, Part role) const {
  Labelled result;
  result.rows = parts_[own].roles.eq(static_cast<std::int64_t>(role_of(role))).nonzero().flatten();
  result.classes = at::index_select(parts_[own].targets, 0, result.rows);
  return result;
}

at::Tensor PartedGraph::class_counts(Part role) {
  std::vector<at::Tensor> counts;
  for (std::size_t own = 0; own < parts_.size(); ++own) {
    counts.push_back(at::bincount(labelled(own, role).classes, {}, manifest_.outputs));
  }
  return links_->gather(counts).sum(0);
}

}  // namespace factorgcn
