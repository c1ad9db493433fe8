// Ctrl-C during long work of the library: the work is asked to stop, and Python hears of it as KeyboardInterrupt.
//
// For work that does not come back to Python by itself; Python's own handler is back in place afterwards. Where another
// thread is catching signals already, they stay its own.
#pragma once

#include <memory>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"

namespace factorgcn::python {

class CaughtInterrupts {
 public:
  CaughtInterrupts() {
    try {
      guard_ = std::make_unique<InterruptGuard>();
    } catch (const Error&) {
    }
  }
  ~CaughtInterrupts() {
    if (guard_ != nullptr) {
      guard_.reset();
      clear_interrupt();
    }
  }
  CaughtInterrupts(const CaughtInterrupts&) = delete;
  CaughtInterrupts& operator=(const CaughtInterrupts&) = delete;

  bool any() const { return guard_ != nullptr && interrupt_signal() != 0; }

 private:
  std::unique_ptr<InterruptGuard> guard_;
};

}  // namespace factorgcn::python
