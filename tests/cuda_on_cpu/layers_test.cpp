// The GPU's layer_in_rows and layer_in_tiles as they are called there, discriminators on streams of their own, with
// tensors on the CPU in place of the GPU's: values and gradients against the composed operations in float64, at every
// pace of the streams and with the same bits in all of them (stream_memory.h).
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "cuda_on_cpu/device_arrays.h"
#include "cuda_on_cpu/glue/batch_norm.h"
#include "cuda_on_cpu/glue/late_losses.h"
#include "cuda_on_cpu/glue/layer_weights.h"
#include "cuda_on_cpu/stream_memory.h"
#include "ops/composed_layer.h"
#include "ops/cuda/aggregate_inputs.h"
#include "ops/put_off.h"

namespace factorgcn::cuda_on_cpu {
namespace {

using namespace factorgcn::testing;
using Tensors = std::vector<at::Tensor>;
using Layer = LayerStep (*)(const GraphBatch&, const at::Tensor&, const LayerWeights&, const DiscriminatorWeights*,
                            const NodeWeights&, double, bool);

constexpr double kGateScale = 6.0, kLambda = 30.0;

LayerStep composed(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& w,
                   const DiscriminatorWeights* judge, const NodeWeights& weights, double gate_scale, bool) {
  return composed_layer(batch, x, w, judge, weights, gate_scale);
}

/// From here on the tensor's values are a result of the caller's stream.
void compute_on_caller(const at::Tensor& tensor) {
  if (tensor.nbytes() == 0) {
    return;  // there may be no memory at all
  }
  std::vector<unsigned char> values(tensor.nbytes());
  std::memcpy(values.data(), tensor.data_ptr(), values.size());
  std::memset(tensor.data_ptr(), 0, values.size());
  submit(nullptr, [to = tensor.data_ptr(), values] { std::memcpy(to, values.data(), values.size()); });
}

/// The batch's lists, which a GPU's batches are assembled from.
std::vector<at::Tensor*> lists_of(GraphBatch& batch) {
  return {&batch.edges.in_offsets, &batch.edges.in_sources, &batch.edges.out_offsets, &batch.edges.out_targets,
          &batch.graph_offsets};
}

/// Layers one above the other on some graphs. Tensors are double; what runs them casts.
struct Stack {
  GraphBatch batch;
  EdgeNorm norm = EdgeNorm::kSource;
  int factors = 0;
  bool judged = true;
  bool shares = true;    // what is known of long rows
  Tensors inputs;        // x, then kPerLayer for each layer
  at::Tensor direction;  // of the last layer's output, [N, K, d]

  static constexpr std::size_t kPerLayer = 10;
  std::size_t layers() const { return (inputs.size() - 1) / kPerLayer; }
};

/// How a step goes on after its forward passes.
enum class Next {
  kBackward,  ///< nobody asks for the losses before the end
  kPutOff,    ///< nor for the weights' gradients: as in training
  kRecord,    ///< the losses are recorded first
  kWait,      ///< they are waited for and read first
};

class Layers : public ::testing::TestWithParam<std::pair<const char*, Layer>> {
 protected:
  RandomStream random_{23, "test"};

  Stack stack_of(const std::vector<std::int64_t>& sizes, int edges_per_node, std::int64_t in, std::int64_t width,
                 int factors, int layers = 1) {
    GraphBatch batch;
    batch.edges = graphs_side_by_side(sizes, edges_per_node, random_, batch.graph_offsets);
    return stack_on(std::move(batch), in, width, factors, layers);
  }

  Stack stack_on(GraphBatch batch, std::int64_t in, std::int64_t width, int factors, int layers = 1) {
    const std::int64_t nodes = batch.edges.num_nodes(), k = factors, narrow = std::max<std::int64_t>(width / 2, 1);
    const auto values = [&](at::IntArrayRef shape, double scale = 1) {
      return random_tensor(shape, random_, at::kFloat, scale).to(at::kDouble);  // the same in both precisions
    };
    batch.features = values({nodes, 1});
    Stack stack;
    stack.batch = std::move(batch);
    stack.factors = factors;
    stack.inputs = {values({nodes, in})};
    for (int layer = 0; layer < layers; ++layer) {
      const std::int64_t columns = layer == 0 ? in : k * width;
      const double scale = 1 / std::sqrt(double(columns)), width_scale = 1 / std::sqrt(double(width));
      for (const at::Tensor& weight :
           {values({width, columns}, scale), values({width}), values({2 * k, width}, 0.1 * width_scale),
            values({2 * k}, 0.1), values({narrow, width}, width_scale), values({narrow}),
            values({width, narrow}, width_scale), values({width}), values({k, width}, width_scale), values({k})}) {
        stack.inputs.push_back(weight);
      }
    }
    stack.direction = values({nodes, k, width});
    return stack;
  }

  /// The last layer's output, the losses, and the gradients of <output, direction> + lambda * (sum of losses).
  static Results step(Stack stack, Layer run, at::ScalarType type, Next next) {
    const bool expected = run == composed;
    Tensors leaves;
    for (const at::Tensor& input : stack.inputs) {
      leaves.push_back(input.to(type).clone().requires_grad_());
    }
    at::Tensor x = leaves[0];
    Tensors roots(1), wanted{x};
    if (!expected) {
      compute_on_caller(x);
      for (const at::Tensor* const list : lists_of(stack.batch)) {
        compute_on_caller(*list);
      }
    }
    const std::vector<NodeWeights> weights =
        !expected && stack.shares
            ? cuda_on_cpu::layer_weights(stack.batch.edges, stack.norm, type, std::int64_t(stack.layers()))
            : std::vector<NodeWeights>(stack.layers(), node_weights(stack.batch.edges, stack.norm, type));
    for (std::size_t layer = 0; layer < stack.layers(); ++layer) {
      const at::Tensor* const w = &leaves[1 + layer * Stack::kPerLayer];
      const DiscriminatorWeights judge{w[4], w[5], w[6], w[7], w[8], w[9]};
      if (layer > 0) {
        x = at::tanh(x.flatten(1));
      }
      const auto made = run(stack.batch, x, {w[0], w[1], w[2], w[3]}, stack.judged ? &judge : nullptr, weights[layer],
                            kGateScale, true);
      x = made.out;
      if (stack.judged) {
        roots.push_back(made.loss);
      }
      wanted.insert(wanted.end(), w, w + (stack.judged ? 10 : 4));
    }
    roots[0] = x;
    Tensors losses;
    for (std::size_t i = 1; i < roots.size(); ++i) {
      losses.push_back(roots[i].detach());
    }
    Results results{{"output", x.detach().clone()}};
    x.reset();
    const at::Tensor task = at::zeros({}, type);
    at::Tensor row = at::zeros({1, 3}, at::kDouble);
    const auto read_losses = [&] {
      for (const at::Tensor& loss : losses) {
        results.push_back({"loss", loss.clone()});
      }
    };
    const auto record = [&] {
      if (!expected) {
        cuda_on_cpu::record_losses(task, losses, kLambda, row);
      }
    };
    if (next == Next::kRecord) {
      record();
      read_losses();
    } else if (next == Next::kWait && !expected) {
      cuda_on_cpu::wait_for_judges(task);
      read_losses();
    }
    Tensors directions{stack.direction.to(type)};
    directions.resize(roots.size(), at::full({}, kLambda, type));
    // The graph goes with its last root: nothing but the operations themselves keeps what they need.
    Tensors gradients;
    if (next == Next::kPutOff) {
      backward_putting_off(std::exchange(roots, {}), directions);
      for (const at::Tensor& leaf : wanted) {
        gradients.push_back(leaf.grad());
      }
    } else {
      gradients = torch::autograd::grad(std::exchange(roots, {}), wanted, directions);
    }
    if (next == Next::kBackward || next == Next::kPutOff) {
      record();
      read_losses();
    }
    for (const at::Tensor& gradient : gradients) {
      results.push_back({"gradient " + std::to_string(results.size()), gradient});
    }
    if (next != Next::kWait) {
      for (const at::Tensor& loss : expected ? losses : Tensors{}) {
        row[0][2] += loss;
      }
      results.push_back({"sum of losses", row[0][2].clone()});
    }
    return results;
  }

  static void expect_same_bits(const Results& actual, const Results& first) {
    ASSERT_LE(actual.size(), first.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const at::Tensor &a = actual[i].values, &b = first[i].values;
      ASSERT_EQ(a.nbytes(), b.nbytes());
      EXPECT_TRUE(a.nbytes() == 0 || std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0)
          << first[i].name << " depends on when streams run";
    }
  }

  template <class T>
  void compare_as(const Stack& stack, const Results& expected, const std::vector<Next>& ways) const {
    SCOPED_TRACE(sizeof(T) == sizeof(float) ? "float" : "double");
    Results first;
    for (const Next next : ways) {
      for (const auto& [pace, seed] :
           {std::pair{Pace::kAtOnce, 0}, {Pace::kLate, 0}, {Pace::kAhead, 0}, {Pace::kDrawn, 1}, {Pace::kDrawn, 2}}) {
        SCOPED_TRACE(::testing::Message() << "pace " << int(pace) << ", seed " << seed << ", next " << int(next));
        Results results;
        {
          const WithStreams with_streams(pace, static_cast<std::uint64_t>(seed));
          results = step(stack, GetParam().second, kTypeOf<T>, next);
        }
        if (first.empty()) {
          first = results;
          std::vector<at::Tensor> values;
          for (const Result& result : expected) {
            values.push_back(result.values);
          }
          expect_results<T>(first, values);
        } else {
          expect_same_bits(results, first);
        }
      }
    }
  }

  template <class... T>
  void compare(const Stack& stack,
               const std::vector<Next>& ways = {Next::kBackward, Next::kPutOff, Next::kRecord, Next::kWait}) const {
    const Results expected = step(stack, composed, at::kDouble, Next::kBackward);
    (compare_as<T>(stack, expected, ways), ...);
  }
};
constexpr auto kName = [](const auto& info) { return info.param.first; };
const std::pair<const char*, Layer> kRows{"Rows", layer_in_rows}, kTiles{"Tiles", layer_in_tiles};
INSTANTIATE_TEST_SUITE_P(Ways, Layers, ::testing::Values(kRows, kTiles), kName);

class LayersInRows : public Layers {};
INSTANTIATE_TEST_SUITE_P(Ways, LayersInRows, ::testing::Values(kRows), kName);

TEST_P(Layers, EqualTheCompositionAtEveryPace) {
  compare<float, double>(stack_of({5, 1, 0, 13, 7}, 3, 9, 8, 4));
  compare<float, double>(stack_of({6, 11}, 2, 5, 7, 3));
}

/// p and q are found by the passes over edges or, where their maps are larger, by launches of their own.
TEST_P(LayersInRows, EqualTheCompositionWhereMapsAreLarge) {
  ASSERT_TRUE(cuda::can_map_rows(8, 4) && cuda::can_map_rows(7, 3));  // as above
  constexpr std::int64_t kWidth = 24;
  ASSERT_FALSE(cuda::can_map_rows(kWidth, kWidth / 2));
  compare<float, double>(stack_of({6, 11, 1}, 2, 5, kWidth, 2, 2), {Next::kBackward, Next::kRecord});
}

/// Dummy graphs behind the real ones, as padded batches have them.
TEST_P(Layers, LeaveOutPadding) {
  const std::vector<std::int64_t> real{5, 1, 0, 13, 7};
  std::vector<std::int64_t> all = real;
  all.insert(all.end(), {3, 0, 8});
  GraphBatch batch, padded;
  RandomStream random(5, "test"), again(5, "test");  // the real graphs' edges are drawn first
  batch.edges = graphs_side_by_side(real, 3, random, batch.graph_offsets);
  padded.edges = graphs_side_by_side(all, 3, again, padded.graph_offsets);
  padded.counts = integers(std::vector<std::int64_t>{5, batch.num_nodes(), batch.num_edges()});
  const Stack stack = stack_on(batch, 9, 8, 4, 2);
  const std::int64_t dummies = padded.num_nodes() - batch.num_nodes();
  Stack with_padding = stack;
  with_padding.batch = padded;
  with_padding.inputs[0] = at::cat({stack.inputs[0], random_tensor({dummies, 9}, random_, at::kDouble, 1)});
  with_padding.direction = at::cat({stack.direction, at::zeros({dummies, 4, 8}, at::kDouble)});
  const Results expected = step(stack, composed, at::kDouble, Next::kBackward);
  for (const Next next : {Next::kBackward, Next::kPutOff}) {
    const WithStreams with_streams(Pace::kLate);
    const Results found = step(with_padding, GetParam().second, at::kDouble, next);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const at::Tensor& values = expected[i].values;
      const bool of_nodes = values.dim() > 0 && values.size(0) == batch.num_nodes();
      const at::Tensor rows = of_nodes ? found[i].values.narrow(0, 0, batch.num_nodes()) : found[i].values;
      EXPECT_LT(difference(rows, values), 1e-12) << expected[i].name;
    }
  }
}

TEST_P(Layers, EqualTheCompositionWithoutDiscriminators) {
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSymmetric}) {
    Stack stack = stack_of({5, 12}, 3, 4, 6, 2, 2);
    stack.norm = norm;
    stack.judged = false;
    compare<float, double>(stack, {Next::kBackward, Next::kPutOff});
  }
}

TEST_P(Layers, TakeGraphsWithoutEdges) { compare<float, double>(stack_of({4, 1, 3}, 0, 5, 4, 2)); }

/// With more of them than streams, some streams serve several.
TEST_P(Layers, StandOnEachOther) {
  compare<float, double>(stack_of({5, 9, 4}, 2, 3, 4, 2, 5), {Next::kBackward, Next::kPutOff, Next::kRecord});
}

/// A single layer whose inputs are its own copies: nothing outlives it but what it returns.
LayerStep run_alone(Layer run, const Stack& stack, bool wants_gradient) {
  GraphBatch batch = stack.batch;
  for (at::Tensor* const list : lists_of(batch)) {
    *list = list->clone();
  }
  Tensors w;
  for (const at::Tensor& input : stack.inputs) {
    w.push_back(input.clone().requires_grad_(wants_gradient));
  }
  const DiscriminatorWeights judge{w[5], w[6], w[7], w[8], w[9], w[10]};
  return run(batch, w[0], {w[1], w[2], w[3], w[4]}, &judge, node_weights(batch.edges, stack.norm, at::kDouble),
             kGateScale, true);
}

/// Enough edges for hubs to be looked for, and one hub each way, or among sources alone.
GraphBatch batch_with_hubs(bool both_ways, RandomStream& random) {
  std::vector<std::int32_t> source, target;
  constexpr std::int64_t kNodes = 300;
  const std::int64_t edges = (1 << 16) + (both_ways ? 100 : 101);  // answers are kept by address and size
  for (std::int64_t e = 0; e < edges; ++e) {
    source.push_back(e % 5 == 1 ? 299 : static_cast<std::int32_t>(random.below(kNodes)));
    target.push_back(e % 4 == 0 && both_ways ? 17 : static_cast<std::int32_t>(e % kNodes));
  }
  GraphBatch batch;
  batch.edges = build_adjacency(kNodes, source, target);
  batch.graph_offsets = integers({0, kNodes});
  EXPECT_TRUE(cuda::has_long_rows(batch.edges.out_offsets, edges));
  EXPECT_EQ(cuda::has_long_rows(batch.edges.in_offsets, edges), both_ways);
  return batch;
}

TEST_P(LayersInRows, CutHubs) {
  Stack stack = stack_on(batch_with_hubs(true, random_), 3, 4, 2);
  stack.shares = false;
  compare<float>(stack, {Next::kBackward, Next::kPutOff});
  const WithStreams with_streams(Pace::kLate);
  run_alone(GetParam().second, stack, true);  // and dropped
}

/// Layers, and their discriminators at the same time, by lists that are made once for all of them.
TEST_P(LayersInRows, ShareWhatIsKnownOfHubs) {
  compare<double>(stack_on(batch_with_hubs(true, random_), 3, 4, 2, 2), {Next::kBackward, Next::kPutOff});
  Stack one_way = stack_on(batch_with_hubs(false, random_), 3, 2, 1);
  one_way.norm = EdgeNorm::kNone;
  compare<double>(one_way, {Next::kBackward});
}

/// The same lists and places serve again once a pass is over.
TEST_P(LayersInRows, GoBackTwice) {
  const Stack stack = stack_on(batch_with_hubs(true, random_), 3, 4, 2);
  const NodeWeights weights = cuda_on_cpu::layer_weights(stack.batch.edges, stack.norm, at::kDouble, 1)[0];
  const Tensors& w = stack.inputs;
  const at::Tensor x = w[0].clone().requires_grad_();
  const auto layer = [&] {
    return GetParam().second(stack.batch, x, {w[1], w[2], w[3], w[4]}, nullptr, weights, kGateScale, true).out;
  };
  const at::Tensor first = layer(), second = layer();
  const auto gradient = [&](const at::Tensor& out) {
    return torch::autograd::grad({out}, {x}, {stack.direction}, /*retain_graph=*/true)[0];
  };
  const at::Tensor expected = gradient(second);
  EXPECT_EQ(difference(first, second), 0);
  EXPECT_EQ(difference(gradient(second), expected), 0);
  EXPECT_EQ(difference(gradient(first), expected), 0);
}

TEST_P(LayersInRows, RefuseListsOfOtherEdges) {
  const Stack stack = stack_on(batch_with_hubs(true, random_), 3, 4, 2);
  NodeWeights weights = cuda_on_cpu::layer_weights(stack.batch.edges, stack.norm, at::kDouble, 1)[0];
  const auto run = [&] {
    const Tensors& w = stack.inputs;
    GetParam().second(stack.batch, w[0], {w[1], w[2], w[3], w[4]}, nullptr, weights, kGateScale, true);
  };
  const auto message = [&] {
    try {
      run();
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(), "");
  weights.long_rows.layer = 1;
  EXPECT_NE(message().find("long rows: pass 2 asked for, but the list was made for 2"), std::string::npos) << message();
  weights.long_rows = {at::zeros({5}, at::kLong), {}, 0};
  EXPECT_NE(message().find("long rows: the list was not made for 300 rows of 65636 edges"), std::string::npos)
      << message();
}

TEST_P(Layers, MayBeDroppedBeforeTheirDiscriminatorsRan) {
  const Stack stack = stack_of({5, 9, 4}, 2, 3, 4, 2);
  const Results expected = step(stack, composed, at::kDouble, Next::kBackward);
  for (const Pace pace : {Pace::kLate, Pace::kAhead, Pace::kDrawn}) {
    for (const bool wants_gradient : {true, false}) {
      const WithStreams with_streams(pace, 3);
      run_alone(GetParam().second, stack, wants_gradient);
      const at::Tensor loss = run_alone(GetParam().second, stack, wants_gradient).loss.detach();
      const at::Tensor output = run_alone(GetParam().second, stack, wants_gradient).out.detach();
      cuda_on_cpu::wait_for_judges(loss);
      EXPECT_LT(difference(loss, expected[1].values), 1e-12);
      EXPECT_LT(difference(output, expected[0].values), 1e-12);
    }
  }
}

TEST_P(Layers, PutDiscriminatorsOffUntilTheyAreStarted) {
  const Stack stack = stack_of({5, 9, 4}, 2, 3, 4, 2);
  const Results expected = step(stack, composed, at::kDouble, Next::kBackward);
  const WithStreams with_streams(Pace::kLate);
  const LayerStep made = run_alone(GetParam().second, stack, true);
  const std::int64_t before = steps_left();
  cuda_on_cpu::start_judges(made.out);
  const std::int64_t asked_for = steps_left() - before;
  EXPECT_GT(asked_for, 0);
  cuda_on_cpu::start_judges(made.out);
  EXPECT_EQ(steps_left() - before, asked_for);  // once
  cuda_on_cpu::wait_for_judges(made.out);
  EXPECT_LT(difference(made.loss, expected[1].values), 1e-12);
}

/// A GPU does not interrupt a kernel for another: what the step waits for is asked for first.
TEST_P(Layers, LetDiscriminatorsBeginAfterBatchNorm) {
  const Stack stack = stack_of({5, 9, 4}, 2, 3, 4, 2);
  const Results expected = step(stack, composed, at::kDouble, Next::kBackward);
  BatchNormState norm;
  norm.gamma = at::ones({8}, at::kDouble);
  norm.beta = at::zeros({8}, at::kDouble);
  norm.running_mean = at::zeros({8}, at::kDouble);
  norm.running_variance = at::ones({8}, at::kDouble);
  const WithStreams with_streams(Pace::kLate);
  const LayerStep made = run_alone(GetParam().second, stack, true);
  const LaunchList list;
  const at::Tensor normed = training_batch_norm(made.out.detach().flatten(1), norm, 1.0);
  std::vector<bool> of_caller;
  for (const Launch& launch : list.launches) {
    of_caller.push_back(launch.stream == nullptr);
  }
  ASSERT_FALSE(of_caller.empty());
  EXPECT_TRUE(of_caller.front());
  EXPECT_FALSE(of_caller.back());
  EXPECT_TRUE(std::is_sorted(of_caller.rbegin(), of_caller.rend()));
  cuda_on_cpu::wait_for_judges(made.out);
  EXPECT_LT(difference(made.loss, expected[1].values), 1e-12);
  EXPECT_LT(difference(normed, batch_norm(made.out.detach().flatten(1), norm, true)), 1e-12);
}

TEST_P(Layers, MayHaveLossesThatNobodyWants) {
  const Stack stack = stack_of({5, 9, 4}, 2, 3, 4, 2);
  const auto gradient = [&](Layer run) {
    const at::Tensor x = stack.inputs[0].clone().requires_grad_();
    const Tensors& w = stack.inputs;
    const DiscriminatorWeights judge{w[5], w[6], w[7], w[8], w[9], w[10]};
    const at::Tensor out = run(stack.batch, x, {w[1], w[2], w[3], w[4]}, &judge, {}, kGateScale, true).out;
    return torch::autograd::grad({out}, {x}, {stack.direction})[0];
  };
  const at::Tensor expected = gradient(composed);
  const WithStreams with_streams(Pace::kLate);
  EXPECT_LT(difference(gradient(GetParam().second), expected), 1e-12);
}

TEST_P(Layers, RunOnTheCallersStreamWhereNoGradientIsWanted) {
  const Stack stack = stack_of({5, 9, 4}, 2, 3, 4, 2);
  const Results expected = step(stack, composed, at::kDouble, Next::kBackward);
  const WithStreams with_streams(Pace::kLate);
  const at::NoGradGuard no_grad;
  const LayerStep made = run_alone(GetParam().second, stack, true);
  EXPECT_EQ(steps_left(), 0);
  EXPECT_LT(difference(made.out, expected[0].values), 1e-12);
  EXPECT_LT(difference(made.loss, expected[1].values), 1e-12);
}

// More than one kernel takes are summed before.
TEST(RecordLosses, TakeAnyNumberOfRegularisers) {
  const WithStreams with_streams(Pace::kAtOnce);
  for (const int count : {0, 1, 16, 17, 40}) {
    Tensors regularisers;
    for (int i = 0; i < count; ++i) {
      regularisers.push_back(at::full({}, i + 0.5, at::kDouble));
    }
    const at::Tensor rows = at::zeros({1, 3}, at::kDouble);
    cuda_on_cpu::record_losses(at::full({}, 2.0, at::kDouble), regularisers, 0.25, rows);
    catch_up();
    const double sum = 0.5 * count * count, *row = rows.data_ptr<double>();
    EXPECT_EQ(row[0], 2 + 0.25 * sum) << count;
    EXPECT_EQ(row[1], 2) << count;
    EXPECT_EQ(row[2], sum) << count;
  }
}

}  // namespace
}  // namespace factorgcn::cuda_on_cpu
