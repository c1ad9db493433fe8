// Sums of weights' gradients that are put off: who may, and the launches.
#include "ops/cuda/put_off_sums.h"

#include <c10/cuda/CUDAGuard.h>

#include <exception>
#include <utility>

#include "ops/cuda/glue.h"

namespace factorgcn::cuda {

std::shared_ptr<PutOffSums> PutOffSums::of(const std::vector<at::Tensor>& weights, std::int64_t bytes) {
  PutOffPass* const pass = PutOffPass::current();
  if (pass == nullptr) {
    return nullptr;
  }
  for (const at::Tensor& weight : weights) {
    if (weight.defined() && !pass->allows(weight)) {
      return nullptr;
    }
  }
  const c10::DeviceIndex device = weights.front().device().index();
  const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream(device);
  auto sums =
      std::dynamic_pointer_cast<PutOffSums>(pass->work([&] { return std::make_shared<PutOffSums>(device, stream); }));
  // Another GPU or stream works at the same time as this one.
  if (sums == nullptr || sums->device_ != device || sums->stream_.stream() != stream.stream() ||
      sums->bytes_ + bytes > kMostBytes) {
    return nullptr;
  }
  sums->bytes_ += bytes;
  return sums;
}

void PutOffSums::keep(const std::vector<at::Tensor>& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.defined()) {
      kept_.push_back(tensor.storage());
    }
  }
}

void PutOffSums::promise(const at::Tensor& weight, const at::Tensor& gradient) {
  keep({gradient});
  PutOffPass::current()->promise(weight, gradient);
}

/// What is kept must not be given to others while a stream beside may still use it, also where the pass has failed.
PutOffSums::~PutOffSums() {
  try {
    wait_for_besides();
  } catch (const std::exception&) {
    // At the end of the program, or of a recording that has failed, there is nothing to wait for.
  }
}

void PutOffSums::wait_for_besides() {
  for (Beside* const beside : std::exchange(besides_, {})) {
    beside->wait_for_weights(stream_.stream());
  }
}

void PutOffSums::run() {
  const c10::cuda::CUDAStream caller = c10::cuda::getCurrentCUDAStream(device_);
  const c10::cuda::CUDAStreamGuard guard(stream_);
  const auto each = [&](const auto& run) {
    run(std::get<Sums<float>>(sums_));
    run(std::get<Sums<double>>(sums_));
  };
  // First, though only the second launch needs it: with nothing between the two the second is set up early.
  wait_for_besides();
  each([&](const auto& sums) {
    run_weight_sums(sums.maps.data(), static_cast<int>(sums.maps.size()), stream_.stream());
  });
  each([&](const auto& sums) {
    add_partial_sums(sums.sets.data(), static_cast<int>(sums.sets.size()), stream_.stream());
  });
  check_launch();
  for (const auto& taken : taken_) {
    taken->end();
  }
  kept_.clear();
  if (caller.stream() != stream_.stream()) {
    cudaEvent_t done = nullptr;
    C10_CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    C10_CUDA_CHECK(cudaEventRecord(done, stream_.stream()));
    C10_CUDA_CHECK(cudaStreamWaitEvent(caller.stream(), done, 0));
    C10_CUDA_CHECK(cudaEventDestroy(done));
  }
}

}  // namespace factorgcn::cuda
