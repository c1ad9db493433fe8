// IPGDN (Liu et al.): DisenGCN whose final capsules are asked to be independent of each other.
//
//   regulariser = sum over pairs of capsules k < l of HSIC(X_k, X_l),  X_k: the final features of capsule k, [N, d]
//   HSIC(U, V)  = tr(U U^T R V V^T R) / (N - 1)^2 = |U_c^T V_c|^2 / (N - 1)^2,  R centres: U_c = U - mean of its rows
//
// With the inner-product kernel the trace is a Frobenius norm: d x d products instead of N x N kernels.
#include <ATen/TensorOperators.h>

#include "nn/baselines/disengcn.h"
#include "nn/baselines/makers.h"

namespace factorgcn::baselines {
namespace {

/// Sum of HSIC over all pairs of the `capsules` blocks of x's columns. A batch with rows that do not count would give
/// its true number of rows for `rows` and zeros in theirs after centring.
at::Tensor pairwise_hsic(const at::Tensor& x, std::int64_t capsules) {
  const std::int64_t width = x.size(1) / capsules;
  const double rows = static_cast<double>(x.size(0));
  const at::Tensor centred = x - x.sum(0, /*keepdim=*/true) / rows;
  const at::Tensor products = centred.t().matmul(centred).view({capsules, width, capsules, width});
  const at::Tensor squares = products.square().sum({1, 3});  // [K, K]
  const double scale = std::max(rows - 1, 1.0);
  return (squares.sum() - squares.diagonal().sum()) / (2 * scale * scale);
}

class Ipgdn : public DisenGcn {
 public:
  using DisenGcn::DisenGcn;

 protected:
  void judge(const at::Tensor& last, StackPass& pass) override {
    pass.add_regulariser(pairwise_hsic(last, capsules()));
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
