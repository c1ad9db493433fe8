// Batches from main memory to a GPU, ahead of their use: two pinned pieces of memory and two on the GPU, and a stream
// of its own for the copies between them. While the GPU works on one batch the next is filled in and sent.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "factorgcn/base/export.h"

namespace factorgcn {

class FACTORGCN_API HostFeed {
 public:
  static constexpr int kSlots = 2;

  HostFeed(std::int64_t bytes, at::Device device);
  ~HostFeed();
  HostFeed(const HostFeed&) = delete;
  HostFeed& operator=(const HostFeed&) = delete;

  /// The slot's pinned memory, uint8 [bytes]. Waits until what was in it has been copied.
  at::Tensor fill(int slot);

  /// Starts the copy of what fill() was given.
  void send(int slot);

  /// On the current stream: once the copy has arrived, puts it into `to`. Does not wait.
  void receive(int slot, const at::Tensor& to);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace factorgcn
