// Cross entropy of each factor graph's scores against its own number.
//
//   loss = mean over graphs g and factors k of  log sum_c exp(logits[g,k,c]) - logits[g,k,k]
//
// Equal to libtorch's cross entropy with labels 0 .. K - 1 repeated, without building them, in one pass; sums are taken
// in float64 per fixed block of graphs, so the result does not depend on the number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// logits: [G, K, K]. Returns a scalar. real_graphs: int64 [1] on the logits' device, or undefined; graphs from there
/// on are padding and do not count. Differentiable in logits.
FACTORGCN_API at::Tensor factor_label_loss(const at::Tensor& logits, const at::Tensor& real_graphs = {});

}  // namespace factorgcn
