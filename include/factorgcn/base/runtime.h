// Process-wide settings that a program wants before it trains.
#pragma once

#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Prepares the process for training on the CPU: `threads` (0: all cores allowed) for our kernels, one thread for ATen
/// and for the BLAS, so that their results do not depend on the number of threads and they do not fight ours for
/// cores; and an allocator that keeps large freed blocks, since fresh pages cost more than the arithmetic on them.
/// Libraries must not call this on their user's behalf; the command line and the benchmark do.
FACTORGCN_API void prepare_process(int threads = 0);

/// For embedders, who share the process with others: while it lives, `threads` (0: as many as before) serve our kernels
/// and one each ATen and the BLAS, as in a prepared process; then all is as it was. Results are a prepared process's.
class FACTORGCN_API PreparedThreads {
 public:
  explicit PreparedThreads(int threads = 0);
  ~PreparedThreads();
  PreparedThreads(const PreparedThreads&) = delete;
  PreparedThreads& operator=(const PreparedThreads&) = delete;

 private:
  int own_, aten_, blas_;
};

/// The BLAS that libtorch is bound to: "openblas", "mkl" or "reference" (slow; Debian's default without OpenBLAS).
FACTORGCN_API std::string blas_name();

/// Most memory this process has held, in MiB.
FACTORGCN_API double peak_memory_mib();

}  // namespace factorgcn
