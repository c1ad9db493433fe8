// Streams beside the caller's, for discriminators: nobody needs their losses before the model's own prediction, nor
// their gradients before the layer's turn in the backward pass.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace factorgcn::cuda {

/// One such stream, with the marks at which it and the caller's stream wait for each other. What it reads and writes
/// must be kept by the layer's Taken or be memory of its own stream: the caller may be gone by the time it runs.
struct Beside {
  c10::cuda::CUDAStream stream;
  cudaEvent_t forked = nullptr, joined = nullptr, judged = nullptr, found = nullptr, ended = nullptr;
  // Something has been asked of it that nobody waits for yet: a recording must not wait for what was never part of it.
  bool owes_loss = false, owes_gradient = false, owes_weights = false;

  explicit Beside(c10::DeviceIndex device) : stream(c10::cuda::getStreamFromPool(false, device)) {
    for (cudaEvent_t* mark : {&forked, &joined, &judged, &found, &ended}) {
      C10_CUDA_CHECK(cudaEventCreateWithFlags(mark, cudaEventDisableTiming));
    }
  }
  /// What is asked of this stream from here on comes after what the caller has asked for.
  void fork(cudaStream_t caller) {
    C10_CUDA_CHECK(cudaEventRecord(forked, caller));
    C10_CUDA_CHECK(cudaStreamWaitEvent(stream.stream(), forked, 0));
  }
  /// The loss is there once this point is reached.
  void mark_loss() {
    owes_loss = true;
    C10_CUDA_CHECK(cudaEventRecord(judged, stream.stream()));
  }
  /// The loss's gradient is, but for that of the weights.
  void mark_gradient() {
    owes_gradient = true;
    C10_CUDA_CHECK(cudaEventRecord(found, stream.stream()));
  }
  /// The weights' gradient is, and with it all that was asked for.
  void mark_weights() {
    owes_weights = true;
    C10_CUDA_CHECK(cudaEventRecord(ended, stream.stream()));
  }
  /// The caller waits for all that this stream was asked for so far.
  void join(cudaStream_t caller) {
    C10_CUDA_CHECK(cudaEventRecord(joined, stream.stream()));
    C10_CUDA_CHECK(cudaStreamWaitEvent(caller, joined, 0));
  }
  void wait_for_loss(cudaStream_t caller) {
    if (owes_loss) {
      owes_loss = false;
      C10_CUDA_CHECK(cudaStreamWaitEvent(caller, judged, 0));
    }
  }
  void wait_for_gradient(cudaStream_t caller) {
    if (owes_gradient) {
      owes_loss = owes_gradient = false;
      C10_CUDA_CHECK(cudaStreamWaitEvent(caller, found, 0));
    }
  }
  void wait_for_weights(cudaStream_t caller) {
    if (owes_weights) {
      owes_weights = false;
      C10_CUDA_CHECK(cudaStreamWaitEvent(caller, ended, 0));
    }
  }
};

/// A layer's hold on the stream it has taken; its context has it. Should the layer be dropped without a backward pass,
/// the caller's stream waits for all that the stream beside was asked for, and only then may what the layer kept for it
/// be given to others.
class Taken : public torch::CustomClassHolder {
 public:
  Taken(Beside& stream_beside, cudaStream_t caller)
      : beside(stream_beside), caller_(caller), in_recording_(recording()) {}
  ~Taken() override {
    try {
      // A recording cannot wait for what is not part of it, nor need anyone wait for a recording that has ended.
      if (!over_ && in_recording_ == recording()) {
        beside.join(caller_);
        beside.owes_loss = beside.owes_gradient = beside.owes_weights = false;
      }
    } catch (const std::exception&) {
      // At the end of the program the GPU may be gone before the layer is.
    }
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

  /// What the stream reads and writes. Memory, not tensors: the layer's output must not keep its own graph alive.
  void keep(const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
      if (tensor.defined()) {
        kept_.push_back(tensor.storage());
      }
    }
  }
  /// The caller's stream has waited for the gradient; for the weights' the stream beside still needs these.
  void keep_only(const std::vector<at::Tensor>& tensors) {
    kept_.clear();
    keep(tensors);
  }
  /// The caller's stream has waited for all of it.
  void end() {
    over_ = true;
    kept_.clear();
  }

  Beside& beside;

 private:
  static bool recording() {
    return c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
  }

  cudaStream_t caller_;
  bool in_recording_, over_ = false;
  std::vector<c10::Storage> kept_;
};

/// Those of one GPU. Layers take them in turn, so that one layer's discriminator need not wait for the one before.
class BesideStreams {
 public:
  static BesideStreams& on(c10::DeviceIndex device) {
    static std::mutex mutex;
    static std::map<int, std::unique_ptr<BesideStreams>> known;
    const std::lock_guard lock(mutex);
    std::unique_ptr<BesideStreams>& entry = known[device];
    if (entry == nullptr) {
      entry = std::unique_ptr<BesideStreams>(new BesideStreams(device));
    }
    return *entry;
  }

  /// One for a layer, which its backward pass finds again by its context.
  template <class Context>
  Beside& take(Context& context, cudaStream_t caller) {
    Beside& taken = next();
    context.saved_data[kKey] = at::IValue::make_capsule(c10::make_intrusive<Taken>(taken, caller));
    return taken;
  }
  /// What a layer has taken, or null.
  template <class Context>
  static Taken* taken(Context& context) {
    const auto found = context.saved_data.find(kKey);
    return found == context.saved_data.end() ? nullptr : static_cast<Taken*>(found->second.toCapsule().get());
  }

  Beside& next() { return *all_[static_cast<std::size_t>(taken_++) % all_.size()]; }
  const auto& all() const { return all_; }

 private:
  static constexpr int kStreams = 3;
  static constexpr const char* kKey = "beside";

  explicit BesideStreams(c10::DeviceIndex device) {
    for (auto& beside : all_) {
      beside = std::make_unique<Beside>(device);
    }
  }

  std::array<std::unique_ptr<Beside>, kStreams> all_;
  unsigned taken_ = 0;
};

}  // namespace factorgcn::cuda
