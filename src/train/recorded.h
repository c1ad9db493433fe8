// A piece of work that is done again and again: recorded and replayed on a GPU, simply run on the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <utility>

#include "factorgcn/gpu/captured_step.h"

namespace factorgcn {

class Recorded {
 public:
  /// On a GPU the work is done twice before it is recorded; the caller puts back what that changed. `beside`: see
  /// gpu/captured_step.h.
  Recorded(at::Device device, std::function<void()> work, const Recorded* beside = nullptr) {
    if (device.is_cpu()) {
      work_ = std::move(work);
    } else {
      captured_ = std::make_unique<CapturedStep>(work, 2, beside == nullptr ? nullptr : beside->captured_.get());
    }
  }

  /// Returns before a GPU is done.
  void run() {
    if (captured_ != nullptr) {
      captured_->replay();
    } else {
      work_();
    }
  }

 private:
  std::function<void()> work_;
  std::unique_ptr<CapturedStep> captured_;
};

}  // namespace factorgcn
