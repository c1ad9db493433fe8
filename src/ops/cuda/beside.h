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
#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace factorgcn::cuda {

/// One such stream, with the marks at which it and the caller's stream wait for each other. What it reads and writes
/// must be kept by the layer's Taken or be memory of its own stream: the caller may be gone by the time it runs.
struct Beside {
  c10::cuda::CUDAStream stream;
  cudaEvent_t forked = nullptr, joined = nullptr, judged = nullptr, found = nullptr, ended = nullptr;
  // Something has been asked of it that nobody waits for yet: a recording must not wait for what was never part of it.
  bool owes_loss = false, owes_gradient = false, owes_weights = false;

  /// Streams of a smaller number come first where kernels of several could begin.
  Beside(c10::DeviceIndex device, int priority) : stream(c10::cuda::getStreamFromPool(priority, device)) {
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
  ~Taken() override;
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
  void wait_for_gradient(cudaStream_t caller) const;
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

/// Those of one GPU. Layers take them in turn, so that one layer's discriminator need not wait for the one before; the
/// later a layer, the sooner the backward pass needs its discriminator, and the more urgent is its stream.
class BesideStreams {
 public:
  static BesideStreams& on(c10::DeviceIndex device) {
    static std::mutex mutex;
    static auto& known = *new std::map<int, BesideStreams*>;  // for good: layers may be dropped at the very end
    const std::lock_guard lock(mutex);
    BesideStreams*& entry = known[device];
    if (entry == nullptr) {
      entry = new BesideStreams(device);
    }
    return *entry;
  }

  /// One for a layer, which its backward pass finds again by its context.
  template <class Context>
  Taken& take(Context& context, cudaStream_t caller) {
    start();
    const int others = layers_++;
    auto taken = c10::make_intrusive<Taken>(*all_[static_cast<std::size_t>(others) % all_.size()], caller);
    context.saved_data[kKey] = at::IValue::make_capsule(taken);
    return *taken;
  }
  /// What a layer has taken, or null.
  template <class Context>
  static Taken* taken(Context& context) {
    const auto found = context.saved_data.find(kKey);
    return found == context.saved_data.end() ? nullptr : static_cast<Taken*>(found->second.toCapsule().get());
  }

  /// Puts off what a layer wants of the stream it has taken until start(), which batch norm calls once it has asked for
  /// its own kernel, and where there is none the next layer, or whoever waits. A GPU does not interrupt a kernel for
  /// another: what nobody waits for yet, begun first, would keep the caller's own from beginning for as long as it
  /// takes; batch norm waited 7 us. `work` must keep no reference to the layer's output.
  void put_off(const Taken& taken, std::function<void()> work) {
    start();
    const std::lock_guard lock(mutex_);
    owner_ = &taken;
    work_ = std::move(work);
  }
  void start() { run(take_work(nullptr)); }
  /// A layer is dropped. Its loss may still be wanted, unless it was to be part of a recording that has ended.
  void give_back(const Taken& taken, bool wants_loss) {
    --layers_;
    const std::function<void()> work = take_work(&taken);
    if (wants_loss) {
      run(work);
    }
  }

  const auto& all() const { return all_; }

 private:
  static constexpr int kStreams = 3;
  static constexpr const char* kKey = "beside";

  explicit BesideStreams(c10::DeviceIndex device) {
    for (int i = 0; i < kStreams; ++i) {
      all_[static_cast<std::size_t>(i)] = std::make_unique<Beside>(device, -i);
    }
  }

  /// Whosever it is, or that of one layer.
  std::function<void()> take_work(const Taken* owner) {
    const std::lock_guard lock(mutex_);
    return owner == nullptr || owner == owner_ ? std::exchange(work_, nullptr) : nullptr;
  }
  static void run(const std::function<void()>& work) {
    if (work) {
      work();
    }
  }

  std::array<std::unique_ptr<Beside>, kStreams> all_;
  std::atomic<int> layers_ = 0;  // that have taken one and have not been dropped
  std::mutex mutex_;             // of what is put off
  const Taken* owner_ = nullptr;
  std::function<void()> work_;
};

inline Taken::~Taken() {
  try {
    const bool same_recording = in_recording_ == recording();
    BesideStreams::on(beside.stream.device_index()).give_back(*this, same_recording);
    // A recording cannot wait for what is not part of it, nor need anyone wait for a recording that has ended.
    if (!over_ && same_recording) {
      beside.join(caller_);
      beside.owes_loss = beside.owes_gradient = beside.owes_weights = false;
    }
  } catch (const std::exception&) {
    // At the end of the program the GPU may be gone before the layer is.
  }
}

inline void Taken::wait_for_gradient(cudaStream_t caller) const {
  BesideStreams::on(beside.stream.device_index()).start();
  beside.wait_for_gradient(caller);
}

}  // namespace factorgcn::cuda
