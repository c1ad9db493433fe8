// factor_label_loss on the CPU: loss and gradient in one pass over blocks of graphs.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <numeric>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/label_loss.h"
#include "ops/cpu/row_ranges.h"
#include "ops/registration.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kBlockGraphs = 128;

std::tuple<at::Tensor, at::Tensor> factor_label_loss_cpu(const at::Tensor& logits_given) {
  require(logits_given.dim() == 3 && logits_given.size(1) == logits_given.size(2) && logits_given.numel() > 0,
          "factor_label_loss: logits have shape ", logits_given.sizes(), ", expected [graphs, factors, factors]");
  const at::Tensor logits = logits_given.contiguous();
  const std::int64_t graphs = logits.size(0), factors = logits.size(1);
  at::Tensor gradient = at::empty(logits.sizes(), logits.options()), loss = at::empty({}, logits.options());
  with_floating(logits, "factor_label_loss", [&](auto scalar) {
    using T = decltype(scalar);
    const T* from = logits.data_ptr<T>();
    T* to = gradient.data_ptr<T>();
    const double rows = static_cast<double>(graphs * factors);
    std::vector<double> sums(static_cast<std::size_t>((graphs + kBlockGraphs - 1) / kBlockGraphs));
    parallel_rows(graphs, kBlockGraphs, [&](std::int64_t begin, std::int64_t end) {
      double sum = 0;
      for (std::int64_t row = begin * factors; row < end * factors; ++row) {
        sum += label_loss(from + row * factors, factors, row % factors, static_cast<T>(1 / rows), to + row * factors);
      }
      sums[begin / kBlockGraphs] = sum;
    });
    loss.fill_(std::accumulate(sums.begin(), sums.end(), 0.0) / rows);
  });
  return {loss, gradient};
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) { library.impl("factor_label_loss", factor_label_loss_cpu); }

}  // namespace
}  // namespace factorgcn::cpu
