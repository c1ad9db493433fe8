// Products of rows with a small matrix (ops/cuda/dense.h), against dense on the CPU and its gradients.
#include "ops/cuda/dense.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <cuda_runtime.h>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/segment_reduce.h"
#include "ops/cuda/graph_tile.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

struct Shape {
  std::int64_t rows;
  int in, out;
};

// One row, rows that fill no tile, more columns than a tile, more depth than a chunk, and so many rows that threads own
// two or four of them each.
const std::vector<Shape> kShapes{{1, 3, 2},    {37, 10, 6},   {300, 144, 18}, {130, 7, 130},
                                 {65, 301, 5}, {9000, 4, 64}, {18000, 3, 61}};

std::string describe(const Shape& shape) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.in) + " to " + std::to_string(shape.out);
}

template <class T>
struct Arrays {
  RandomStream random{11, "test"};
  at::Tensor x, weight, bias, bias_scale;

  explicit Arrays(const Shape& shape)
      : x(values({shape.rows, shape.in})),
        weight(values({shape.out, shape.in})),
        bias(values({shape.out})),
        bias_scale(values({shape.rows})) {}
  at::Tensor values(at::IntArrayRef sizes) { return random_tensor(sizes, random, kTypeOf<T>); }
};

template <class T>
class DenseKernel : public ::testing::Test {};
TYPED_TEST_SUITE(DenseKernel, FloatTypes);

TYPED_TEST(DenseKernel, ForwardEqualsTheCpu) {
  using T = TypeParam;
  for (const Shape& shape : kShapes) {
    for (const int how : {0, 1, 2}) {  // a plain product; with bias and tanh; with a scaled bias
      SCOPED_TRACE(describe(shape) + ", " + std::to_string(how));
      Arrays<T> a(shape);
      DenseForward<T> p;
      p.rows = shape.rows;
      p.in = shape.in;
      p.out = shape.out;
      p.x = place<T>(a.x);
      p.weight = place<T>(a.weight);
      p.bias = how > 0 ? place<T>(a.bias) : nullptr;
      p.bias_scale = how == 2 ? place<T>(a.bias_scale) : nullptr;
      p.tanh = how == 1;
      const auto run = [&] {
        Results results{{"y", unwritten<T>({shape.rows, shape.out})}};
        p.y = place<T>(results[0].values);
        run_dense(p, nullptr);
        return results;
      };
      const at::Tensor y =
          dense(exact(a.x), exact(a.weight), how > 0 ? exact(a.bias) : at::Tensor(),
                how == 2 ? exact(a.bias_scale) : at::Tensor(), how == 1 ? Activation::kTanh : Activation::kNone);
      expect_results<T>(in_any_order(run), {y});
    }
  }
}

TYPED_TEST(DenseKernel, AnotherMapFollowsInTheSameLaunch) {
  using T = TypeParam;
  EXPECT_TRUE(can_follow(64, 7));
  EXPECT_FALSE(can_follow(65, 2));
  EXPECT_FALSE(can_follow(64, 8));
  for (const Shape& shape : kShapes) {
    const int next_out = shape.out < 50 ? 10 : 7;
    if (!can_follow(shape.out, next_out)) {
      continue;
    }
    SCOPED_TRACE(describe(shape));
    Arrays<T> a(shape);
    const at::Tensor next_weight = a.values({next_out, shape.out}), next_bias = a.values({next_out});
    const auto run = [&] {
      Results results{{"y", unwritten<T>({shape.rows, shape.out})}, {"next", unwritten<T>({shape.rows, next_out})}};
      DenseForward<T> p;
      p.rows = shape.rows;
      p.in = shape.in;
      p.out = shape.out;
      p.x = place<T>(a.x);
      p.weight = place<T>(a.weight);
      p.bias = place<T>(a.bias);
      p.y = place<T>(results[0].values);
      p.next_weight = place<T>(next_weight);
      p.next_bias = place<T>(next_bias);
      p.next_out = next_out;
      p.next_y = place<T>(results[1].values);
      run_dense(p, nullptr);
      return results;
    };
    const at::Tensor y = dense(exact(a.x), exact(a.weight), exact(a.bias));
    expect_results<T>(in_any_order(run), {y, dense(y, exact(next_weight), exact(next_bias))});
  }
}

/// The sums of what a kernel has left in parts, [ranges, out, in + 1].
at::Tensor sum_parts(const at::Tensor& partials, int out, int in) {
  return partials.to(at::kDouble).view({-1, out, in + 1}).sum(0);
}

struct Backward {
  bool tanh, scaled, pooled, leaves_partials, wants_x;
};

template <class T>
void check_backward(const Shape& shape, const Backward& how) {
  SCOPED_TRACE(describe(shape) + ", tanh " + std::to_string(how.tanh) + ", scaled " + std::to_string(how.scaled) +
               ", pooled " + std::to_string(how.pooled) + ", parts " + std::to_string(how.leaves_partials));
  Arrays<T> a(shape);
  const int factors = how.pooled ? 2 : 1;
  const std::int64_t nodes = shape.rows / factors;
  // Graphs of very different sizes, one of them empty.
  const at::Tensor offsets = integers({0, nodes / 7, nodes / 7, nodes / 5, nodes - 1, nodes});
  const at::Tensor grad_y = how.pooled ? a.values({5, factors, shape.out}) : a.values({shape.rows, shape.out});
  // What other gradients join, in the cases that leave partial sums.
  const at::Tensor joins_x = a.values(a.x.sizes()), joins_scale = a.values({shape.rows}), factor = a.values({1});
  const bool joined = how.leaves_partials;

  const at::Tensor x = exact(a.x), weight = exact(a.weight), bias = exact(a.bias),
                   scale = how.scaled ? exact(a.bias_scale) : at::Tensor();
  const at::Tensor y = dense(x, weight, bias, scale, how.tanh ? Activation::kTanh : Activation::kNone);
  const at::Tensor result = how.pooled ? segment_mean(y.view({nodes, factors, shape.out}), offsets) : y;
  std::vector<at::Tensor> inputs{weight, bias};
  if (how.wants_x) {
    inputs.push_back(x);
  }
  if (how.scaled) {
    inputs.push_back(scale);
  }
  std::vector<at::Tensor> expected = gradients_of({result}, {grad_y}, inputs);
  if (joined) {
    const at::Tensor by = factor.to(at::kDouble);
    if (how.wants_x) {
      expected[2] = joins_x.to(at::kDouble) + by * expected[2];
    }
    if (how.scaled) {
      expected.back() = by * (expected.back() + joins_scale.to(at::kDouble));
    }
  }

  const at::Tensor y_seen = y.detach().to(kTypeOf<T>);
  const auto run = [&] {
    Results results{{"grad weight", unwritten<T>(a.weight.sizes())}, {"grad bias", unwritten<T>(a.bias.sizes())}};
    DenseBackward<T> p;
    p.rows = shape.rows;
    p.in = shape.in;
    p.out = shape.out;
    p.grad_y = place<T>(grad_y);
    p.y = how.tanh ? place<T>(y_seen) : nullptr;
    p.x = place<T>(a.x);
    p.weight = place<T>(a.weight);
    p.bias = place<T>(a.bias);
    p.bias_scale = how.scaled ? place<T>(a.bias_scale) : nullptr;
    if (how.pooled) {
      p.graph_offsets = place<std::int64_t>(offsets);
      p.graphs = 5;
      p.factors = factors;
    }
    if (how.wants_x) {
      results.push_back({"grad x", unwritten<T>(a.x.sizes())});
      p.grad_x = place<T>(results.back().values);
    }
    if (joined) {
      p.scale = place<T>(factor);
      p.joins_x = place<T>(joins_x);
      p.joins_bias_scale = place<T>(joins_scale);
    }
    if (how.scaled) {
      results.push_back({"grad bias scale", unwritten<T>({shape.rows})});
      p.grad_bias_scale = place<T>(results.back().values);
    }
    const at::Tensor partials = unwritten<T>({weight_partials(shape.rows, shape.in, shape.out)});
    p.partials = place<T>(partials);
    p.leaves_partials = how.leaves_partials;
    if (!how.leaves_partials) {
      p.grad_weight = place<T>(results[0].values);
      p.grad_bias = place<T>(results[1].values);
    }
    run_dense_backward(p, nullptr);
    if (how.leaves_partials) {
      EXPECT_EQ(partials.numel(),
                std::int64_t(weight_ranges(shape.rows, shape.in, shape.out)) * shape.out * (shape.in + 1));
      const at::Tensor sums = sum_parts(partials, shape.out, shape.in);
      results[0].values = sums.narrow(1, 0, shape.in).contiguous();
      results[1].values = sums.narrow(1, shape.in, 1).contiguous().view({-1});
    }
    return results;
  };
  expect_results<T>(in_any_order(run), expected);
}

TYPED_TEST(DenseKernel, BackwardEqualsTheCpu) {
  for (const Shape& shape :
       {Shape{1, 3, 2}, Shape{37, 10, 6}, Shape{300, 144, 18}, Shape{130, 7, 130}, Shape{65, 301, 5}}) {
    check_backward<TypeParam>(shape, {false, false, false, false, true});
    check_backward<TypeParam>(shape, {true, true, false, false, true});
    check_backward<TypeParam>(shape, {true, true, false, true, true});
    check_backward<TypeParam>(shape, {false, true, false, false, false});
  }
  // Two and four rows per thread.
  check_backward<TypeParam>({9000, 63, 3}, {true, true, false, true, true});
  check_backward<TypeParam>({17000, 63, 3}, {false, true, false, false, true});
}

TYPED_TEST(DenseKernel, BackwardThroughTheMeanOfGraphsEqualsTheCpu) {
  for (const Shape& shape : {Shape{80, 6, 10}, Shape{600, 9, 16}, Shape{2400, 20, 3}}) {
    check_backward<TypeParam>(shape, {true, true, true, true, true});
    check_backward<TypeParam>(shape, {true, false, true, false, true});
  }
}

TYPED_TEST(DenseKernel, AnotherMapsSumsJoinTheLaunch) {
  using T = TypeParam;
  const Shape shape{500, 12, 8}, other_shape{700, 8, 6};
  Arrays<T> a(shape), b(other_shape);
  const at::Tensor grad_y = a.values({shape.rows, shape.out}), other_grad = b.values({other_shape.rows, 6});
  const auto run = [&] {
    Results results{{"grad x", unwritten<T>(a.x.sizes())}};
    const at::Tensor partials = unwritten<T>({weight_partials(shape.rows, shape.in, shape.out)}),
                     other_partials = unwritten<T>({weight_partials(700, 8, 6)});
    DenseBackward<T> p, q;
    p.rows = shape.rows;
    p.in = shape.in;
    p.out = shape.out;
    p.grad_y = place<T>(grad_y);
    p.x = place<T>(a.x);
    p.weight = place<T>(a.weight);
    p.bias = place<T>(a.bias);
    p.grad_x = place<T>(results[0].values);
    p.partials = place<T>(partials);
    p.leaves_partials = true;
    q.rows = other_shape.rows;
    q.in = other_shape.in;
    q.out = other_shape.out;
    q.grad_y = place<T>(other_grad);
    q.x = place<T>(b.x);
    q.weight = place<T>(b.weight);
    q.bias = place<T>(b.bias);
    q.partials = place<T>(other_partials);
    q.leaves_partials = true;
    run_dense_backward(p, q, nullptr);
    results.push_back({"sums", sum_parts(partials, 8, 12)});
    results.push_back({"other sums", sum_parts(other_partials, 6, 8)});
    return results;
  };
  // With a column of ones behind x, the bias is one more weight.
  const auto with_ones = [](const at::Tensor& x) {
    at::Tensor wide = at::full({x.size(0), x.size(1) + 1}, 1.0, at::TensorOptions().dtype(at::kDouble));
    wide.narrow(1, 0, x.size(1)).copy_(x);
    return wide;
  };
  expect_results<T>(in_any_order(run), {grad_y.to(at::kDouble).matmul(a.weight.to(at::kDouble)),
                                        grad_y.to(at::kDouble).t().matmul(with_ones(a.x)),
                                        other_grad.to(at::kDouble).t().matmul(with_ones(b.x))});
}

/// 313 blocks of the product would follow twice 158 of sums, and 528 run at a time: threads own two rows there, and
/// one where the product is alone. That must not change a bit.
TYPED_TEST(DenseKernel, BlocksThatWouldNotRunAtATimeOwnMoreRows) {
  using T = TypeParam;
  const Shape shape{5000, 64, 64};
  Arrays<T> a(shape);
  const at::Tensor grad_y = a.values({shape.rows, shape.out}), other_grad = a.values({shape.rows, 8});
  DenseBackward<T> p, q;
  p.rows = q.rows = shape.rows;
  p.in = q.in = shape.in;
  p.out = shape.out;
  q.out = 8;
  p.grad_y = place<T>(grad_y);
  q.grad_y = place<T>(other_grad);
  p.x = q.x = place<T>(a.x);
  p.weight = place<T>(a.weight);
  const at::Tensor alone = unwritten<T>(a.x.sizes()), beside = unwritten<T>(a.x.sizes()),
                   partials = unwritten<T>({weight_partials(shape.rows, shape.in, shape.out)}),
                   other_partials = unwritten<T>({weight_partials(shape.rows, shape.in, 8)});
  p.grad_x = place<T>(alone);
  run_dense_backward(p, nullptr);
  EXPECT_EQ(gridDim.x, 313);
  p.grad_x = place<T>(beside);
  p.partials = place<T>(partials);
  q.partials = place<T>(other_partials);
  p.leaves_partials = q.leaves_partials = true;
  run_dense_backward(p, q, nullptr);
  EXPECT_EQ(gridDim.x, 157 + 158 + 158);
  EXPECT_FALSE(alone.isnan().any().template item<bool>());
  EXPECT_EQ(std::memcmp(beside.data_ptr(), alone.data_ptr(), alone.nbytes()), 0);
}

/// Sums of maps of different kinds, more of them than one launch takes: each with the bits it has on its own, partial
/// sums and what is added up of them.
TYPED_TEST(DenseKernel, SumsOfManyMapsAreThoseOfEach) {
  using T = TypeParam;
  const std::vector<Shape> shapes{{500, 12, 8}, {1, 3, 2}, {300, 70, 6}, {0, 4, 3}, {1300, 5, 70}};
  std::vector<Arrays<T>> arrays(shapes.begin(), shapes.end());
  std::vector<at::Tensor> grads, kept;
  const at::Tensor offsets = integers({0, 90, 90, 300});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    grads.push_back(arrays[i].values({i == 2 ? 3 : shapes[i].rows, shapes[i].out}));
  }
  const int count = kMostWeightSums + 2;
  std::vector<DenseBackward<T>> maps;
  for (int i = 0; i < count; ++i) {
    const Shape& shape = shapes[i % shapes.size()];
    const Arrays<T>& a = arrays[i % shapes.size()];
    DenseBackward<T> p;
    p.rows = shape.rows;
    p.in = shape.in;
    p.out = shape.out;
    p.grad_y = place<T>(grads[i % shapes.size()]);
    p.x = place<T>(a.x);
    p.bias_scale = i % 2 == 0 ? place<T>(a.bias_scale) : nullptr;
    if (i % shapes.size() == 2) {
      p.graph_offsets = place<std::int64_t>(offsets);
      p.graphs = 3;
    }
    p.leaves_partials = true;
    maps.push_back(p);
  }
  Results alone;
  for (DenseBackward<T> p : maps) {
    const at::Tensor partials = unwritten<T>({weight_partials(p.rows, p.in, p.out)});
    p.partials = place<T>(partials);
    alone.push_back({"partial sums", partials});
    run_dense_backward(p, nullptr);
    for (const char* const name : {"grad weight", "grad bias"}) {
      alone.push_back({name, unwritten<T>({name[5] == 'w' ? p.out * p.in : p.out})});
    }
    p.leaves_partials = false;
    p.grad_weight = place<T>(alone[alone.size() - 2].values);
    p.grad_bias = place<T>(alone.back().values);
    run_dense_backward(p, nullptr);
  }
  const auto run = [&] {
    Results results;
    std::vector<PartialSums<T>> sets;
    for (DenseBackward<T>& p : maps) {
      results.push_back({"partial sums", unwritten<T>({weight_partials(p.rows, p.in, p.out)})});
      p.partials = place<T>(results.back().values);
      PartialSums<T> set;
      set.partials = p.partials;
      set.blocks = weight_ranges(p.rows, p.in, p.out);
      set.shares = kWeightShares;
      set.stride = std::int64_t(p.out) * (p.in + 1);
      set.count = 1;
      results.push_back({"grad weight", unwritten<T>({p.out * p.in})});
      results.push_back({"grad bias", unwritten<T>({p.out})});
      set.maps[0] = {0, p.out, p.in, place<T>(results[results.size() - 2].values), place<T>(results.back().values)};
      sets.push_back(set);
    }
    const std::int64_t before = cuda_on_cpu::launch_count();
    run_weight_sums(maps.data(), count, nullptr);
    EXPECT_EQ(cuda_on_cpu::launch_count() - before, 2);
    add_partial_sums(sets.data(), count, nullptr);
    EXPECT_EQ(cuda_on_cpu::launch_count() - before, 4);
    return results;
  };
  const Results together = in_any_order(run);
  ASSERT_EQ(together.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(std::memcmp(together[i].values.data_ptr(), alone[i].values.data_ptr(), alone[i].values.nbytes()), 0)
        << alone[i].name << " of map " << i / 3;
    EXPECT_FALSE(alone[i].values.isnan().any().template item<bool>());
  }
}

}  // namespace
}  // namespace factorgcn::cuda
