// Composed: a reader, a row for the factor, a map of two layers.
#include "nn/aligned/adversary.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones_like.h>

#include "factorgcn/ops/activation.h"
#include "nn/aligned/gather.h"

namespace factorgcn::aligned {

at::Tensor reversed(const at::Tensor& x, double strength) {
  at::Tensor same = x.view_as(x);
  if (same.requires_grad()) {
    same.register_hook([strength](const at::Tensor& gradient) { return gradient * -strength; });
  }
  return same;
}

Adversary::Adversary(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors)
    : reader_(maker, "adversary", blocks, width),
      which_(maker.rows("adversary_which", factors, width)),
      first_(maker.linear("adversary_head1", 2 * width, width)),
      last_(maker.linear("adversary_head2", width, factors)) {}

at::Tensor Adversary::loss(const FactorShelf& shelf, std::span<const Piece> pieces, const at::Tensor& coefficients,
                           const at::Tensor& labels, double strength, Moments moments) const {
  const auto count = static_cast<std::int64_t>(pieces.size());
  const std::int64_t factors = labels.size(1);
  at::Tensor graphs = at::empty({count}, at::TensorOptions().dtype(at::kLong));
  at::Tensor own = at::empty({count}, at::TensorOptions().dtype(at::kLong));
  for (std::int64_t index = 0; index < count; ++index) {
    graphs.data_ptr<std::int64_t>()[index] = pieces[static_cast<std::size_t>(index)].graph;
    own.data_ptr<std::int64_t>()[index] = pieces[static_cast<std::size_t>(index)].factor;
  }
  const at::TensorOptions here = coefficients.options().requires_grad(false);
  const at::Tensor truth = labels.index_select(0, graphs).to(here);
  const at::Tensor others = at::ones_like(labels.index_select(0, graphs)).scatter(1, own.unsqueeze(1), 0).to(here);
  const at::Tensor read = reader_.read(shelf, reversed(coefficients, strength), moments);
  const at::Device device = here.device();
  const at::Tensor names = gather_rows(which_, own.to(device), uses_of(own, factors, device));
  const at::Tensor told = at::cat({read, names}, 1);
  const at::Tensor answers = linear(last_, activate(linear(first_, told), Activation::kRelu));
  const double asked = static_cast<double>(std::max<std::int64_t>(count * (factors - 1), 1));
  return at::binary_cross_entropy_with_logits(answers, truth, others, {}, at::Reduction::Sum) / asked;
}

}  // namespace factorgcn::aligned
