// Two slots, each with an event for "has arrived on the GPU" and one for "has been taken from there".
#include "factorgcn/gpu/host_feed.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <array>

#include "factorgcn/base/error.h"

namespace factorgcn {

struct HostFeed::State {
  struct Slot {
    at::Tensor host, there;
    cudaEvent_t arrived = nullptr, taken = nullptr;
  };
  at::Device device;
  std::size_t bytes;
  c10::cuda::CUDAStream stream;
  std::array<Slot, kSlots> slots;

  State(std::int64_t size, at::Device where)
      : device(where),
        bytes(static_cast<std::size_t>(size)),
        stream(c10::cuda::getStreamFromPool(false, where.index())) {
    const c10::cuda::CUDAGuard guard(device);
    for (Slot& slot : slots) {
      slot.host = at::empty({size}, at::TensorOptions().dtype(at::kByte).pinned_memory(true));
      slot.there = at::empty({size}, at::TensorOptions().dtype(at::kByte).device(device));
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&slot.arrived, cudaEventDisableTiming));
      C10_CUDA_CHECK(cudaEventCreateWithFlags(&slot.taken, cudaEventDisableTiming));
    }
  }
  ~State() {
    // The memory goes back to libtorch: nothing may still be under way in it.
    cudaStreamSynchronize(stream.stream());
    for (Slot& slot : slots) {
      cudaEventDestroy(slot.arrived);
      cudaEventDestroy(slot.taken);
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

HostFeed::HostFeed(std::int64_t bytes, at::Device device) : state_(std::make_unique<State>(bytes, device)) {}

HostFeed::~HostFeed() = default;

at::Tensor HostFeed::fill(int slot) {
  C10_CUDA_CHECK(cudaEventSynchronize(state_->slots[slot].arrived));  // of an event never recorded: returns at once
  return state_->slots[slot].host;
}

void HostFeed::send(int slot) {
  const c10::cuda::CUDAGuard guard(state_->device);
  State::Slot& at = state_->slots[slot];
  C10_CUDA_CHECK(cudaStreamWaitEvent(state_->stream.stream(), at.taken));
  C10_CUDA_CHECK(cudaMemcpyAsync(at.there.data_ptr(), at.host.data_ptr(), state_->bytes, cudaMemcpyHostToDevice,
                                 state_->stream.stream()));
  C10_CUDA_CHECK(cudaEventRecord(at.arrived, state_->stream.stream()));
}

void HostFeed::receive(int slot, const at::Tensor& to) {
  const c10::cuda::CUDAGuard guard(state_->device);
  State::Slot& at = state_->slots[slot];
  require(to.nbytes() == state_->bytes && to.is_contiguous(), "a feed of ", state_->bytes, " bytes cannot fill ",
          to.nbytes());
  const cudaStream_t current = c10::cuda::getCurrentCUDAStream(state_->device.index()).stream();
  C10_CUDA_CHECK(cudaStreamWaitEvent(current, at.arrived));
  C10_CUDA_CHECK(cudaMemcpyAsync(to.data_ptr(), at.there.data_ptr(), state_->bytes, cudaMemcpyDeviceToDevice, current));
  C10_CUDA_CHECK(cudaEventRecord(at.taken, current));
}

}  // namespace factorgcn
