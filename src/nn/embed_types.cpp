// On a GPU libtorch adds up the gradient of a table in whatever order threads come by, once there are more than some
// thousand rows. As a product with one-hot rows it is ours (ops/dense.h), and the forward pass is exact either way.
#include "factorgcn/nn/embed_types.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/zeros.h>

#include "factorgcn/ops/dense.h"

namespace factorgcn {

at::Tensor embed_types(const at::Tensor& table, const at::Tensor& types) {
  constexpr std::int64_t kMostColumns = 4096;  // one-hot rows of more would be too large
  const bool learning = at::GradMode::is_enabled() && table.requires_grad();
  if (types.device().is_cpu() || !learning || table.size(0) > kMostColumns) {
    return at::embedding(table, types);
  }
  const at::Tensor one_hot = at::zeros({types.size(0), table.size(0)}, table.options().requires_grad(false));
  return dense(one_hot.scatter(1, types.unsqueeze(1), 1.0), table.t(), {});
}

}  // namespace factorgcn
