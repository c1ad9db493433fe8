// Gradients that are put off: which may be, that nobody sees them before they are there, and what is left of them when
// something goes wrong. The operation here is w * x on the CPU, with a gradient of w that is put off where it may be.
#include "ops/put_off.h"

#include <ATen/TensorOperators.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <atomic>
#include <functional>
#include <limits>
#include <thread>

#include "base/error_text.h"
#include "factorgcn/ops/late_losses.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kUnwritten = std::numeric_limits<double>::quiet_NaN();

/// Fills gradients that were put off; counts what there was to do.
struct Fills : PutOffWork {
  struct Fill {
    c10::Storage to;
    at::Tensor values;
  };
  std::vector<Fill> fills;
  static inline std::atomic<int> filled = 0, alive = 0;

  Fills() { ++alive; }
  ~Fills() override { --alive; }
  void run() override {
    for (const Fill& fill : fills) {
      double* const to = static_cast<double*>(const_cast<void*>(static_cast<const void*>(fill.to.data())));
      std::copy_n(fill.values.data_ptr<double>(), fill.values.numel(), to);
      ++filled;
    }
  }
};

/// Somebody who has his own tensor of a gradient that he returns.
at::Tensor held;
bool holds = false;

struct Product : torch::autograd::Function<Product> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& w, const at::Tensor& x) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    context->save_for_backward({w, x});
    return w * x;
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor grad_w = (grads[0] * saved[1]).contiguous(), grad_x = grads[0] * saved[0];
    PutOffPass* const pass = PutOffPass::current();
    if (pass == nullptr || !pass->allows(saved[0])) {
      return {grad_w, grad_x};
    }
    at::Tensor later = at::full(grad_w.sizes(), kUnwritten, grad_w.options());
    const auto work = pass->work([] { return std::make_shared<Fills>(); });
    static_cast<Fills&>(*work).fills.push_back({later.storage(), grad_w});
    pass->promise(saved[0], later);
    if (holds) {
      held = later;
    }
    return {std::move(later), grad_x};
  }
};

/// x, and on the way back something is done before its gradient goes on.
struct OnTheWayBack : torch::autograd::Function<OnTheWayBack> {
  static inline std::function<void()> action;
  static inline at::Tensor gradient;
  static at::Tensor forward(AutogradContext*, const at::Tensor& x) { return x.clone(); }
  static variable_list backward(AutogradContext*, const variable_list& grads) {
    gradient = grads[0];
    action();
    gradient.reset();
    return {grads[0]};
  }
};

at::Tensor leaf(std::vector<double> values) {
  return at::tensor(values, at::TensorOptions().dtype(at::kDouble)).requires_grad_();
}

class PutOff : public ::testing::Test {
 protected:
  PutOff() {
    Fills::filled = 0;
    holds = false;
  }
  ~PutOff() override {
    held.reset();
    EXPECT_EQ(Fills::alive, 0);  // nothing is left behind
    EXPECT_EQ(PutOffPass::current(), nullptr);
  }
  const at::Tensor v_ = leaf({2, 3}), w_ = leaf({5, -1}), x_ = leaf({0.5, 4});

  at::Tensor two_products() const { return Product::apply(v_, Product::apply(w_, x_)).sum(); }

  static void backward(const at::Tensor& root) { backward_putting_off({root}, {at::ones({}, root.options())}); }
  /// The gradients after a pass in which `put_off` of them were put off.
  static void expect(const std::vector<std::pair<at::Tensor, std::vector<double>>>& gradients, int put_off) {
    for (const auto& [tensor, values] : gradients) {
      ASSERT_TRUE(tensor.grad().defined());
      EXPECT_TRUE(tensor.grad().equal(at::tensor(values, at::kDouble)));
    }
    EXPECT_EQ(Fills::filled, put_off);
  }
};

TEST_F(PutOff, IsThereInTheEnd) {
  backward(two_products());
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}, {x_, {10, -3}}}, 2);
}

TEST_F(PutOff, IsNotThereBefore) {
  bool looked = false;
  OnTheWayBack::action = [&] {
    looked = true;
    EXPECT_TRUE(v_.grad().isnan().all().item<bool>());
    EXPECT_EQ(Fills::filled, 0);
  };
  backward(Product::apply(v_, OnTheWayBack::apply(Product::apply(w_, x_))).sum());
  EXPECT_TRUE(looked);
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 2);
}

TEST(PutOffPass, KnowsTheGradientThatIsOne) {
  const at::Tensor x = leaf({2, 3}), one = at::ones({}, at::kDouble), other = at::ones({}, at::kDouble);
  std::vector<bool> known;
  OnTheWayBack::action = [&] { known.push_back(PutOffPass::current()->is_one(OnTheWayBack::gradient)); };
  backward_putting_off({OnTheWayBack::apply(x.sum()), OnTheWayBack::apply(x.sum())}, {other, one}, one);
  EXPECT_EQ(known, (std::vector<bool>{true, false}));  // autograd begins with what was made last
  backward_putting_off({OnTheWayBack::apply(x.sum() * 2) * 2}, {one}, one);
  backward_putting_off({OnTheWayBack::apply(x.sum())}, {one});
  EXPECT_EQ(known, (std::vector<bool>{true, false, false, false}));
}

TEST_F(PutOff, IsForABackwardPassThatAllowsIt) {
  two_products().backward();
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 0);
}

TEST_F(PutOff, IsNotForAStepOnTheCpu) {
  const at::Tensor one = at::ones({}, at::kDouble);
  backward_in_step(two_products(), {}, one, one);
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 0);
}

TEST_F(PutOff, IsNotForWeightsThatServeTwice) {
  backward(Product::apply(w_, Product::apply(w_, x_)).sum());
  expect({{w_, {5, -8}}}, 0);
  w_.mutable_grad().reset();
  backward(Product::apply(v_, x_).sum() + (w_ * v_).sum());  // by another operation
  expect({{v_, {5.5, 3}}, {w_, {2, 3}}}, 0);
}

TEST_F(PutOff, IsNotForWeightsOfSeveralRoots) {
  const at::Tensor first = Product::apply(w_, x_).sum(), second = Product::apply(w_, v_).sum(),
                   one = at::ones({}, at::kDouble);
  backward_putting_off({first, second}, {one, one});
  expect({{w_, {2.5, 7}}}, 0);
  w_.mutable_grad().reset();
  backward_putting_off({Product::apply(w_, x_), w_}, {at::ones({2}, at::kDouble), at::ones({2}, at::kDouble)});
  expect({{w_, {1.5, 5}}}, 0);
}

TEST_F(PutOff, IsForWeightsOfDifferentRoots) {
  const at::Tensor first = Product::apply(w_, x_).sum(), second = Product::apply(v_, x_).sum(),
                   one = at::ones({}, at::kDouble);
  backward_putting_off({first, second}, {one, one * 3});
  expect({{w_, {0.5, 4}}, {v_, {1.5, 12}}}, 2);
}

TEST_F(PutOff, IsNotForWeightsWithAGradient) {
  v_.mutable_grad() = at::tensor({100.0, 200.0}, at::kDouble);
  backward(two_products());
  expect({{v_, {102.5, 196}}, {w_, {1, 12}}}, 1);
}

TEST_F(PutOff, IsNotForWeightsThatAreComputed) {
  const at::Tensor computed = v_ * 2;
  backward(Product::apply(computed, x_).sum());
  expect({{v_, {1, 8}}}, 0);
}

TEST_F(PutOff, IsNotForWeightsThatAreNotTrained) {
  const at::Tensor fixed = at::tensor({2.0, 3.0}, at::kDouble);
  backward(Product::apply(fixed, Product::apply(w_, x_)).sum());
  EXPECT_FALSE(fixed.grad().defined());
  expect({{w_, {1, 12}}}, 1);
}

/// Autograd would make its own copy.
TEST_F(PutOff, IsNotForWeightsThatAreNotContiguous) {
  const at::Tensor across = at::tensor({1.0, 2.0, 3.0, 4.0}, at::kDouble).view({2, 2}).t().requires_grad_();
  ASSERT_TRUE(across.is_leaf() && !across.is_contiguous());
  backward(Product::apply(across, x_).sum());
  EXPECT_TRUE(across.grad().equal(at::tensor({0.5, 4.0, 0.5, 4.0}, at::kDouble).view({2, 2})));
  EXPECT_EQ(Fills::filled, 0);
}

TEST_F(PutOff, IsNotForWeightsWithHooks) {
  at::Tensor seen;
  v_.register_hook([&](const at::Tensor& gradient) { seen = gradient.clone(); });
  backward(two_products());
  EXPECT_TRUE(seen.equal(at::tensor({2.5, -4.0}, at::kDouble)));
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 1);
}

struct PostHook : torch::autograd::FunctionPostHook {
  std::function<void(const variable_list& outputs)> look;
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    look(outputs);
    return outputs;
  }
};

struct PreHook : torch::autograd::FunctionPreHook {
  at::Tensor* seen = nullptr;
  variable_list operator()(const variable_list& grads) override {
    *seen = grads[0].clone();
    return grads;
  }
};

TEST_F(PutOff, IsNotForWeightsWhoseNodeLooksFirst) {
  const auto accumulator = torch::autograd::impl::grad_accumulator(v_);
  auto hook = std::make_unique<PreHook>();
  at::Tensor seen;
  hook->seen = &seen;
  accumulator->add_pre_hook(std::move(hook));
  backward(two_products());
  EXPECT_TRUE(seen.equal(at::tensor({2.5, -4.0}, at::kDouble)));
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 1);
}

TEST_F(PutOff, IsNotForWeightsWhoseNodesHaveHooks) {
  // Of the leaf's own node,
  const auto accumulator = torch::autograd::impl::grad_accumulator(v_);
  auto hook = std::make_unique<PostHook>();
  int calls = 0;
  hook->look = [&](const variable_list&) {
    ++calls;
    EXPECT_TRUE(v_.grad().equal(at::tensor({2.5, -4.0}, at::kDouble)));
  };
  accumulator->add_post_hook(std::move(hook));
  backward(two_products());
  expect({{w_, {1, 12}}}, 1);
  // and of the operation.
  w_.mutable_grad().reset();
  Fills::filled = 0;
  const at::Tensor product = Product::apply(w_, x_);
  hook = std::make_unique<PostHook>();
  hook->look = [&](const variable_list& outputs) {
    ++calls;
    EXPECT_TRUE(outputs[0].equal(at::tensor({0.5, 4.0}, at::kDouble)));
  };
  product.grad_fn()->add_post_hook(std::move(hook));
  backward(product.sum());
  expect({{w_, {0.5, 4}}}, 0);
  EXPECT_EQ(calls, 2);
}

TEST_F(PutOff, IsNotWhereEveryGradientIsLookedAt) {
  const torch::autograd::DetectAnomalyGuard looks;
  backward(two_products());
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 0);
}

TEST_F(PutOff, IsForgottenWhereAutogradFails) {
  OnTheWayBack::action = [] { throw std::runtime_error("on the way back"); };
  const at::Tensor root = Product::apply(v_, OnTheWayBack::apply(Product::apply(w_, x_))).sum();
  EXPECT_THROW(backward(root), std::runtime_error);
  EXPECT_EQ(Fills::filled, 0);
  EXPECT_EQ(Fills::alive, 0);
  EXPECT_FALSE(v_.grad().defined());
  backward(two_products());  // the next one is as ever
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 2);
}

const char* const kBroken =
    "backward_in_step: the gradient of a weight of shape [2] was put off, and something else was done to it meanwhile; "
    "do not let two backward passes run into the same weights at a time";

TEST_F(PutOff, FailsWhereAutogradMadeACopy) {
  holds = true;
  EXPECT_EQ(error_text([&] { backward(Product::apply(v_, x_).sum()); }), kBroken);
  EXPECT_EQ(Fills::filled, 0);
}

TEST_F(PutOff, FailsWhereSomethingWasAddedMeanwhile) {
  // Another thread's pass into the same weight.
  OnTheWayBack::action = [&] { std::thread([&] { Product::apply(v_, x_.detach()).sum().backward(); }).join(); };
  EXPECT_EQ(error_text([&] { backward(Product::apply(v_, OnTheWayBack::apply(Product::apply(w_, x_))).sum()); }),
            kBroken);
  EXPECT_EQ(Fills::filled, 0);
  EXPECT_FALSE(v_.grad().defined());
}

TEST_F(PutOff, IsSeenByThreadsOfTheSamePassAlone) {
  const at::Tensor v = leaf({2, 3}), root = Product::apply(v, x_.detach()).sum();
  bool inside = false;
  OnTheWayBack::action = [&] {
    PutOffPass* const pass = PutOffPass::current();
    ASSERT_NE(pass, nullptr);
    const at::ThreadLocalState state;
    std::thread([&] {
      EXPECT_EQ(PutOffPass::current(), nullptr);
      root.backward();  // another thread's, meanwhile
      EXPECT_TRUE(v.grad().equal(at::tensor({0.5, 4.0}, at::kDouble)));
      const at::ThreadLocalStateGuard as_autograd_does(state);
      EXPECT_EQ(PutOffPass::current(), pass);
      inside = true;
    }).join();
  };
  backward(Product::apply(v_, OnTheWayBack::apply(Product::apply(w_, x_))).sum());
  EXPECT_TRUE(inside);
  expect({{v_, {2.5, -4}}, {w_, {1, 12}}}, 2);
}

TEST_F(PutOff, WorksInThreadsOfTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<at::Tensor> weights;
  for (int i = 0; i < 4; ++i) {
    weights.push_back(leaf({1.0 + i, 2.0}));
  }
  for (const at::Tensor& weight : weights) {
    threads.emplace_back([weight, x = x_.detach()] {
      for (int step = 0; step < 50; ++step) {
        weight.mutable_grad().reset();
        backward(Product::apply(weight, x * (step + 1)).sum());
        EXPECT_TRUE(weight.grad().equal(x * (step + 1)));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(Fills::filled, 200);
}

}  // namespace
}  // namespace factorgcn
