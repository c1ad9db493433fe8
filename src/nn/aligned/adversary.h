// What leaks from one part into another's factor gives the other's label away.
//
//   adversary = mean over present k and labels l != k of the cross entropy of (a reader's answer to "is l here?", from
//               factor k alone, told which k it is) against the truth
//
// The reader learns to answer; the coefficients get its gradient reversed and times a strength, so that edges which
// betray another label leave the factor. Read without gradients, the value tells how clean a split is: the more it
// is, the less leaks. Cost: a reader's over the factors of present labels.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "nn/aligned/factor_reader.h"

namespace factorgcn::aligned {

/// The same values; gradients go back times -strength.
FACTORGCN_API at::Tensor reversed(const at::Tensor& x, double strength);

class FACTORGCN_API Adversary {
 public:
  Adversary(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors);

  /// A scalar. `shelf`: of `pieces`, the factors of present labels; coefficients: [P, K]; labels: float [G, K] in main
  /// memory.
  at::Tensor loss(const FactorShelf& shelf, std::span<const Piece> pieces, const at::Tensor& coefficients,
                  const at::Tensor& labels, double strength, Moments moments) const;

 private:
  FactorReader reader_;
  at::Tensor which_;  ///< [K, width], a row for each factor
  LinearMap first_, last_;
};

}  // namespace factorgcn::aligned
