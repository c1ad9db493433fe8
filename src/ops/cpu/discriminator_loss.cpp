// discriminator_loss on the CPU: all steps on one tile of whole graphs, then the next tile.
//
// A tile's values lie in scratch memory of the thread that works on it. Kernels that follow edges use node ids of the
// whole batch, so they are handed scratch pointers moved back to where node 0 would lie.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "factorgcn/ops/discriminator_loss.h"
#include "ops/cpu/dispatch.h"
#include "ops/cpu/graph_pieces.h"
#include "ops/cpu/label_loss.h"
#include "ops/cpu/row_ranges.h"
#include "ops/discriminator_loss_schema.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kTileBytes = 256 << 10;  // a good part of the second-level cache
constexpr std::int64_t kMaxBlocks = 64;  // partial sums of the weights' gradients; fixed, so that their sum is too

/// Whole graphs that are worked on together.
struct Tile {
  std::int64_t graph_begin, graph_end;
  std::int64_t node_begin, node_end;

  std::int64_t nodes() const { return node_end - node_begin; }
  std::int64_t graphs() const { return graph_end - graph_begin; }
};

std::vector<Tile> cut_tiles(const std::int64_t* offsets, std::int64_t graphs, std::int64_t most_nodes) {
  std::vector<Tile> tiles;
  for (std::int64_t graph = 0; graph < graphs;) {
    Tile tile{graph, graph + 1, offsets[graph], offsets[graph + 1]};
    while (tile.graph_end < graphs && offsets[tile.graph_end + 1] - tile.node_begin <= most_nodes) {
      tile.node_end = offsets[++tile.graph_end];
    }
    tiles.push_back(tile);
    graph = tile.graph_end;
  }
  return tiles;
}

/// One of the three linear maps: its weights packed for both directions.
template <class T>
struct PackedMap {
  std::int64_t in, out;
  const T* bias;
  std::vector<T> forward, backward;

  PackedMap(const at::Tensor& weight, const at::Tensor& given_bias)
      : in(weight.size(1)), out(weight.size(0)), bias(given_bias.data_ptr<T>()) {
    const auto& kernel = kernels().of<T>();
    const T* values = weight.data_ptr<T>();
    forward.resize(static_cast<std::size_t>(kernel.panels_size(in, out)));
    kernel.pack_panels(values, 1, in, in, out, forward.data());
    backward.resize(static_cast<std::size_t>(kernel.panels_size(out, in)));
    kernel.pack_panels(values, in, 1, out, in, backward.data());
  }

  DenseProblem<T> problem() const {
    DenseProblem<T> p;
    p.in = in;
    p.out = out;
    p.bias = bias;
    p.forward_panels = forward.data();
    p.backward_panels = backward.data();
    return p;
  }
  std::int64_t partial_size() const { return out * kernels().of<T>().partial_stride(in); }
};

/// Sums of the gradients of one map's weights over a block of tiles.
template <class T>
struct MapPartial {
  std::vector<T> weight, bias;

  explicit MapPartial(const PackedMap<T>& map)
      : weight(static_cast<std::size_t>(map.partial_size())), bias(static_cast<std::size_t>(map.out)) {}

  void add_to(const PackedMap<T>& map, at::Tensor& grad_weight, at::Tensor& grad_bias) const {
    const auto& kernel = kernels().of<T>();
    kernel.unpack_partial(weight.data(), map.out, map.in, grad_weight.data_ptr<T>());
    kernel.add_rows(bias.data(), 1, map.out, grad_bias.data_ptr<T>());
  }
};

/// All that a walk over the tiles reads and writes.
template <class T>
struct Problem {
  std::int64_t factors, width, narrow, graphs;
  bool from_output;
  AggregateProblem<T> edges;  // without tables
  const std::int64_t* graph_offsets;
  const T* x;
  const T* gate_sum;
  PackedMap<T> first, second, classifier;
  T* grad_x;
  T* grad_gate_sum;
  T* grad_left;
  T* grad_right;
};

/// Works on one tile after the other; its scratch is reused.
template <class T>
class TileWorker {
 public:
  TileWorker(const Problem<T>& problem, std::int64_t most_nodes, std::int64_t most_graphs, std::int64_t most_edges)
      : problem_(problem),
        kernel_(kernels().of<T>()),
        first(problem.first),
        second(problem.second),
        classifier(problem.classifier) {
    const std::int64_t k = problem.factors, m = problem.narrow, d = problem.width;
    const auto reserve = [](std::vector<T>& values, std::int64_t count) {
      values.resize(static_cast<std::size_t>(count));
    };
    reserve(mapped_, most_nodes * m);
    reserve(grad_mapped_, most_nodes * m);
    reserve(p1_, most_nodes * k * m);
    reserve(grad_p1_, most_nodes * k * m);
    reserve(sums_, most_nodes * k * m);
    reserve(grad_sums_, most_nodes * k * m);
    reserve(p2_, most_nodes * k * d);
    reserve(means_, most_graphs * k * d);
    reserve(grad_means_, most_graphs * k * d);
    reserve(logits_, most_graphs * k * k);
    reserve(grad_logits_, most_graphs * k * k);
    reserve(edge_logits_, most_edges * k);
    reserve(gate_scratch_, most_nodes * k);
    reserve(dense_scratch_, kDenseTileRows * std::max({d, m, k}));
  }

  void run(const Tile& tile) {
    tile_ = tile;
    convolve();
    judge();
    convolve_backward();
  }

 private:
  const Problem<T>& problem_;
  const KernelSet<T>& kernel_;
  Tile tile_{};
  std::vector<T> mapped_, grad_mapped_, p1_, grad_p1_, sums_, grad_sums_, p2_, means_, grad_means_, logits_,
      grad_logits_, edge_logits_, gate_scratch_, dense_scratch_;

 public:
  MapPartial<T> first, second, classifier;
  double loss = 0;

 private:
  std::int64_t rows() const { return tile_.nodes() * problem_.factors; }
  const T* tile_gate_sum() const { return problem_.gate_sum + tile_.node_begin * problem_.factors; }

  /// Where a table [N, columns] would begin if `scratch` held the tile's rows of it.
  T* as_table(std::vector<T>& scratch, std::int64_t columns) const {
    return scratch.data() - tile_.node_begin * columns;
  }

  void aggregate(std::vector<T>& x, bool each, std::vector<T>& out) {
    const std::int64_t m = problem_.narrow, k = problem_.factors;
    AggregateProblem<T> p = problem_.edges;
    p.num_tables = 1;
    p.tables[0].each = each;
    p.tables[0].width = m;
    p.tables[0].x = as_table(x, each ? k * m : m);
    p.tables[0].out = as_table(out, k * m);
    kernel_.aggregate_rows(p, tile_.node_begin, tile_.node_end);
  }

  /// Writes the gates' gradients to grad_left and grad_right, or adds to what is there.
  void aggregate_backward(std::vector<T>& x, bool each, std::vector<T>& grad_out, std::vector<T>& grad_x, bool add) {
    const std::int64_t m = problem_.narrow, k = problem_.factors, begin = tile_.node_begin;
    AggregateProblem<T> p = problem_.edges;
    p.num_tables = 1;
    p.tables[0].each = each;
    p.tables[0].width = m;
    p.tables[0].x = as_table(x, each ? k * m : m);
    p.tables[0].grad_out = as_table(grad_out, k * m);
    p.tables[0].grad_x = as_table(grad_x, each ? k * m : m);
    p.grad_logits = edge_logits_.data() - p.out_offsets[begin] * k;
    T* const scratch = as_table(gate_scratch_, k);
    p.grad_left = add ? scratch : problem_.grad_left;
    kernel_.aggregate_backward_sources(p, begin, tile_.node_end);
    if (add) {
      add_rows_to(problem_.grad_left);
    }
    p.grad_right = add ? scratch : problem_.grad_right;
    kernel_.aggregate_backward_targets(p, begin, tile_.node_end);
    if (add) {
      add_rows_to(problem_.grad_right);
    }
  }

  void add_rows_to(T* table) {
    T* const to = table + tile_.node_begin * problem_.factors;
    for (std::int64_t i = 0; i < rows(); ++i) {
      to[i] += gate_scratch_[static_cast<std::size_t>(i)];
    }
  }

  DenseProblem<T> first_problem() {
    const std::int64_t d = problem_.width, begin = tile_.node_begin;
    DenseProblem<T> p = problem_.first.problem();
    if (problem_.from_output) {
      p.x = problem_.x + begin * problem_.factors * d;
      p.bias_scale = tile_gate_sum();
      p.tanh = true;
      p.y = p1_.data();
    } else {
      p.x = problem_.x + begin * d;
      p.y = mapped_.data();
    }
    return p;
  }

  DenseProblem<T> second_problem() {
    DenseProblem<T> p = problem_.second.problem();
    p.x = sums_.data();
    p.bias_scale = tile_gate_sum();
    p.tanh = true;
    p.y = p2_.data();
    return p;
  }

  void convolve() {
    if (problem_.from_output) {
      kernel_.dense_rows(first_problem(), 0, rows());
    } else {
      kernel_.dense_rows(first_problem(), 0, tile_.nodes());
      aggregate(mapped_, false, p1_);
      kernel_.tanh_values(p1_.data(), p1_.data(), rows() * problem_.narrow);
    }
    aggregate(p1_, true, sums_);
    kernel_.dense_rows(second_problem(), 0, rows());
  }

  /// From p2 to the loss, and back to the gradient of each graph's mean.
  void judge() {
    const std::int64_t k = problem_.factors, columns = k * problem_.width;
    std::fill_n(means_.begin(), tile_.graphs() * columns, T(0));
    for (std::int64_t g = 0; g < tile_.graphs(); ++g) {
      const std::int64_t begin = problem_.graph_offsets[tile_.graph_begin + g];
      const std::int64_t count = problem_.graph_offsets[tile_.graph_begin + g + 1] - begin;
      T* const mean = means_.data() + g * columns;
      kernel_.add_rows(p2_.data() + (begin - tile_.node_begin) * columns, count, columns, mean);
      const T share = T(1) / static_cast<T>(std::max<std::int64_t>(count, 1));
      for (std::int64_t c = 0; c < columns; ++c) {
        mean[c] *= share;
      }
    }
    kernel_.tanh_values(means_.data(), means_.data(), tile_.graphs() * columns);

    const std::int64_t judged = tile_.graphs() * k;
    DenseProblem<T> p = problem_.classifier.problem();
    p.x = means_.data();
    p.y = logits_.data();
    kernel_.dense_rows(p, 0, judged);
    const T share = T(1) / static_cast<T>(problem_.graphs * k);
    for (std::int64_t row = 0; row < judged; ++row) {
      loss += label_loss(logits_.data() + row * k, k, row % k, share, grad_logits_.data() + row * k);
    }
    p.grad_y = grad_logits_.data();
    p.grad_x = grad_means_.data();
    kernel_.dense_backward_rows(p, 0, judged, classifier.weight.data(), classifier.bias.data(), dense_scratch_.data());
    kernel_.tanh_backward(means_.data(), grad_means_.data(), grad_means_.data(), tile_.graphs() * columns);
  }

  void convolve_backward() {
    const std::int64_t k = problem_.factors, begin = tile_.node_begin;
    T* const grad_gate_sum = problem_.grad_gate_sum + begin * k;
    DenseProblem<T> p = second_problem();
    p.y_seen = p2_.data();
    p.grad_x = grad_sums_.data();
    p.grad_bias_scale = grad_gate_sum;
    p.pool_period = k;
    for (std::int64_t g = 0; g < tile_.graphs(); ++g) {
      const std::int64_t first_node = problem_.graph_offsets[tile_.graph_begin + g];
      const std::int64_t last_node = problem_.graph_offsets[tile_.graph_begin + g + 1];
      p.grad_y = grad_means_.data() + g * k * problem_.width;
      p.pool_scale = T(1) / static_cast<T>(std::max<std::int64_t>(last_node - first_node, 1));
      kernel_.dense_backward_rows(p, (first_node - begin) * k, (last_node - begin) * k, second.weight.data(),
                                  second.bias.data(), dense_scratch_.data());
    }
    aggregate_backward(p1_, true, grad_sums_, grad_p1_, false);
    if (problem_.from_output) {
      DenseProblem<T> q = first_problem();
      q.y_seen = p1_.data();
      q.grad_y = grad_p1_.data();
      q.grad_x = problem_.grad_x + begin * k * problem_.width;
      q.grad_bias_scale = gate_scratch_.data();
      kernel_.dense_backward_rows(q, 0, rows(), first.weight.data(), first.bias.data(), dense_scratch_.data());
      add_rows_to(problem_.grad_gate_sum);
    } else {
      kernel_.tanh_backward(p1_.data(), grad_p1_.data(), grad_p1_.data(), rows() * problem_.narrow);
      aggregate_backward(mapped_, false, grad_p1_, grad_mapped_, true);
      DenseProblem<T> q = first_problem();
      q.grad_y = grad_mapped_.data();
      q.grad_x = problem_.grad_x + begin * problem_.width;
      kernel_.dense_backward_rows(q, 0, tile_.nodes(), first.weight.data(), first.bias.data(), dense_scratch_.data());
    }
  }
};

void check_shape(const char* name, const at::Tensor& tensor, at::IntArrayRef shape, const at::Tensor& like) {
  require(tensor.defined() && tensor.sizes() == shape && tensor.scalar_type() == like.scalar_type(),
          "discriminator_loss: ", name, " has shape ", tensor.sizes(), ", expected ", shape, " of type ",
          like.scalar_type());
}

std::vector<at::Tensor> discriminator_loss_cpu(
    const at::Tensor& x_given, const at::Tensor& gate_sum_given, const at::Tensor& left_given,
    const at::Tensor& right_given, const at::Tensor& first_weight, const at::Tensor& first_bias,
    const at::Tensor& second_weight, const at::Tensor& second_bias, const at::Tensor& classifier_weight,
    const at::Tensor& classifier_bias, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
    const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
    const at::Tensor& out_targets, const at::Tensor& in_to_out, const at::Tensor& graph_offsets, double gate_scale) {
  require(x_given.dim() == 2 || x_given.dim() == 3, "discriminator_loss: x must be [nodes, d] or [nodes, factors, d]");
  require(first_weight.dim() == 2 && classifier_weight.dim() == 2, "discriminator_loss: weights must be matrices");
  const at::Tensor x = x_given.contiguous(), gate_sum = gate_sum_given.contiguous();
  const bool from_output = x.dim() == 3;
  const std::int64_t nodes = x.size(0), width = x.size(-1), narrow = first_weight.size(0);
  const std::int64_t factors = classifier_weight.size(0);
  if (from_output) {
    check_shape("x", x, {nodes, factors, width}, x);
  }
  check_shape("gate_sum", gate_sum, {nodes, factors}, x);
  check_shape("left", left_given, {nodes, factors}, x);
  check_shape("right", right_given, {nodes, factors}, x);
  check_shape("first_weight", first_weight, {narrow, width}, x);
  check_shape("first_bias", first_bias, {narrow}, x);
  check_shape("second_weight", second_weight, {width, narrow}, x);
  check_shape("second_bias", second_bias, {width}, x);
  check_shape("classifier_weight", classifier_weight, {factors, width}, x);
  check_shape("classifier_bias", classifier_bias, {factors}, x);
  require(factors <= kMaxFactors, "discriminator_loss: ", factors, " factors; at most ", kMaxFactors, " are supported");
  at::Tensor left = left_given, right = right_given;
  if (left.stride(1) != 1 || right.stride(1) != 1 || left.stride(0) != right.stride(0) || left.stride(0) < factors) {
    left = left.contiguous();
    right = right.contiguous();
  }
  const std::int64_t graphs = check_graph_offsets("discriminator_loss", graph_offsets, nodes);
  require(graphs >= 1, "discriminator_loss: there are no graphs");
  require(in_offsets.numel() == nodes + 1 && out_offsets.numel() == nodes + 1, "discriminator_loss: the edges are of ",
          in_offsets.numel() - 1, " nodes, expected ", nodes);

  at::Tensor loss = at::empty({}, x.options()), grad_x = at::empty(x.sizes(), x.options());
  at::Tensor grad_gate_sum = at::empty(gate_sum.sizes(), x.options());
  at::Tensor grad_left = at::empty(gate_sum.sizes(), x.options()),
             grad_right = at::empty(gate_sum.sizes(), x.options());
  std::vector<at::Tensor> parameters{first_weight, first_bias,        second_weight,
                                     second_bias,  classifier_weight, classifier_bias};
  std::vector<at::Tensor> gradients;
  for (at::Tensor& parameter : parameters) {
    parameter = parameter.contiguous();
    gradients.push_back(at::zeros(parameter.sizes(), x.options()));
  }
  with_floating(x, "discriminator_loss", [&](auto scalar) {
    using T = decltype(scalar);
    Problem<T> problem{factors,
                       width,
                       narrow,
                       graphs,
                       from_output,
                       {},
                       graph_offsets.data_ptr<std::int64_t>(),
                       x.data_ptr<T>(),
                       gate_sum.data_ptr<T>(),
                       {parameters[0], parameters[1]},
                       {parameters[2], parameters[3]},
                       {parameters[4], parameters[5]},
                       grad_x.data_ptr<T>(),
                       grad_gate_sum.data_ptr<T>(),
                       grad_left.data_ptr<T>(),
                       grad_right.data_ptr<T>()};
    AggregateProblem<T>& edges = problem.edges;
    edges.factors = factors;
    edges.gate_scale = static_cast<T>(gate_scale);
    edges.in_offsets = in_offsets.data_ptr<std::int64_t>();
    edges.in_sources = in_sources.data_ptr<std::int32_t>();
    edges.out_offsets = out_offsets.data_ptr<std::int64_t>();
    edges.out_targets = out_targets.data_ptr<std::int32_t>();
    edges.in_to_out = in_to_out.data_ptr<std::int64_t>();
    edges.left = left.data_ptr<T>();
    edges.right = right.data_ptr<T>();
    edges.gate_stride = left.stride(0);
    edges.source_weight = values_or_null<T>(value_or_undefined(source_weight));
    edges.target_weight = values_or_null<T>(value_or_undefined(target_weight));

    const std::int64_t node_bytes =
        static_cast<std::int64_t>(sizeof(T)) * (2 * narrow + factors * (4 * narrow + width + 1));
    const std::int64_t tile_nodes = std::max<std::int64_t>(kTileBytes / node_bytes, 1);
    const std::vector<Tile> tiles = cut_tiles(problem.graph_offsets, graphs, tile_nodes);
    std::int64_t most_nodes = 0, most_graphs = 0, most_edges = 0;
    for (const Tile& tile : tiles) {
      most_nodes = std::max(most_nodes, tile.nodes());
      most_graphs = std::max(most_graphs, tile.graphs());
      most_edges = std::max(most_edges, edges.out_offsets[tile.node_end] - edges.out_offsets[tile.node_begin]);
    }
    const auto count = static_cast<std::int64_t>(tiles.size());
    const std::int64_t block_tiles = (count + kMaxBlocks - 1) / kMaxBlocks;
    const std::int64_t blocks = (count + block_tiles - 1) / block_tiles;
    std::vector<std::vector<MapPartial<T>>> partials(static_cast<std::size_t>(blocks));
    std::vector<double> losses(static_cast<std::size_t>(blocks));
    parallel_rows(count, block_tiles, [&](std::int64_t begin, std::int64_t end) {
      TileWorker<T> worker(problem, most_nodes, most_graphs, most_edges);
      for (std::int64_t tile = begin; tile < end; ++tile) {
        worker.run(tiles[static_cast<std::size_t>(tile)]);
      }
      const auto block = static_cast<std::size_t>(begin / block_tiles);
      partials[block] = {std::move(worker.first), std::move(worker.second), std::move(worker.classifier)};
      losses[block] = worker.loss;
    });
    const std::array maps{&problem.first, &problem.second, &problem.classifier};
    for (const auto& block : partials) {
      for (std::size_t map = 0; map < maps.size(); ++map) {
        block[map].add_to(*maps[map], gradients[2 * map], gradients[2 * map + 1]);
      }
    }
    loss.fill_(std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(graphs * factors));
  });
  std::vector<at::Tensor> results{loss, grad_x, grad_gate_sum, grad_left, grad_right};
  results.insert(results.end(), gradients.begin(), gradients.end());
  return results;
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) { library.impl("discriminator_loss", discriminator_loss_cpu); }

}  // namespace
}  // namespace factorgcn::cpu
