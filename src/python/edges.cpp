// Checks before ids are made narrower, then graph/adjacency.h's counting sort.
#include "python/edges.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "factorgcn/base/error.h"
#include "ops/edge_argument.h"
#include "python/classes.h"
#include "python/told.h"

namespace factorgcn::python {
namespace {

using Ids = std::vector<std::int32_t>;

/// int64 [2, E] in main memory.
at::Tensor whole_numbers(const at::Tensor& index) {
  require_usage(index.dim() == 2 && index.size(0) == 2, "edge_index has shape ", index.sizes(),
                "; expected [2, number of edges]: sources above targets");
  require_usage(at::isIntegralType(index.scalar_type(), /*includeBool=*/false), "edge_index holds ",
                index.scalar_type(), "; expected whole numbers (int64)");
  return index.detach().to(at::kCPU, at::kLong).contiguous();
}

/// One more than the largest id.
std::int64_t count_told_by(const at::Tensor& ids) {
  return ids.numel() == 0 ? 0 : std::max<std::int64_t>(ids.max().item<std::int64_t>(), -1) + 1;
}

void check_count(std::int64_t count, const char* of) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  require_usage(count >= 0 && count <= kMost, "there are ", count, " ", of, "; their number must be in 0 .. ", kMost);
}

/// Row `row` of the index as ids, all below `count`.
Ids checked_ids(const at::Tensor& index, std::int64_t row, std::int64_t count, const char* of) {
  const std::int64_t edges = index.size(1);
  const std::int64_t* values = index.data_ptr<std::int64_t>() + row * edges;
  Ids ids(static_cast<std::size_t>(edges));
  for (std::int64_t edge = 0; edge < edges; ++edge) {
    if (values[edge] < 0 || values[edge] >= count) [[unlikely]] {
      throw UsageError(concat("edge_index[", row, "] holds ", values[edge], " at place ", edge, "; with ", count, " ",
                              of, " ids are 0 to ", count - 1));
    }
    ids[static_cast<std::size_t>(edge)] = static_cast<std::int32_t>(values[edge]);
  }
  return ids;
}

at::Tensor checked_weights(const at::Tensor& weight, std::int64_t edges) {
  require_usage(weight.dim() == 1 && weight.size(0) == edges, "edge_weight has shape ", weight.sizes(),
                "; expected a number for each of the ", edges, " edges");
  require_usage(weight.scalar_type() == at::kFloat || weight.scalar_type() == at::kDouble, "edge_weight holds ",
                weight.scalar_type(), "; expected float32 or float64");
  const at::Tensor finite = at::isfinite(weight.detach());
  if (!finite.all().item<bool>()) {
    const auto place = finite.logical_not().to(at::kByte).argmax().item<std::int64_t>();
    throw UsageError(concat("edge_weight holds ", weight.detach()[place].item<double>(), " at place ", place,
                            "; weights must be finite"));
  }
  return weight;
}

/// Loops behind the edges, for nodes of both tables that have none.
void append_loops(std::int64_t nodes, Ids& source, Ids& target) {
  std::vector<char> has_loop(static_cast<std::size_t>(nodes), 0);
  for (std::size_t edge = 0; edge < source.size(); ++edge) {
    if (source[edge] == target[edge]) {
      has_loop[static_cast<std::size_t>(source[edge])] = 1;
    }
  }
  for (std::int32_t node = 0; node < nodes; ++node) {
    if (!has_loop[static_cast<std::size_t>(node)]) {
      source.push_back(node);
      target.push_back(node);
    }
  }
}

/// The place among `target` of each edge in the order of in-edges.
at::Tensor places_in_order(const Adjacency& adjacency, const Ids& target) {
  at::Tensor places = at::empty({adjacency.num_edges()}, at::kLong);
  const auto* offsets = adjacency.in_offsets.data_ptr<std::int64_t>();
  std::vector<std::int64_t> next(offsets, offsets + adjacency.num_targets());
  auto* to = places.data_ptr<std::int64_t>();
  for (std::size_t edge = 0; edge < target.size(); ++edge) {
    to[next[static_cast<std::size_t>(target[edge])]++] = static_cast<std::int64_t>(edge);
  }
  return places;
}

Adjacency moved(const Adjacency& edges, at::Device device) {
  return {edges.in_offsets.to(device), edges.in_sources.to(device), edges.out_offsets.to(device),
          edges.out_targets.to(device), edges.in_to_out.to(device)};
}

}  // namespace

Edges::Edges(const at::Tensor& index, std::int64_t sources, std::int64_t targets, bool add_self_loops,
             const OptionalTensor& weight)
    : given_(index.dim() == 2 ? index.size(1) : 0), square_(targets < 0) {
  const at::Tensor numbers = whole_numbers(index);
  const std::int64_t nodes = sources >= 0 ? sources : count_told_by(square_ ? numbers : numbers[0]);
  const std::int64_t rows = square_ ? nodes : targets;
  check_count(nodes, square_ ? "nodes" : "sources");
  check_count(rows, square_ ? "nodes" : "targets");
  Ids source = checked_ids(numbers, 0, nodes, square_ ? "nodes" : "sources");
  Ids target = checked_ids(numbers, 1, rows, square_ ? "nodes" : "targets");
  if (add_self_loops) {
    append_loops(std::min(nodes, rows), source, target);
  }
  const Adjacency sorted = build_adjacency(nodes, rows, source, target, "edge_index");
  edge_ids_ = places_in_order(sorted, target).to(index.device());
  adjacency_ = moved(sorted, index.device());
  if (weight.has_value()) {
    at::Tensor weights = checked_weights(*weight, given_).to(index.device());
    if (const std::int64_t loops = adjacency_.num_edges() - given_; loops > 0) {
      const at::Tensor mean = given_ > 0 ? weights.detach().mean() : at::ones({}, weights.options());
      weights = at::cat({weights, mean.expand({loops})});
    }
    weights_ = weights.index_select(0, edge_ids_);
  }
}

std::vector<at::Tensor> Edges::lists() const {
  const auto lists = edge_lists(adjacency_);
  return {lists.begin(), lists.end()};
}

at::Tensor Edges::edge_index() const {
  const at::Tensor rows = at::arange(adjacency_.num_targets(), adjacency_.in_offsets.options());
  return at::stack({adjacency_.in_sources.to(at::kLong),
                    rows.repeat_interleave(adjacency_.in_offsets.diff(), 0, adjacency_.num_edges())});
}

Edges::State Edges::state() const {
  at::Tensor places = at::empty_like(edge_ids_);
  places.index_copy_(0, edge_ids_, at::arange(edge_ids_.numel(), edge_ids_.options()));
  const at::Tensor weights = weights_.defined() ? weights_.detach().index_select(0, places) : at::Tensor();
  return {edge_index().index_select(1, places), adjacency_.num_sources(), square_ ? -1 : adjacency_.num_targets(),
          given_, optional(weights)};
}

c10::intrusive_ptr<Edges> Edges::from_state(const State& state) {
  const auto& [index, sources, targets, given, weights] = state;
  auto edges = c10::make_intrusive<Edges>(index, sources, targets, false, weights);
  require_usage(given >= 0 && given <= edges->given_, "the pickle tells of ", given, " given edges of ", edges->given_);
  edges->given_ = given;
  return edges;
}

c10::intrusive_ptr<Edges> Edges::to(const std::string& device) const {
  const at::Device place(device);
  return c10::make_intrusive<Edges>(moved(adjacency_, place), edge_ids_.to(place),
                                    weights_.defined() ? weights_.to(place) : at::Tensor(), given_, square_);
}

void register_edges() {
  using Self = c10::intrusive_ptr<Edges>;
  static const auto edges = torch::class_<Edges>("factorgcn", "Edges")
                                .def(torch::init([](const at::Tensor& index, std::int64_t sources, std::int64_t targets,
                                                    bool add_self_loops, const OptionalTensor& weight) {
                                  return told_of_arguments([&] {
                                    return c10::make_intrusive<Edges>(index, sources, targets, add_self_loops, weight);
                                  });
                                }))
                                .def("num_sources", [](const Self& self) { return self->adjacency().num_sources(); })
                                .def("num_targets", [](const Self& self) { return self->adjacency().num_targets(); })
                                .def("num_edges", [](const Self& self) { return self->adjacency().num_edges(); })
                                .def("num_given", [](const Self& self) { return self->num_given(); })
                                .def("is_square", [](const Self& self) { return self->is_square(); })
                                .def("lists", [](const Self& self) { return self->lists(); })
                                .def("edge_ids", [](const Self& self) { return self->edge_ids(); })
                                .def("edge_index", [](const Self& self) { return self->edge_index(); })
                                .def("edge_weights", [](const Self& self) { return self->weights(); })
                                .def("to", [](const Self& self, const std::string& device) { return self->to(device); })
                                .def_pickle([](const Self& self) { return self->state(); },
                                            [](const Edges::State& state) {
                                              return told_of_arguments([&] { return Edges::from_state(state); });
                                            });
}

}  // namespace factorgcn::python
