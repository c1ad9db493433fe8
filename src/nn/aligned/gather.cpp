// index_select(), and a sum over segments on the way back.
#include "nn/aligned/gather.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

#include "factorgcn/ops/segment_reduce.h"

namespace factorgcn::aligned {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct GatherRows : torch::autograd::Function<GatherRows> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& index,
                            const at::Tensor& offsets, const at::Tensor& uses, bool rises) {
    context->save_for_backward({offsets, uses});
    context->saved_data["rises"] = rises;
    return at::index_select(x, 0, index);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor upstream = grads[0].contiguous();
    const bool rises = context->saved_data["rises"].toBool();
    return {segment_sum(rises ? upstream : at::index_select(upstream, 0, saved[1]), saved[0]), {}, {}, {}, {}};
  }
};

}  // namespace

RowUses uses_of(const at::Tensor& index, std::int64_t rows, at::Device device) {
  const auto whole = at::TensorOptions().dtype(at::kLong);
  RowUses result{at::zeros({rows + 1}, whole), at::empty({index.numel()}, whole)};
  const auto* const row = index.data_ptr<std::int64_t>();
  auto* const offset = result.offsets.data_ptr<std::int64_t>();
  for (std::int64_t place = 0; place < index.numel(); ++place) {
    ++offset[row[place] + 1];
  }
  for (std::int64_t each = 0; each < rows; ++each) {
    offset[each + 1] += offset[each];
  }
  std::vector<std::int64_t> next(offset, offset + rows);
  for (std::int64_t place = 0; place < index.numel(); ++place) {
    result.uses.data_ptr<std::int64_t>()[next[static_cast<std::size_t>(row[place])]++] = place;
  }
  return {result.offsets.to(device), result.uses.to(device)};
}

at::Tensor gather_rows(const at::Tensor& x, const at::Tensor& index, const RowUses& uses) {
  const bool rises = !uses.uses.defined();
  return GatherRows::apply(x, index, uses.offsets, rises ? uses.offsets : uses.uses, rises);
}

}  // namespace factorgcn::aligned
