// A small pool of threads for the library's own kernels.
//
// Why not at::parallel_for: results must be the same bits for any number of threads, so work is cut into tasks by the
// data alone and the pool only decides who runs which task. Keeping ATen itself at one thread (see base/runtime.h)
// makes its reductions reproducible too. std::thread, unlike an OpenMP runtime, is understood by ThreadSanitizer.
// A forked child computes with threads of its own, as many as its parent used, and ends without waiting for any other.
#pragma once

#include <cstdint>
#include <functional>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// How many threads kernels use, the caller's included. Starts at the number of cores this process may run on.
FACTORGCN_API int num_threads();

/// Sets the number of threads (at least 1). Not to be called while kernels run.
FACTORGCN_API void set_num_threads(int count);

/// The number of cores this process may use, from its affinity mask.
FACTORGCN_API int available_cores();

/// Runs task(0) .. task(count - 1), each exactly once, in any order, on the pool and the calling thread; returns when
/// all are done. The first exception thrown by a task is rethrown here. A call from inside a task runs serially.
FACTORGCN_API void parallel_tasks(std::int64_t count, const std::function<void(std::int64_t)>& task);

}  // namespace factorgcn
