// SIGINT and SIGTERM as a question that the trainer asks after each batch.
//
// Signal handlers belong to the program, not to the library: the command line makes an InterruptGuard, and the trainer
// only reads the flag. A second signal ends the process at once, as if nobody had caught it.
#pragma once

#include "factorgcn/base/export.h"

namespace factorgcn {

/// The signal that asked for an end, or 0.
FACTORGCN_API int interrupt_signal();

/// Sets the flag as a signal would; for embedders and tests.
FACTORGCN_API void request_interrupt(int signal);

FACTORGCN_API void clear_interrupt();

/// Catches SIGINT and SIGTERM while it lives; restores the former handlers. One at a time. The constructor clears the
/// flag, the destructor leaves it.
class FACTORGCN_API InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace factorgcn
