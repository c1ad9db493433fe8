// A GPU's programming model on one CPU thread, so that kernels can be tested where there is no GPU.
//
// A kernel's source is compiled as C++ (include/ holds what it includes of CUDA) and its launches come to run_grid().
// Blocks run one after the other; a block's threads are fibers that run in turn, each until it waits for its block or
// its warp, or has ended. What that shows: wrong arithmetic, wrong indices (with AddressSanitizer, also accesses beyond
// an array: arrays of tests are allocations of their exact size, and so is dynamic shared memory), reads of dynamic
// shared memory that nobody has written (it is filled with 0xff before each block), barriers and shuffles that not all
// threads reach, and results that depend on the order of blocks or of a block's threads: set_order() shuffles both, and
// each warp runs on as far as it can, so that most missing barriers show.
//
// Launches go through streams.h; those on the caller's stream, which is null, run at once unless a test says otherwise.
//
// The blocks of a cluster take turns: each runs until all its threads wait for the cluster or have ended. A block's
// dynamic shared memory is filled with 0xff again when it ends, so that others of its cluster who read on show.
//
// What it cannot show: that there are no races (a thread is never interrupted between two waits, no two blocks run at a
// time, and only some orders are tried), memory ordering and missing fences, limits of registers, the hardware's own
// rounding (__expf, tensor cores), and time. Misaligned vector accesses are for UndefinedBehaviorSanitizer to see.
// Static __shared__ arrays are ordinary statics here: they keep what the block before has left, and kernels that run in
// clusters must do without them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <vector>

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x_given = 1, unsigned y_given = 1, unsigned z_given = 1) : x(x_given), y(y_given), z(z_given) {}
};

namespace factorgcn::cuda_on_cpu {

class Stream;  // streams.h

inline constexpr int kWarpSize = 32;

/// From here on blocks, the warps of a block and the lanes of a warp run in an order drawn from `seed`; 0: ascending.
void set_order(std::uint64_t seed);

/// Runs `body` once per thread. Throws std::logic_error where a GPU would refuse the launch, hang or be undefined:
/// limits exceeded, threads that end or wait elsewhere while others wait for them. Each `cluster` blocks that are
/// neighbours in x form a cluster.
void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body, unsigned cluster = 1);

/// Launches since the program began.
std::int64_t launch_count();

/// A launch as it was asked for, whenever it runs.
struct Launch {
  const void* kernel;
  const Stream* stream;
  dim3 grid, block;
  std::size_t shared;
};
/// While this lives, launches are listed; one list at a time.
class LaunchList {
 public:
  LaunchList();
  ~LaunchList();
  LaunchList(const LaunchList&) = delete;
  LaunchList& operator=(const LaunchList&) = delete;

  std::vector<Launch> launches;
};

/// A kernel with more than 48 KB of dynamic shared memory must have asked for it before.
void allow_shared(const void* kernel, std::size_t bytes);
/// For every launch, when it is asked for: lists it. Throws std::logic_error where the kernel has not asked.
void ask_for(const Launch& launch);

// ---- called by kernels ---------------------------------------------------------------------------------------------

/// Returns once all threads of the block wait at the same place; says in how many of them `vote` was true.
int wait_for_block(bool vote, const std::source_location& where);

/// Returns once all threads of the warp wait at the same place. What each gave can be read until the warp's next wait
/// but one.
void wait_for_warp(const void* given, std::size_t bytes, const std::source_location& where);
const void* given_by(int lane);
inline constexpr std::size_t kMostGiven = 32;

/// Each thread arrives once before it waits; returns once all threads of the cluster wait at the same place.
void arrive_at_cluster();
void wait_for_cluster(const std::source_location& where);

int lane_number();
void* shared_memory();

/// Where `mine`, a place in the running block's dynamic shared memory, lies in that of another block of the cluster.
void* shared_memory_of(const void* mine, unsigned rank);

}  // namespace factorgcn::cuda_on_cpu
