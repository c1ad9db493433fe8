// Libtorch's own operations on [P, K].
#include "nn/aligned/origin.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_sigmoid.h>

#include <algorithm>

#include "nn/aligned/gather.h"
#include "nn/aligned/split_losses.h"

namespace factorgcn::aligned {
namespace {

/// Logarithms of the coefficients of possible labels; those of others are as good as -infinity.
at::Tensor possible_logarithms(const at::Tensor& logarithms, const at::Tensor& allowed) {
  constexpr double kImpossible = -1e9;
  return logarithms.masked_fill(allowed.le(0), kImpossible);
}

}  // namespace

at::Tensor origin_loss(const at::Tensor& scores, const at::Tensor& allowed) {
  const at::Tensor all = at::log_sigmoid(scores);
  const at::Tensor missed = all.logsumexp({1}) - possible_logarithms(all, allowed).logsumexp({1});
  return missed.sum() / static_cast<double>(std::max<std::int64_t>(scores.size(0), 1));
}

at::Tensor agree_loss(const at::Tensor& coefficients, const at::Tensor& scores, const at::Tensor& allowed,
                      const NewGraphs& made) {
  const at::Device device = scores.device();
  const at::Tensor single = made.single.to(device);
  const at::Tensor found = at::log_sigmoid(scores.detach().index_select(0, single));
  const at::Tensor wanted = possible_logarithms(found, allowed.index_select(0, single)).softmax(1);
  const at::Tensor own =
      gather_rows(coefficients, made.source.to(device), uses_of(made.source, coefficients.size(0), device));
  return coefficient_loss(own, wanted);
}

}  // namespace factorgcn::aligned
