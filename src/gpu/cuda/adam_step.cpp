// Adam's step on the GPU: one kernel that also gathers the parameters' gradients.
#include "gpu/adam_step.h"

#include <ATen/core/grad_mode.h>

#include "ops/cuda/elementwise.h"
#include "ops/cuda/glue.h"

namespace factorgcn {

void gpu_adam_step(const AdamOptions& options, const GpuAdamState& state,
                   const std::vector<at::Tensor>& parameter_gradients, const std::vector<std::int64_t>& offsets,
                   const std::vector<std::int64_t>& counts) {
  const cuda::OnDeviceOf device(state.values);
  with_floating(state.values, "Adam", [&](auto scalar) {
    using T = decltype(scalar);
    cuda::GradientPieces<T> pieces;
    std::vector<at::Tensor> kept;
    if (parameter_gradients.size() <= cuda::kMaxGradientPieces) {
      for (std::size_t index = 0; index < parameter_gradients.size(); ++index) {
        const at::Tensor& gradient = parameter_gradients[index];
        kept.push_back(gradient.defined() ? gradient.contiguous() : gradient);
        pieces.at[pieces.count++] = {values_or_null<T>(kept.back()), offsets[index], counts[index]};
      }
    } else {
      for (std::size_t index = 0; index < parameter_gradients.size(); ++index) {
        at::Tensor place = state.gradients.narrow(0, offsets[index], counts[index]);
        if (parameter_gradients[index].defined()) {
          place.copy_(parameter_gradients[index].flatten());
        } else {
          place.zero_();
        }
      }
    }
    cuda::AdamStep<T> step;
    step.count = state.values.numel();
    step.values = state.values.data_ptr<T>();
    step.gradients = state.gradients.data_ptr<T>();
    step.first = state.first.data_ptr<T>();
    step.second = state.second.data_ptr<T>();
    step.steps = state.steps.data_ptr<std::int64_t>();
    step.rate = state.rate.data_ptr<double>();
    step.ended = state.ended.data_ptr<std::int32_t>();
    step.beta1 = options.beta1;
    step.beta2 = options.beta2;
    step.eps = options.eps;
    step.weight_decay = options.weight_decay;
    cuda::adam_step(step, pieces, device.stream);
  });
  cuda::check_launch();
}

}  // namespace factorgcn
