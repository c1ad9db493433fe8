// The fibers and their scheduler; see device.h.
//
// A fiber begins by setcontext(); from then on switches are _setjmp() and _longjmp(), which unlike swapcontext() make
// no system call. Checked builds of longjmp refuse to change the stack, so that this file is not built with them.
#undef _FORTIFY_SOURCE

#include "cuda_on_cpu/device.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda_runtime.h"
#include "factorgcn/base/random.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace factorgcn::cuda_on_cpu {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024, kGuardBytes = 64 * 1024;
constexpr std::size_t kSharedWithoutAsking = 48 * 1024, kMostShared = 227 * 1024;
constexpr unsigned kMostThreads = 1024, kMostBlocksOfACluster = 16;

/// A stack with pages before it that may not be touched: a kernel that needs more ends at once.
class Stack {
 public:
  Stack() : pages_(mmap(nullptr, kGuardBytes + kStackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (pages_ == MAP_FAILED || mprotect(begin(), kStackBytes, PROT_READ | PROT_WRITE) != 0) {
      throw std::bad_alloc();
    }
  }
  ~Stack() { munmap(pages_, kGuardBytes + kStackBytes); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  char* begin() const { return static_cast<char*>(pages_) + kGuardBytes; }

 private:
  void* pages_;
};

enum class State { kReady, kAtBarrier, kAtWarp, kAtCluster, kEnded };

/// One thread of a block. It outlives the block: its next life begins where the last one ended.
struct Fiber {
  ucontext_t beginning{};
  jmp_buf here{};
  bool begun = false;
  Stack stack;
  State state = State::kReady;
  dim3 index;
  bool vote = false;
  int arrivals = 0;  // at the cluster's barrier, since it was last open
  std::source_location where;
  alignas(16) std::array<unsigned char, kMostGiven> given[2] = {};
  int given_now = 0;           // which of the two was given last
  void* fake_stack = nullptr;  // AddressSanitizer's
};

struct FreeAligned {
  void operator()(unsigned char* memory) const { operator delete[](memory, std::align_val_t(16)); }
};

using SharedMemory = std::unique_ptr<unsigned char[], FreeAligned>;

/// The device; there is one.
struct Device {
  std::vector<std::unique_ptr<Fiber>> fibers;  // of a cluster, block by block
  int threads = 0;                             // of a block
  int first = 0;                               // thread of the running block
  int current = 0;
  int votes = 0;
  const std::function<void()>* body = nullptr;
  std::vector<SharedMemory> shared;  // of a cluster's blocks
  std::size_t shared_bytes = 0;
  std::map<const void*, std::size_t> allowed;
  std::int64_t launches = 0;
  LaunchList* list = nullptr;
  std::uint64_t seed = 0, launches_since_seed = 0;
  jmp_buf scheduler{};
  // Of the scheduler's own stack, for AddressSanitizer.
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* fake_stack = nullptr;

  Fiber& running() { return *fibers[current]; }
  int rank() const { return first / threads; }
};

Device& device() {
  static Device only;
  return only;
}

// AddressSanitizer must be told when the stack changes.
void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
                   [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
}
void after_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                  [[maybe_unused]] std::size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, bottom, size);
#endif
}

void leave(State state) {
  Device& d = device();
  Fiber& fiber = d.running();
  fiber.state = state;
  before_switch(&fiber.fake_stack, d.bottom, d.size);
  if (_setjmp(fiber.here) == 0) {
    _longjmp(d.scheduler, 1);
  }
  after_switch(fiber.fake_stack, &d.bottom, &d.size);
}

void live() {
  Device& d = device();
  after_switch(nullptr, &d.bottom, &d.size);
  for (;;) {
    (*d.body)();
    leave(State::kEnded);
  }
}

void resume(int thread) {
  Device& d = device();
  d.current = thread;
  Fiber& fiber = d.running();
  threadIdx = fiber.index;
  before_switch(&d.fake_stack, fiber.stack.begin(), kStackBytes);
  if (_setjmp(d.scheduler) == 0) {
    if (fiber.begun) {
      _longjmp(fiber.here, 1);
    }
    fiber.begun = true;
    setcontext(&fiber.beginning);
  }
  after_switch(d.fake_stack, nullptr, nullptr);
}

std::unique_ptr<Fiber> new_fiber() {
  auto fiber = std::make_unique<Fiber>();
  getcontext(&fiber->beginning);
  fiber->beginning.uc_stack.ss_sp = fiber->stack.begin();
  fiber->beginning.uc_stack.ss_size = kStackBytes;
  makecontext(&fiber->beginning, live, 0);
  return fiber;
}

std::string place(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

/// Gives up on the block. Its fibers are lost in the middle of their work, so the next block gets new ones.
[[noreturn]] void fail(const std::string& what) {
  Device& d = device();
  const std::string block = std::to_string(blockIdx.x) + ", " + std::to_string(blockIdx.y);
  d.fibers.clear();
  throw std::logic_error("block (" + block + "): " + what);
}

std::string name_of(int thread) {
  const Device& d = device();
  return "thread " + std::to_string(thread % d.threads) +
         (d.shared.size() > 1 ? " of the cluster's block " + std::to_string(thread / d.threads) : "");
}

/// Lets threads first .. last go on, if all of them wait in `state` at one place.
bool release(State state, int first, int last) {
  Device& d = device();
  for (int t = first; t < last; ++t) {
    if (d.fibers[t]->state != state) {
      return false;
    }
  }
  const std::source_location& where = d.fibers[first]->where;
  for (int t = first; t < last; ++t) {
    const std::source_location& other = d.fibers[t]->where;
    if (other.line() != where.line() || std::strcmp(other.file_name(), where.file_name()) != 0) {
      fail(name_of(first) + " waits at " + place(where) + ", " + name_of(t) + " at " + place(other));
    }
  }
  for (int t = first; t < last; ++t) {
    d.fibers[t]->state = State::kReady;
  }
  return true;
}

/// Nobody of threads first .. last can go on, and they neither wait together nor have all ended: that is an error.
void expect_ended(int first, int last) {
  Device& d = device();
  for (int t = first; t < last; ++t) {
    if (d.fibers[t]->state != State::kEnded) {
      fail(name_of(t) + " waits at " + place(d.fibers[t]->where) + " for others that have ended or wait elsewhere");
    }
  }
}

/// Nobody can go on without the block: lets it go on. False once all wait for the cluster or have ended.
bool release_block() {
  Device& d = device();
  const int last = d.first + d.threads;
  d.votes = 0;
  bool at_cluster = true;
  for (int t = d.first; t < last; ++t) {
    d.votes += d.fibers[t]->state == State::kAtBarrier && d.fibers[t]->vote ? 1 : 0;
    at_cluster = at_cluster && d.fibers[t]->state == State::kAtCluster;
  }
  if (release(State::kAtBarrier, d.first, last)) {
    return true;
  }
  if (!at_cluster) {
    expect_ended(d.first, last);
    std::memset(d.shared[d.rank()].get(), 0xff, d.shared_bytes);
  }
  return false;
}

/// No block can go on without the cluster: lets it go on. False once all have ended.
bool release_cluster(int threads) {
  Device& d = device();
  for (int t = 0; t < threads; ++t) {
    Fiber& fiber = *d.fibers[t];
    if (fiber.arrivals != (fiber.state == State::kAtCluster ? 1 : 0)) {
      fail(name_of(t) + " arrived " + std::to_string(fiber.arrivals) + " times before it " +
           (fiber.state == State::kEnded ? "ended" : "waited at " + place(fiber.where)));
    }
    fiber.arrivals = 0;
  }
  if (release(State::kAtCluster, 0, threads)) {
    return true;
  }
  expect_ended(0, threads);
  return false;
}

/// One warp runs on as far as it can before the next does: what another one should have waited for is then most likely
/// not there yet, or gone already.
void run_warp(int warp, const std::vector<int>& lanes) {
  Device& d = device();
  const int first = d.first + warp * kWarpSize, last = std::min(first + kWarpSize, d.first + d.threads);
  do {
    for (const int lane : lanes) {
      if (first + lane < last && d.fibers[first + lane]->state == State::kReady) {
        resume(first + lane);
      }
    }
  } while (last - first == kWarpSize && release(State::kAtWarp, first, last));
}

/// Runs a cluster whose first block has that index, its blocks in the order of `ranks`.
void run_cluster(dim3 index, const std::vector<int>& ranks, const std::vector<int>& warps,
                 const std::vector<int>& lanes) {
  Device& d = device();
  const int threads = d.threads * static_cast<int>(ranks.size());
  for (int t = 0; t < threads; ++t) {
    Fiber& fiber = *d.fibers[t];
    const auto of_block = static_cast<unsigned>(t % d.threads), x = of_block % blockDim.x, rest = of_block / blockDim.x;
    fiber.index = dim3(x, rest % blockDim.y, rest / blockDim.y);
    fiber.state = State::kReady;
    fiber.arrivals = 0;
  }
  for (const SharedMemory& memory : d.shared) {
    std::memset(memory.get(), 0xff, d.shared_bytes);
  }
  do {
    for (const int rank : ranks) {
      d.first = rank * d.threads;
      blockIdx = dim3(index.x + static_cast<unsigned>(rank), index.y);
      do {
        for (const int warp : warps) {
          run_warp(warp, lanes);
        }
      } while (release_block());
    }
  } while (release_cluster(threads));
}

template <class Index>
std::vector<Index> some_order(std::size_t count, RandomStream* random) {
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), Index(0));
  if (random != nullptr) {
    random->shuffle(std::span<Index>(order));
  }
  return order;
}

}  // namespace

void set_order(std::uint64_t seed) {
  device().seed = seed;
  device().launches_since_seed = 0;
}

void run_grid(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& body, unsigned cluster) {
  Device& d = device();
  const std::uint64_t threads = std::uint64_t(block.x) * block.y * block.z;
  if (threads == 0 || threads > kMostThreads || grid.x == 0 || grid.y == 0 || grid.z != 1 || grid.x > 0x7fffffffu ||
      grid.y > 0xffffu || shared_bytes > kMostShared || cluster == 0 || cluster > kMostBlocksOfACluster ||
      grid.x % cluster != 0) {
    throw std::logic_error("a launch of " + std::to_string(grid.x) + " x " + std::to_string(grid.y) + " blocks of " +
                           std::to_string(threads) + " threads with " + std::to_string(shared_bytes) +
                           " bytes of shared memory in clusters of " + std::to_string(cluster) + ": a GPU refuses it");
  }
  ++d.launches;
  gridDim = grid;
  blockDim = block;
  d.threads = static_cast<int>(threads);
  d.body = &body;
  while (d.fibers.size() < threads * cluster) {
    d.fibers.push_back(new_fiber());
  }
  d.shared_bytes = shared_bytes;
  d.shared.clear();
  for (unsigned rank = 0; rank < cluster; ++rank) {
    d.shared.emplace_back(static_cast<unsigned char*>(operator new[](shared_bytes, std::align_val_t(16))));
  }
  RandomStream stream(d.seed, "cuda_on_cpu/order/" + std::to_string(d.launches_since_seed++));
  RandomStream* random = d.seed != 0 ? &stream : nullptr;
  const unsigned clusters = grid.x / cluster;
  for (const std::uint64_t c : some_order<std::uint64_t>(std::size_t(clusters) * grid.y, random)) {
    const dim3 index(static_cast<unsigned>(c % clusters) * cluster, static_cast<unsigned>(c / clusters));
    const auto ranks = some_order<int>(cluster, random),
               warps = some_order<int>((threads + kWarpSize - 1) / kWarpSize, random),
               lanes = some_order<int>(kWarpSize, random);
    run_cluster(index, ranks, warps, lanes);
  }
  d.shared.clear();
}

std::int64_t launch_count() { return device().launches; }

void allow_shared(const void* kernel, std::size_t bytes) { device().allowed[kernel] = bytes; }

void ask_for(const Launch& launch) {
  Device& d = device();
  const auto found = d.allowed.find(launch.kernel);
  if (launch.shared > (found != d.allowed.end() ? found->second : kSharedWithoutAsking)) {
    throw std::logic_error("a launch with " + std::to_string(launch.shared) +
                           " bytes of shared memory, for which cudaFuncSetAttribute was not called");
  }
  if (d.list != nullptr) {
    d.list->launches.push_back(launch);
  }
}

LaunchList::LaunchList() { device().list = this; }

LaunchList::~LaunchList() { device().list = nullptr; }

int wait_for_block(bool vote, const std::source_location& where) {
  Fiber& fiber = device().running();
  fiber.vote = vote;
  fiber.where = where;
  leave(State::kAtBarrier);
  return device().votes;
}

void wait_for_warp(const void* given, std::size_t bytes, const std::source_location& where) {
  Fiber& fiber = device().running();
  // Two places in turn: whoever reads one of them has not yet reached the next wait, after which the other is written.
  fiber.given_now = 1 - fiber.given_now;
  if (bytes > 0) {
    std::memcpy(fiber.given[fiber.given_now].data(), given, bytes);
  }
  fiber.where = where;
  leave(State::kAtWarp);
}

const void* given_by(int lane) {
  Device& d = device();
  const Fiber& other = *d.fibers[d.current - lane_number() + lane];
  return other.given[d.running().given_now].data();
}

void arrive_at_cluster() { ++device().running().arrivals; }

void wait_for_cluster(const std::source_location& where) {
  device().running().where = where;
  leave(State::kAtCluster);
}

int lane_number() { return (device().current - device().first) % kWarpSize; }

void* shared_memory() { return device().shared[device().rank()].get(); }

void* shared_memory_of(const void* mine, unsigned rank) {
  Device& d = device();
  return d.shared.at(rank).get() + (static_cast<const unsigned char*>(mine) - d.shared[d.rank()].get());
}

}  // namespace factorgcn::cuda_on_cpu
