// Builds and checks the two orders of a directed edge list. Cost: O(N + E), no comparison sort.
#include "factorgcn/graph/adjacency.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <limits>
#include <numeric>
#include <vector>

#include "factorgcn/base/error.h"
#include "graph/edge_orders.h"
#include "graph/tensor_checks.h"

namespace factorgcn {

namespace {

void check_node_count(std::int64_t count, const char* what, const std::string& name) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  require(count >= 0 && count <= kMost, name, ": ", count, " ", what, "; the number of ", what, " must be in 0 .. ",
          kMost);
}

/// Both orders; `refuse(edge)` throws for an edge whose ids are out of range.
template <class Refuse>
Adjacency sort_edges(std::int64_t sources, std::int64_t targets, std::span<const std::int32_t> source,
                     std::span<const std::int32_t> target, const std::string& name, const Refuse& refuse) {
  require(source.size() == target.size(), name, ": ", source.size(), " edge sources but ", target.size(),
          " edge targets; there must be as many");
  const auto num_edges = static_cast<std::int64_t>(source.size());

  Adjacency adjacency;
  adjacency.in_offsets = at::zeros({targets + 1}, at::kLong);
  adjacency.out_offsets = at::zeros({sources + 1}, at::kLong);
  adjacency.in_sources = at::empty({num_edges}, at::kInt);
  adjacency.out_targets = at::empty({num_edges}, at::kInt);
  adjacency.in_to_out = at::empty({num_edges}, at::kLong);
  auto* in_offsets = adjacency.in_offsets.data_ptr<std::int64_t>();
  auto* out_offsets = adjacency.out_offsets.data_ptr<std::int64_t>();

  for (std::size_t edge = 0; edge < source.size(); ++edge) {
    const std::int32_t from = source[edge];
    const std::int32_t to = target[edge];
    if (from < 0 || from >= sources || to < 0 || to >= targets) [[unlikely]] {
      refuse(edge);
    }
    ++in_offsets[to + 1];
    ++out_offsets[from + 1];
  }
  std::partial_sum(in_offsets, in_offsets + targets + 1, in_offsets);
  std::partial_sum(out_offsets, out_offsets + sources + 1, out_offsets);
  std::vector<std::int64_t> in_next(in_offsets, in_offsets + targets);
  std::vector<std::int64_t> out_next(out_offsets, out_offsets + sources);
  place_edges(source, target, in_next.data(), out_next.data(), adjacency.in_sources.data_ptr<std::int32_t>(),
              adjacency.out_targets.data_ptr<std::int32_t>(), adjacency.in_to_out.data_ptr<std::int64_t>());
  return adjacency;
}

}  // namespace

Adjacency build_adjacency(std::int64_t num_nodes, std::span<const std::int32_t> source,
                          std::span<const std::int32_t> target, const std::string& name) {
  check_node_count(num_nodes, "nodes", name);
  return sort_edges(num_nodes, num_nodes, source, target, name, [&](std::size_t edge) {
    fail(name, ": edge ", edge, " goes from node ", source[edge], " to node ", target[edge], ", but there are ",
         num_nodes, " nodes; ids must be in 0 .. ", num_nodes - 1);
  });
}

Adjacency build_adjacency(std::int64_t num_sources, std::int64_t num_targets, std::span<const std::int32_t> source,
                          std::span<const std::int32_t> target, const std::string& name) {
  check_node_count(num_sources, "sources", name);
  check_node_count(num_targets, "targets", name);
  return sort_edges(num_sources, num_targets, source, target, name, [&](std::size_t edge) {
    fail(name, ": edge ", edge, " goes from source ", source[edge], " to target ", target[edge], ", but there are ",
         num_sources, " sources and ", num_targets, " targets; ids must be in 0 .. ", num_sources - 1, " and 0 .. ",
         num_targets - 1);
  });
}

void check_adjacency(const Adjacency& adjacency, const std::string& name) {
  require(adjacency.in_offsets.defined() && adjacency.in_offsets.numel() > 0, name,
          ": in_offsets is missing or empty; it needs one more entry than there are nodes");
  require(adjacency.in_sources.defined(), name, ": in_sources is missing");
  const std::int64_t nodes = adjacency.num_nodes();
  const std::int64_t edges = adjacency.num_edges();
  require_vector(adjacency.in_offsets, at::kLong, nodes + 1, name, "in_offsets");
  require_vector(adjacency.in_sources, at::kInt, edges, name, "in_sources");
  require_vector(adjacency.out_offsets, at::kLong, nodes + 1, name, "out_offsets");
  require_vector(adjacency.out_targets, at::kInt, edges, name, "out_targets");
  require_vector(adjacency.in_to_out, at::kLong, edges, name, "in_to_out");
  std::vector<char> seen;
  check_edge_orders(EdgeOrders<std::int64_t>{nodes, edges, adjacency.in_offsets.data_ptr<std::int64_t>(),
                                             adjacency.in_sources.data_ptr<std::int32_t>(),
                                             adjacency.out_offsets.data_ptr<std::int64_t>(),
                                             adjacency.out_targets.data_ptr<std::int32_t>(),
                                             adjacency.in_to_out.data_ptr<std::int64_t>()},
                    seen, [&]() -> const std::string& { return name; });
}

at::Tensor inverse_sqrt_in_degree(const Adjacency& adjacency, at::ScalarType type) {
  require(at::isFloatingType(type), "inverse_sqrt_in_degree(): the type ", c10::toString(type),
          " is no floating type; ask for Float or Double");
  require(adjacency.in_offsets.defined(), "inverse_sqrt_in_degree(): in_offsets is missing");
  // Tensor operations, so that it works wherever the adjacency lives; in double, so that float results are rounded
  // once.
  const at::Tensor& offsets = adjacency.in_offsets;
  const std::int64_t targets = adjacency.num_targets();
  at::Tensor degrees = offsets.narrow(0, 1, targets).sub(offsets.narrow(0, 0, targets)).clamp_min_(1).to(at::kDouble);
  return degrees.sqrt_().reciprocal_().to(type);
}

}  // namespace factorgcn
