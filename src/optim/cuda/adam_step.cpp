// Adam's step on the GPU: one kernel that also gathers the parameters' gradients.
#include "optim/adam_step.h"

#include "factorgcn/base/error.h"
#include "gpu/cuda/on_device.h"
#include "optim/cuda/adam.h"

namespace factorgcn {
namespace {

template <class T>
void step_in(const AdamOptions& options, const GpuAdamState& state, const std::vector<at::Tensor>& parameter_gradients,
             const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& counts, cudaStream_t stream) {
  cuda::GradientPieces<T> pieces;
  std::vector<at::Tensor> kept;
  if (parameter_gradients.size() <= cuda::kMaxGradientPieces) {
    for (std::size_t index = 0; index < parameter_gradients.size(); ++index) {
      const at::Tensor& gradient = parameter_gradients[index];
      kept.push_back(gradient.defined() ? gradient.contiguous() : gradient);
      const T* const values = gradient.defined() ? kept.back().data_ptr<T>() : nullptr;
      pieces.at[pieces.count++] = {values, offsets[index], counts[index]};
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
  cuda::adam_step(step, pieces, stream);
}

}  // namespace

void gpu_adam_step(const AdamOptions& options, const GpuAdamState& state,
                   const std::vector<at::Tensor>& parameter_gradients, const std::vector<std::int64_t>& offsets,
                   const std::vector<std::int64_t>& counts) {
  const at::ScalarType type = state.values.scalar_type();
  require(type == at::kFloat || type == at::kDouble, "Adam: type ", type, " is not supported; use float32 or float64");
  const cuda::OnDeviceOf device(state.values);
  const auto step = type == at::kFloat ? step_in<float> : step_in<double>;
  step(options, state, parameter_gradients, offsets, counts, device.stream);
  cuda::check_launch();
}

}  // namespace factorgcn
