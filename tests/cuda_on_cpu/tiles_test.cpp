// A layer and its discriminator on tiles of whole graphs (ops/cuda/graph_tile.h), against the composed operations on
// the CPU. float32 includes the widths that kernels know when compiling and the products of the tensor cores.
#include <ATen/TensorOperators.h>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/dense_pool.h"
#include "factorgcn/ops/factor_aggregate.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "ops/cuda/graph_tile.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

struct TileCase {
  std::vector<std::int64_t> sizes;
  std::int64_t real;
  int in, width, factors;
  bool weighted;
};

/// Small graphs, an empty one, and one that is too large for shared memory.
std::vector<std::int64_t> mixed_sizes(int graphs) {
  std::vector<std::int64_t> sizes;
  for (int g = 0; g < graphs; ++g) {
    sizes.push_back(g == 3 ? 0 : (g == 5 ? 120 : 2 + g % 9));
  }
  return sizes;
}

template <class T>
std::vector<TileCase> cases() {
  std::vector<TileCase> all{{mixed_sizes(12), 12, 7, 5, 3, true}, {mixed_sizes(9), 6, 4, 1, 2, false}};
  all.push_back({std::vector<std::int64_t>(420, 2), 420, 3, 12, 2, true});  // more graphs than blocks
  if constexpr (std::is_same_v<T, float>) {
    all.push_back({mixed_sizes(12), 10, 15, 8, 4, true});
    all.push_back({mixed_sizes(8), 8, 36, 18, 8, false});
    all.push_back({{9, 20, 31}, 3, 144, 36, 4, true});
    all.push_back({{9, 20, 31}, 3, 144, 72, 2, true});
  }
  return all;
}

template <class T>
struct Problem {
  TileCase given;
  RandomStream random{29, "test"};
  at::Tensor offsets, real_graphs;
  Adjacency edges;
  NodeWeights weights;
  at::Tensor x, weight, bias, gate_weight, gate_bias;
  std::vector<at::Tensor> judge;
  at::Tensor grad_out, other_hidden, other_gates, other_scale;
  double gate_scale = 1.25;

  explicit Problem(TileCase the_case) : given(std::move(the_case)) {
    edges = graphs_side_by_side(given.sizes, 3, random, offsets);
    real_graphs = given.real < graphs() ? integers({given.real}) : at::Tensor();
    const std::int64_t width = given.width, factors = given.factors, narrow = width > 3 ? width / 2 : 1;
    x = values({nodes(), given.in});
    weight = values({width, given.in});
    bias = values({width});
    gate_weight = values({2 * factors, width});
    gate_bias = values({2 * factors});
    judge = {values({narrow, width}), values({narrow}),         values({width, narrow}),
             values({width}),         values({factors, width}), values({factors})};
    grad_out = values({nodes(), factors, width});
    other_hidden = values({nodes(), width});
    other_gates = values({nodes(), 2 * factors});
    other_scale = values({1});
    if (given.weighted) {
      weights = {values({nodes()}) + 1.2, values({nodes()}) + 1.2};
    }
  }
  std::int64_t graphs() const { return static_cast<std::int64_t>(given.sizes.size()); }
  std::int64_t nodes() const { return edges.num_nodes(); }
  at::Tensor values(at::IntArrayRef shape) { return random_tensor(shape, random, kTypeOf<T>, 0.7); }

  NodeWeights exact_weights() const {
    return given.weighted ? NodeWeights{weights.source.to(at::kDouble), weights.target.to(at::kDouble)} : NodeWeights{};
  }

  TileGraphs<T> tile_graphs() const {
    TileGraphs<T> g;
    g.graphs = graphs();
    g.nodes = nodes();
    g.edges = edges.num_edges();
    g.factors = given.factors;
    g.gate_scale = static_cast<T>(gate_scale);
    g.graph_offsets = place<std::int64_t>(offsets);
    g.in_offsets = place<std::int64_t>(edges.in_offsets);
    g.out_offsets = place<std::int64_t>(edges.out_offsets);
    g.in_sources = place<std::int32_t>(edges.in_sources);
    g.out_targets = place<std::int32_t>(edges.out_targets);
    g.source_weight = place<T>(weights.source);
    g.target_weight = place<T>(weights.target);
    g.real_graphs = place<std::int64_t>(real_graphs);
    return g;
  }

  LayerTiles<T> layer(const at::Tensor& hidden, const at::Tensor& gates) const {
    LayerTiles<T> p;
    p.graphs = tile_graphs();
    p.in = given.in;
    p.width = given.width;
    p.x = place<T>(x);
    p.weight = place<T>(weight);
    p.bias = place<T>(bias);
    p.gate_weight = place<T>(gate_weight);
    p.gate_bias = place<T>(gate_bias);
    p.hidden = place<T>(hidden);
    p.gates = place<T>(gates);
    return p;
  }
};

at::Tensor bytes(std::size_t count) {
  at::Tensor room = at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions().dtype(at::kByte));
  room.fill_(0xff);
  return room;
}

/// Splits the blocks' sums, added up, into the maps [rows, columns + 1] that lie behind each other.
Results split_maps(const at::Tensor& partials, int blocks, const std::vector<at::Tensor>& like) {
  const at::Tensor sums = partials.to(at::kDouble).view({blocks, -1}).sum(0);
  Results results;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < like.size(); i += 2) {
    const std::int64_t rows = like[i].size(0), columns = like[i].size(1);
    const at::Tensor map = sums.narrow(0, offset, rows * (columns + 1)).view({rows, columns + 1});
    results.push_back({"grad weight " + std::to_string(i / 2), map.narrow(1, 0, columns).contiguous()});
    results.push_back({"grad bias " + std::to_string(i / 2), map.select(1, columns).contiguous()});
    offset += map.numel();
  }
  EXPECT_EQ(offset, sums.numel());
  return results;
}

template <class T>
class TileKernel : public ::testing::Test {};
TYPED_TEST_SUITE(TileKernel, FloatTypes);

std::string describe(const TileCase& c) {
  return std::to_string(c.sizes.size()) + " graphs, " + std::to_string(c.in) + " to " + std::to_string(c.width) + ", " +
         std::to_string(c.factors) + " factors";
}

TYPED_TEST(TileKernel, LayerForwardAndBackwardEqualTheCpu) {
  using T = TypeParam;
  for (const TileCase& given : cases<T>()) {
    SCOPED_TRACE(describe(given));
    const Problem<T> problem(given);
    const at::Tensor x = exact(problem.x), weight = exact(problem.weight), bias = exact(problem.bias),
                     gate_weight = exact(problem.gate_weight), gate_bias = exact(problem.gate_bias);
    const at::Tensor hidden = dense(x, weight, bias), gates = dense(hidden, gate_weight, gate_bias);
    const auto halves = gates.split(given.factors, 1);
    const at::Tensor out =
        factor_aggregate(problem.edges, hidden, halves[0], halves[1], problem.exact_weights(), problem.gate_scale).out;
    const at::Tensor scale = problem.other_scale.to(at::kDouble);
    const std::vector<at::Tensor> gradients = gradients_of(
        {out, hidden, gates},
        {problem.grad_out, problem.other_hidden.to(at::kDouble) * scale, problem.other_gates.to(at::kDouble) * scale},
        {x, weight, bias, gate_weight, gate_bias});

    const auto forward = [&] {
      Results results{{"hidden", unwritten<T>(hidden.sizes())},
                      {"gates", unwritten<T>(gates.sizes())},
                      {"out", unwritten<T>(out.sizes())}};
      auto p = problem.layer(results[0].values, results[1].values);
      p.out = place<T>(results[2].values);
      const TilePlan plan = plan_layer_forward(p);
      EXPECT_TRUE(plan.fits);
      const at::Tensor scratch = bytes(plan.scratch);
      p.scratch = scratch.data_ptr();
      run_layer_forward(p, plan, nullptr);
      return results;
    };
    expect_results<T>(in_any_order(forward), {hidden, gates, out});

    const at::Tensor seen_hidden = hidden.detach().to(kTypeOf<T>), seen_gates = gates.detach().to(kTypeOf<T>);
    const auto backward = [&] {
      Results results{{"grad x", unwritten<T>(x.sizes())}};
      auto p = problem.layer(seen_hidden, seen_gates);
      const TilePlan plan = plan_layer_backward(p);
      EXPECT_TRUE(plan.fits);
      const at::Tensor scratch = bytes(plan.scratch), partials = unwritten<T>({plan.partials});
      p.scratch = scratch.data_ptr();
      p.grad_out = place<T>(problem.grad_out);
      p.other_hidden = place<T>(problem.other_hidden);
      p.other_gates = place<T>(problem.other_gates);
      p.other_scale = place<T>(problem.other_scale);
      p.grad_x = place<T>(results[0].values);
      p.partials = place<T>(partials);
      run_layer_backward(p, plan, nullptr);
      const Results maps =
          split_maps(partials, plan.blocks, {problem.weight, problem.bias, problem.gate_weight, problem.gate_bias});
      results.insert(results.end(), maps.begin(), maps.end());
      return results;
    };
    expect_results<T>(in_any_order(backward), gradients);
  }
}

TYPED_TEST(TileKernel, DiscriminatorEqualsTheCpu) {
  using T = TypeParam;
  for (const TileCase& given : cases<T>()) {
    SCOPED_TRACE(describe(given));
    Problem<T> problem(given);
    const at::Tensor seen_hidden = problem.other_hidden, seen_gates = problem.other_gates;
    const at::Tensor hidden = exact(seen_hidden), gates = exact(seen_gates);
    std::vector<at::Tensor> inputs{hidden, gates};
    for (const at::Tensor& map : problem.judge) {
      inputs.push_back(exact(map));
    }
    const auto halves = gates.split(given.factors, 1);
    const NodeWeights weights = problem.exact_weights();
    const auto first = factor_aggregate(problem.edges, hidden, halves[0], halves[1], weights, problem.gate_scale);
    const at::Tensor p1 = dense(first.out, inputs[2], inputs[3], first.gate_sum, Activation::kTanh);
    const at::Tensor sums = factor_aggregate_each(problem.edges, p1, halves[0], halves[1], weights, problem.gate_scale);
    const at::Tensor means = dense_pool(sums, inputs[4], inputs[5], first.gate_sum, problem.offsets);
    const at::Tensor loss =
        factor_label_loss(dense(activate(means, Activation::kTanh), inputs[6], inputs[7]), problem.real_graphs);
    std::vector<at::Tensor> expected = gradients_of({loss}, {at::full({}, 1.0, loss.options())}, inputs);
    expected.insert(expected.begin(), loss);

    const auto run = [&] {
      Results results{{"loss", unwritten<T>({})},
                      {"grad hidden", unwritten<T>(hidden.sizes())},
                      {"grad gates", unwritten<T>(gates.sizes())}};
      DiscriminatorTiles<T> p;
      p.graphs = problem.tile_graphs();
      p.width = given.width;
      p.narrow = static_cast<int>(problem.judge[0].size(0));
      p.hidden = place<T>(seen_hidden);
      p.gates = place<T>(seen_gates);
      p.first_weight = place<T>(problem.judge[0]);
      p.first_bias = place<T>(problem.judge[1]);
      p.second_weight = place<T>(problem.judge[2]);
      p.second_bias = place<T>(problem.judge[3]);
      p.classifier_weight = place<T>(problem.judge[4]);
      p.classifier_bias = place<T>(problem.judge[5]);
      const TilePlan plan = plan_discriminator(p);
      EXPECT_TRUE(plan.fits);
      const at::Tensor scratch = bytes(plan.scratch), partials = unwritten<T>({plan.partials}),
                       losses = unwritten<double>({problem.graphs()});
      p.scratch = scratch.data_ptr();
      p.partials = place<T>(partials);
      p.losses = place<double>(losses);
      p.grad_hidden = place<T>(results[1].values);
      p.grad_gates = place<T>(results[2].values);
      run_discriminator(p, plan, place<T>(results[0].values), nullptr);
      const Results maps = split_maps(partials, plan.blocks, problem.judge);
      results.insert(results.end(), maps.begin(), maps.end());
      return results;
    };
    expect_results<T>(in_any_order(run), expected);
  }
}

}  // namespace
}  // namespace factorgcn::cuda
