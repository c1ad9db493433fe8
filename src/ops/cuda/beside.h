// A second stream for discriminators, whose losses nobody needs before the model's own prediction.
#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <map>
#include <memory>
#include <mutex>

namespace factorgcn::cuda {

/// One per GPU, with the marks at which it and the caller's stream wait for each other. What it writes must be memory
/// of its own stream where it goes on after the loss: the caller may be gone by then.
struct Beside {
  c10::cuda::CUDAStream stream;
  cudaEvent_t forked = nullptr, judged = nullptr, ended = nullptr;
  // Something has been asked of it that nobody waits for yet: a recording must not wait for what was never part of it.
  bool owes_loss = false, owes_gradient = false;

  explicit Beside(c10::DeviceIndex device) : stream(c10::cuda::getStreamFromPool(false, device)) {
    for (cudaEvent_t* mark : {&forked, &judged, &ended}) {
      C10_CUDA_CHECK(cudaEventCreateWithFlags(mark, cudaEventDisableTiming));
    }
  }
  static Beside& on(c10::DeviceIndex device) {
    static std::mutex mutex;
    static std::map<int, std::unique_ptr<Beside>> known;
    const std::lock_guard lock(mutex);
    std::unique_ptr<Beside>& entry = known[device];
    if (entry == nullptr) {
      entry = std::make_unique<Beside>(device);
    }
    return *entry;
  }
  /// What is asked of the second stream from here on comes after what the caller has asked for.
  void fork(cudaStream_t caller) {
    C10_CUDA_CHECK(cudaEventRecord(forked, caller));
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream.stream(), forked, 0));
  }
  /// The loss is there once this point is reached.
  void mark_loss() {
    owes_loss = true;
    C10_CUDA_CHECK(cudaEventRecord(judged, stream.stream()));
  }
  /// The loss's gradient is.
  void mark_gradient() {
    owes_gradient = true;
    C10_CUDA_CHECK(cudaEventRecord(ended, stream.stream()));
  }
  void wait_for_loss(cudaStream_t caller) {
    if (owes_loss) {
      owes_loss = false;
      C10_CUDA_CHECK(cudaStreamWaitEvent(caller, judged, 0));
    }
  }
  void wait_for_gradient(cudaStream_t caller) {
    if (owes_gradient) {
      owes_gradient = false;
      C10_CUDA_CHECK(cudaStreamWaitEvent(caller, ended, 0));
    }
  }
};

}  // namespace factorgcn::cuda
