// Streams beside the caller's, for discriminators: nobody needs their losses before the model's own prediction, nor
// their gradients before the layer's turn in the backward pass.
#pragma once

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <array>
#include <map>
#include <memory>
#include <mutex>

namespace factorgcn::cuda {

/// One such stream, with the marks at which it and the caller's stream wait for each other. What it writes must be
/// memory of its own stream where it goes on after the loss: the caller may be gone by then.
struct Beside {
  int number;  ///< among those of its GPU
  c10::cuda::CUDAStream stream;
  cudaEvent_t forked = nullptr, listed = nullptr, judged = nullptr, found = nullptr, ended = nullptr;
  // Something has been asked of it that nobody waits for yet: a recording must not wait for what was never part of it.
  bool owes_loss = false, owes_gradient = false, owes_weights = false;

  Beside(int own_number, c10::DeviceIndex device)
      : number(own_number), stream(c10::cuda::getStreamFromPool(false, device)) {
    for (cudaEvent_t* mark : {&forked, &listed, &judged, &found, &ended}) {
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
    C10_CUDA_CHECK(cudaEventRecord(listed, stream.stream()));
    C10_CUDA_CHECK(cudaStreamWaitEvent(caller, listed, 0));
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
  Beside& take(Context& context) {
    Beside& taken = next();
    context.saved_data["beside"] = std::int64_t(taken.number);
    return taken;
  }
  /// The one a layer has taken, or null.
  template <class Context>
  Beside* taken(Context& context) {
    const auto number = context.saved_data.find("beside");
    return number == context.saved_data.end() ? nullptr
                                              : all_.at(static_cast<std::size_t>(number->second.toInt())).get();
  }

  Beside& next() { return *all_[static_cast<std::size_t>(taken_++) % all_.size()]; }
  const auto& all() const { return all_; }

 private:
  static constexpr int kStreams = 3;

  explicit BesideStreams(c10::DeviceIndex device) {
    for (int number = 0; number < kStreams; ++number) {
      all_[static_cast<std::size_t>(number)] = std::make_unique<Beside>(number, device);
    }
  }

  std::array<std::unique_ptr<Beside>, kStreams> all_;
  unsigned taken_ = 0;
};

}  // namespace factorgcn::cuda
