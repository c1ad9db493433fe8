// Sums of weights' gradients that the GPU's operations put off, with tensors on the CPU in place of the GPU's: when
// they are there, the same bits as where nothing is put off, and how many launches there are.
#include "ops/cuda/put_off_sums.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <functional>

#include "cuda_on_cpu/device_arrays.h"
#include "cuda_on_cpu/glue/late_losses.h"
#include "cuda_on_cpu/stream_memory.h"
#include "ops/composed_layer.h"
#include "ops/dense_schema.h"
#include "ops/put_off.h"

namespace factorgcn::cuda_on_cpu {
namespace {

using namespace factorgcn::testing;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Tensors = std::vector<at::Tensor>;

const c10::DispatchKeySet kGpu(c10::DispatchKey::PrivateUse1);

/// dense as on the GPU.
struct Dense : torch::autograd::Function<Dense> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const OptionalTensor& bias, bool tanh) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor y =
        find_operation<DenseSignature>("factorgcn::dense").redispatch(kGpu, x, weight, bias, OptionalTensor(), tanh);
    context->save_for_backward({x, weight, value_or_undefined(bias), y});
    context->saved_data["tanh"] = tanh;
    context->saved_data["wants_weight"] = weight.requires_grad();
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    auto [grad_x, grad_weight, grad_bias, none] =
        find_operation<DenseBackwardSignature>("factorgcn::dense_backward")
            .redispatch(kGpu, grads[0], saved[3], saved[0], saved[1], optional(saved[2]), OptionalTensor(),
                        context->saved_data["tanh"].toBool(),
                        {true, context->saved_data["wants_weight"].toBool(), true, false});
    return {grad_x, grad_weight, grad_bias, {}};
  }
};

/// x; on the way back something is done.
struct OnTheWayBack : torch::autograd::Function<OnTheWayBack> {
  static inline std::function<void()> action;
  static at::Tensor forward(AutogradContext*, const at::Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, const variable_list& grads) {
    catch_up();
    action();
    return {grads[0]};
  }
};

/// Two layers of that kind with their discriminators, and two dense maps behind them.
struct Model {
  using Layer = LayerStep (*)(const GraphBatch&, const at::Tensor&, const LayerWeights&, const DiscriminatorWeights*,
                              const NodeWeights&, double, bool);
  static constexpr std::size_t kPerLayer = 10, kAll = 2 * kPerLayer + 3;

  Layer layer;
  GraphBatch batch;
  Tensors weights;  // kPerLayer for each layer; weight and bias of a map, the weight of another
  at::Tensor x, direction;
  bool losses = true, flows_on = true;  // whether all losses are wanted, and a gradient of x

  Model(Layer kind, at::ScalarType type, std::int64_t size = 9) : layer(kind) {
    RandomStream random(5, "test");
    const std::int64_t in = 3, k = 2, width = 4;
    batch.edges = graphs_side_by_side({size, 4, size / 2}, 2, random, batch.graph_offsets);
    const std::int64_t nodes = batch.edges.num_nodes();
    batch.features = random_tensor({nodes, 1}, random, type);
    for (const std::int64_t columns : {in, k * width}) {
      for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{width, columns},
                                                     {width},
                                                     {2 * k, width},
                                                     {2 * k},
                                                     {2, width},
                                                     {2},
                                                     {width, 2},
                                                     {width},
                                                     {k, width},
                                                     {k}}) {
        weights.push_back(random_tensor(shape, random, type, 0.5).requires_grad_());
      }
    }
    weights.push_back(random_tensor({5, k * width}, random, type, 0.5).requires_grad_());
    weights.push_back(random_tensor({5}, random, type).requires_grad_());
    weights.push_back(random_tensor({6, 5}, random, type).requires_grad_());
    x = random_tensor({nodes, in}, random, type);
    direction = random_tensor({nodes, 6}, random, type);
  }

  /// The roots of a step's backward pass, and their gradients.
  std::pair<Tensors, Tensors> forward() const {
    Tensors roots(1), gradients{direction};
    at::Tensor y = flows_on ? OnTheWayBack::apply(x.clone().requires_grad_()) : x;
    for (const std::size_t first : {std::size_t(0), kPerLayer}) {
      const at::Tensor* const w = &weights[first];
      const DiscriminatorWeights judge{w[4], w[5], w[6], w[7], w[8], w[9]};
      const LayerStep made = layer(batch, y, {w[0], w[1], w[2], w[3]}, &judge, {}, 1.0, true);
      if (losses) {
        roots.push_back(made.loss);
        gradients.push_back(at::full({}, 30.0, x.options()));
      }
      y = at::tanh(made.out.flatten(1));
    }
    const at::Tensor* const w = &weights[2 * kPerLayer];
    roots[0] = Dense::apply(Dense::apply(y, w[0], OptionalTensor(w[1]), true), w[2], OptionalTensor(), false);
    return {roots, gradients};
  }

  /// A step, by `backward`; how many of the weights' gradients were put off when all but the last node is through.
  template <class Backward>
  int step(const Backward& backward) const {
    int promised = 0;
    OnTheWayBack::action = [&] {
      const PutOffPass* const pass = PutOffPass::current();
      promised = pass != nullptr ? static_cast<int>(pass->promised()) : 0;
    };
    auto [roots, gradients] = forward();
    backward(std::exchange(roots, {}), gradients);
    catch_up();
    return promised;
  }
  int put_off() const {
    return step([](Tensors roots, const Tensors& gradients) { backward_putting_off(roots, gradients); });
  }
  int plain() const {
    return step([](Tensors roots, const Tensors& gradients) { torch::autograd::backward(roots, gradients); });
  }

  /// All gradients, which are taken away.
  Tensors take() const {
    Tensors taken;
    for (const at::Tensor& weight : weights) {
      taken.push_back(weight.grad().defined() ? weight.grad().clone() : at::Tensor());
      weight.mutable_grad().reset();
    }
    return taken;
  }
};

void expect_same_bits(const Tensors& actual, const Tensors& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].defined(), expected[i].defined()) << "weight " << i;
    if (actual[i].defined()) {
      EXPECT_EQ(std::memcmp(actual[i].data_ptr(), expected[i].data_ptr(), expected[i].nbytes()), 0) << "weight " << i;
      EXPECT_FALSE(expected[i].isnan().any().item<bool>());
    }
  }
}

class PutOffSums : public ::testing::TestWithParam<std::pair<const char*, Model::Layer>> {
 protected:
  Model model(at::ScalarType type = at::kFloat) const { return Model(GetParam().second, type); }
};
constexpr auto kPutOffName = [](const auto& info) { return info.param.first; };
const std::pair<const char*, Model::Layer> kPutOffRows{"Rows", layer_in_rows}, kPutOffTiles{"Tiles", layer_in_tiles};
INSTANTIATE_TEST_SUITE_P(Ways, PutOffSums, ::testing::Values(kPutOffRows, kPutOffTiles), kPutOffName);
class PutOffSumsInRows : public PutOffSums {};
INSTANTIATE_TEST_SUITE_P(Ways, PutOffSumsInRows, ::testing::Values(kPutOffRows), kPutOffName);

constexpr std::pair<Pace, int> kPaces[] = {{Pace::kAtOnce, 0}, {Pace::kLate, 0}, {Pace::kAhead, 0}, {Pace::kDrawn, 1}};

/// Three steps each, since what a step leaves behind shows in the next.
TEST_P(PutOffSums, HaveTheSameBitsAtEveryPace) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    for (const auto& [pace, seed] : kPaces) {
      SCOPED_TRACE(::testing::Message() << "pace " << int(pace) << ", " << type);
      const WithStreams with_streams(pace, static_cast<std::uint64_t>(seed));
      const Model model(GetParam().second, type);
      EXPECT_EQ(model.plain(), 0);
      const Tensors expected = model.take();
      for (int step = 0; step < 3; ++step) {
        EXPECT_EQ(model.put_off(), int(Model::kAll));
        expect_same_bits(model.take(), expected);
      }
      EXPECT_EQ(model.plain(), 0);
      expect_same_bits(model.take(), expected);
    }
  }
}

/// From the first layer nothing flows on here: its sums are not beside anything, but at the end.
TEST_P(PutOffSums, HaveTheSameBitsWhereNothingFlowsOn) {
  for (const auto& [pace, seed] : kPaces) {
    const WithStreams with_streams(pace, static_cast<std::uint64_t>(seed));
    Model model = this->model();
    model.flows_on = false;
    model.plain();
    const Tensors expected = model.take();
    for (int step = 0; step < 3; ++step) {
      model.put_off();
      expect_same_bits(model.take(), expected);
    }
  }
}

/// With so many rows there are more partial sums than threads that share them.
TEST_P(PutOffSumsInRows, HaveTheSameBitsOfManyRows) {
  const WithStreams with_streams(Pace::kLate);
  const Model model(GetParam().second, at::kFloat, 1500);
  model.plain();
  const Tensors expected = model.take();
  EXPECT_EQ(model.put_off(), int(Model::kAll));
  expect_same_bits(model.take(), expected);
}

TEST_P(PutOffSums, TakeTwoLaunchesAtTheEnd) {
  const WithStreams with_streams(Pace::kAtOnce);
  const Model model = this->model();
  std::int64_t last = 0, before = 0;
  const auto launches = [&](bool put_off) {
    auto [roots, gradients] = model.forward();
    OnTheWayBack::action = [&] { last = launch_count(); };
    before = launch_count();
    put_off ? backward_putting_off(roots, gradients) : torch::autograd::backward(roots, gradients);
    model.take();
    return launch_count() - before;
  };
  const std::int64_t as_ever = launches(false);
  EXPECT_EQ(launch_count(), last);
  // The dense maps have one less each. The layers' sums are beside: in rows one launch more, in tiles as ever.
  const bool in_rows = GetParam().second == kPutOffRows.second;
  EXPECT_EQ(launches(true), as_ever - 2 + 2 + (in_rows ? 2 : 0));
  EXPECT_EQ(launch_count(), last + 2);
}

/// Nothing of a layer is put off that shares one weight with others; the others are.
TEST_P(PutOffSums, AreForLayersThatMayPutOffAll) {
  for (const auto& [pace, seed] : kPaces) {
    const WithStreams with_streams(pace, static_cast<std::uint64_t>(seed));
    Model shared = model();
    shared.weights[Model::kPerLayer + 7] = shared.weights[7];
    shared.plain();
    Tensors expected = shared.take();
    EXPECT_EQ(shared.put_off(), 3);
    expect_same_bits(shared.take(), expected);

    Model hooked = model();
    bool called = false;
    hooked.weights[3].register_hook([&](const at::Tensor& gradient) {
      called = true;
      EXPECT_FALSE(gradient.isnan().any().item<bool>());
    });
    hooked.plain();
    expected = hooked.take();
    EXPECT_EQ(std::exchange(called, false), true);
    EXPECT_EQ(hooked.put_off(), int(Model::kAll - Model::kPerLayer));
    EXPECT_TRUE(called);
    expect_same_bits(hooked.take(), expected);

    Model fixed = model();
    fixed.weights[2].set_requires_grad(false);
    fixed.weights[2 * Model::kPerLayer + 1].set_requires_grad(false);
    fixed.plain();
    expected = fixed.take();
    EXPECT_EQ(fixed.put_off(), int(Model::kPerLayer + 1));
    expect_same_bits(fixed.take(), expected);
  }
}

TEST_P(PutOffSums, AreNotForWeightsWithAGradient) {
  const WithStreams with_streams(Pace::kLate);
  const Model model = this->model();
  model.plain();
  model.plain();
  const Tensors twice = model.take();
  model.plain();
  EXPECT_EQ(model.put_off(), 0);
  expect_same_bits(model.take(), twice);
  // One of them alone.
  model.weights.back().mutable_grad() = at::zeros_like(model.weights.back());
  EXPECT_EQ(model.put_off(), int(Model::kAll - 1));
}

TEST_P(PutOffSums, MayHaveLossesThatNobodyWants) {
  for (const auto& [pace, seed] : kPaces) {
    const WithStreams with_streams(pace, static_cast<std::uint64_t>(seed));
    Model model = this->model();
    model.losses = false;
    model.plain();
    const Tensors expected = model.take();
    EXPECT_EQ(model.put_off(), 11);
    expect_same_bits(model.take(), expected);
  }
}

TEST_P(PutOffSums, AreForgottenWhereAutogradFails) {
  for (const auto& [pace, seed] : kPaces) {
    const WithStreams with_streams(pace, static_cast<std::uint64_t>(seed));
    const Model model = this->model();
    model.plain();
    const Tensors expected = model.take();
    EXPECT_THROW(model.step([](Tensors roots, const Tensors& gradients) {
      OnTheWayBack::action = [] { throw std::runtime_error("on the way back"); };
      backward_putting_off(roots, gradients);
    }),
                 std::runtime_error);
    for (const at::Tensor& weight : model.weights) {
      EXPECT_FALSE(weight.grad().defined());
    }
    EXPECT_EQ(model.put_off(), int(Model::kAll));
    expect_same_bits(model.take(), expected);
  }
}

/// Where there is too much to keep, layers do it themselves.
TEST_P(PutOffSumsInRows, KeepNoMoreThanTheyMay) {
  const WithStreams with_streams(Pace::kAtOnce);
  const Model model = this->model(at::kFloat);
  std::shared_ptr<cuda::PutOffSums> first;
  const auto [roots, gradients] = model.forward();
  bool asked = false;
  OnTheWayBack::action = [&] {
    asked = true;
    const Tensors weights{model.weights[0]};
    const std::int64_t half = cuda::PutOffSums::kMostBytes / 2;
    EXPECT_EQ(cuda::PutOffSums::of(weights, cuda::PutOffSums::kMostBytes), nullptr);  // the model has asked for some
    EXPECT_NE(cuda::PutOffSums::of(weights, half), nullptr);
    EXPECT_EQ(cuda::PutOffSums::of(weights, half), nullptr);
    EXPECT_EQ(cuda::PutOffSums::of({model.x}, 1), nullptr);
    EXPECT_NE(cuda::PutOffSums::of({model.weights[1], at::Tensor()}, 1), nullptr);
    // What works on another stream has its own order of things.
    const c10::cuda::CUDAStreamGuard guard(c10::cuda::getStreamFromPool());
    EXPECT_EQ(cuda::PutOffSums::of(weights, 1), nullptr);
  };
  backward_putting_off(roots, gradients);
  EXPECT_TRUE(asked);
  EXPECT_EQ(cuda::PutOffSums::of({model.weights[0]}, 1), nullptr);  // no step's backward pass
}

/// The work belongs to the stream of the layers' backward pass; whoever asks for it on another waits for it.
TEST_P(PutOffSumsInRows, AreWaitedForByAnotherStream) {
  for (const Pace pace : {Pace::kLate, Pace::kAhead}) {
    const WithStreams with_streams(pace);
    const at::Tensor partials = at::full({3, 4}, 2.0), sum = at::full({4}, -1.0);
    const c10::cuda::CUDAStream other = c10::cuda::getStreamFromPool();
    cuda::PutOffSums work(-1, other);
    cuda::PartialSums<float> one;
    one.partials = partials.data_ptr<float>();
    one.blocks = 3;
    one.stride = 4;
    one.count = 1;
    one.maps[0] = {0, 1, 3, sum.data_ptr<float>(), sum.data_ptr<float>() + 3};
    work.add(one);
    work.run();
    float seen = 0;
    submit(nullptr, [&, from = sum.data_ptr<float>()] { seen = from[3]; });
    catch_up();
    EXPECT_EQ(seen, 6);
  }
}

}  // namespace
}  // namespace factorgcn::cuda_on_cpu
