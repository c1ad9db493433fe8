// IPGDN (Liu et al.): DisenGCN whose final capsules are asked to be independent of each other.
//
//   regulariser = sum over pairs of capsules k < l of HSIC(X_k, X_l),  X_k: the final features of capsule k, [N, d]
//   HSIC(U, V)  = tr(U U^T R V V^T R) / (N - 1)^2 = |U_c^T V_c|^2 / (N - 1)^2,  R centres: U_c = U - mean of its rows
//
// With the inner-product kernel the trace is a Frobenius norm: d x d products instead of N x N kernels.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "factorgcn/ops/gram.h"
#include "nn/baselines/disengcn.h"
#include "nn/baselines/makers.h"

namespace factorgcn::baselines {
namespace {

/// Sum of HSIC over all pairs of the `capsules` blocks of x's columns. real_rows: where rows of padding begin, int64
/// [1] where x is, or undefined. Those are set to 0 before and after centring, and N is the number of the others.
at::Tensor pairwise_hsic(const at::Tensor& x, std::int64_t capsules, const at::Tensor& real_rows) {
  const std::int64_t width = x.size(1) / capsules;
  at::Tensor centred, scale;
  if (real_rows.defined()) {
    const at::Tensor real =
        at::arange(x.size(0), real_rows.options()).lt(real_rows).to(x.scalar_type()).unsqueeze(1);  // [N, 1]
    const at::Tensor rows = real_rows.to(x.scalar_type()), seen = x * real;
    centred = (seen - seen.sum(0, /*keepdim=*/true) / rows) * real;
    scale = (rows - 1).clamp_min(1).squeeze();
  } else {
    const double rows = static_cast<double>(x.size(0));
    centred = x - x.sum(0, /*keepdim=*/true) / rows;
    scale = at::full({}, std::max(rows - 1, 1.0), x.options());
  }
  const at::Tensor products = gram(centred).view({capsules, width, capsules, width});
  const at::Tensor squares = products.square().sum({1, 3});  // [K, K]
  return (squares.sum() - squares.diagonal().sum()) / (scale.square() * 2);
}

class Ipgdn : public DisenGcn {
 public:
  using DisenGcn::DisenGcn;

  std::string needs_whole_graphs() const override {
    return "compares its capsules over all nodes of the graph at once";
  }

 protected:
  void judge(const at::Tensor& last, StackPass& pass) override {
    pass.add_regulariser(pairwise_hsic(last, capsules(), pass.batch.real_nodes()));
  }
};

}  // namespace

ModelPointer make_ipgdn(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model ipgdn");
  const DisenOptions options = read_disen(reader, input, "ipgdn");
  reader.finish();
  return std::make_shared<Ipgdn>(options, seed);
}

}  // namespace factorgcn::baselines
