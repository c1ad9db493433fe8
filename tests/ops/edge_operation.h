// How the operations on edges are tested: each against a twin of plain loops over edges in float64, in values and in
// gradients, for every instruction set, and for the same bits with any number of threads.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <vector>

#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/oracle.h"
#include "ops/random_graphs.h"

namespace factorgcn::testing {

using Inputs = std::vector<at::Tensor>;
using Operation = std::function<at::Tensor(const Adjacency& edges, const Inputs& inputs)>;

/// One value per edge at its target: rows of [N, ...] that add up rows of [E, ...].
inline at::Tensor sum_per_target(const Adjacency& edges, const at::Tensor& values) {
  const at::Tensor target = oracle::edge_ends(edges).target;
  std::vector<at::Tensor> rows;
  for (std::int64_t node = 0; node < edges.num_targets(); ++node) {
    rows.push_back(values.index({target.eq(node)}).sum(0));
  }
  return at::stack(rows);
}

/// The result followed by the gradients of <result, direction> in every input of floating type.
inline Inputs result_and_gradients(const Operation& operation, const Adjacency& edges, const Inputs& given,
                                   const at::Tensor& direction, at::ScalarType type) {
  Inputs inputs, differentiated;
  for (const at::Tensor& input : given) {
    inputs.push_back(input.is_floating_point() ? input.detach().to(type).clone().requires_grad_() : input);
    if (input.is_floating_point()) {
      differentiated.push_back(inputs.back());
    }
  }
  Inputs all{operation(edges, inputs)};
  const auto gradients = torch::autograd::grad({(all[0] * direction.to(type)).sum()}, differentiated);
  all.insert(all.end(), gradients.begin(), gradients.end());
  return all;
}

inline void expect_equal_twin(const Operation& operation, const Operation& twin, const Adjacency& edges,
                              const Inputs& inputs, RandomStream& random) {
  const at::Tensor direction = random_tensor(twin(edges, inputs).sizes(), random);
  const Inputs expected = result_and_gradients(twin, edges, inputs, direction, at::kDouble);
  for (const std::string& set : usable_instruction_sets()) {
    use_instruction_set(set);
    const Inputs wide = result_and_gradients(operation, edges, inputs, direction, at::kDouble);
    const Inputs narrow = result_and_gradients(operation, edges, inputs, direction, at::kFloat);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LT(difference(wide[i], expected[i]), 1e-11) << set << ", result " << i << " in float64";
      EXPECT_LT(difference(narrow[i], expected[i]), 2e-5) << set << ", result " << i << " in float32";
    }
  }
  use_instruction_set("");
}

inline void expect_same_bits_for_any_threads(const Operation& operation, const Adjacency& edges, const Inputs& inputs,
                                             at::IntArrayRef shape) {
  RandomStream random(9, "test");
  const at::Tensor direction = random_tensor(shape, random);
  const int before = num_threads();
  set_num_threads(1);
  const Inputs expected = result_and_gradients(operation, edges, inputs, direction, at::kFloat);
  set_num_threads(3);
  const Inputs actual = result_and_gradients(operation, edges, inputs, direction, at::kFloat);
  set_num_threads(before);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(actual[i].equal(expected[i])) << "result " << i;
  }
}

}  // namespace factorgcn::testing
