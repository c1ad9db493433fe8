// What the aligned model's networks are made of: named weights, and the blocks that all of them have.
//
//   block(x + sum over neighbours) = relu(norm(W2 relu(norm(W1 .)))))                       (GIN without an epsilon)
//
// Costs are those of ops/dense.h and ops/batch_norm.h.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>

#include "factorgcn/base/random.h"
#include "factorgcn/nn/linear_map.h"
#include "factorgcn/ops/batch_norm.h"

namespace factorgcn::aligned {

/// By which moments batch norm goes.
enum class Moments {
  kLearning,   ///< the batch's, and the running estimates follow them: real graphs in training
  kBatch,      ///< the batch's; the running estimates stay as they are: graphs put together from parts
  kEstimates,  ///< the running estimates
};

/// Registers weights with a module and draws their first values.
class FACTORGCN_API WeightMaker {
 public:
  WeightMaker(torch::nn::Module& owner, RandomStream& random) : owner_(owner), random_(random) {}

  LinearMap linear(const std::string& name, std::int64_t in, std::int64_t out);
  BatchNormState norm(const std::string& name, std::int64_t width);
  /// A row each, of variance 1.
  at::Tensor rows(const std::string& name, std::int64_t count, std::int64_t width);

 private:
  torch::nn::Module& owner_;
  RandomStream& random_;
};

struct Block {
  LinearMap first, second;
  BatchNormState first_norm, second_norm;
};

Block make_block(WeightMaker& maker, const std::string& name, std::int64_t in, std::int64_t width);

/// What follows the sum: [rows, in] to [rows, width].
at::Tensor finish_block(const Block& block, const at::Tensor& sum, Moments moments);

}  // namespace factorgcn::aligned
