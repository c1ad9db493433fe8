// degree_weights and layer_weights on the GPU: one launch for a forward pass, however many layers it has.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "ops/cuda/aggregate_inputs.h"
#include "ops/factor_aggregate_schema.h"

namespace factorgcn::cuda {
namespace {

/// The nodes' weights, and in the same launch what is searched for.
at::Tensor prepare(const char* operation, const at::Tensor& offsets, bool single_precision, const LongRowSearch& first,
                   const LongRowSearch& second) {
  const OnDeviceOf device(offsets);
  const std::int64_t nodes = check_offsets(operation, offsets, offsets);
  const at::Tensor weights = at::empty({nodes}, offsets.options().dtype(single_precision ? at::kFloat : at::kDouble));
  with_floating(weights, operation, [&](auto scalar) {
    using T = decltype(scalar);
    prepare_rows<T>({nodes, offsets.data_ptr<std::int64_t>(), weights.data_ptr<T>()}, first, second, device.stream);
  });
  check_launch();
  return weights;
}

at::Tensor degree_weights_cuda(const at::Tensor& offsets, bool single_precision) {
  return prepare("degree_weights", offsets, single_precision, {}, {});
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_weights_cuda(const at::Tensor& in_offsets,
                                                                  const at::Tensor& out_offsets, std::int64_t edges,
                                                                  bool weighted, bool single_precision,
                                                                  std::int64_t layers) {
  constexpr const char* kName = "layer_weights";
  const OnDeviceOf device(in_offsets);
  const std::int64_t nodes = check_offsets(kName, in_offsets, in_offsets);
  require(check_offsets(kName, out_offsets, in_offsets) == nodes, kName, ": ", nodes, " nodes have in-edges and ",
          out_offsets.numel() - 1, " out-edges; both must be of the same graph");
  const int passes = static_cast<int>(layers) * kLayerPasses;
  const LongRowLists targets(in_offsets, edges, passes), sources(out_offsets, edges, passes);
  at::Tensor weights;
  if (weighted) {
    weights = prepare(kName, in_offsets, single_precision, targets.search(in_offsets), sources.search(out_offsets));
  } else {
    find_long_rows(targets.search(in_offsets), sources.search(out_offsets), device.stream);
    check_launch();
  }
  return {weights, targets.memory(), sources.memory()};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("degree_weights", degree_weights_cuda);
  library.impl("layer_weights", layer_weights_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
