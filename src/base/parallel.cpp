// The pool behind parallel_tasks.
//
// A training step opens up to a score of regions, with up to a millisecond of the caller's own work between two, so
// workers spin for longer than that before they sleep: waking a sleeping thread costs as much as a small region. The
// caller never waits for a thread that has not come yet: it takes tasks itself and returns when all tasks are done,
// whoever did them. So a region costs little even where other processes hold the cores.
//
// A process that forks hands its child the pool's memory, but neither its threads nor the promise that nobody held a
// lock. The child leaves all of that alone, to the end, and makes a pool of its own when it needs one.
#include "factorgcn/base/parallel.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr auto kSpinTime = std::chrono::milliseconds(2);

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

thread_local bool inside_task = false;

class Pool {
 public:
  explicit Pool(int workers) {
    for (int w = 0; w < workers; ++w) {
      threads_.emplace_back([this] { work(); });
    }
  }

  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stopping_.store(true, std::memory_order_relaxed);
      published_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (auto& thread : threads_) {
      thread.join();
    }
  }

  void run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    const std::uint64_t region = published_.load(std::memory_order_relaxed) + 1;
    // Closed first: a worker that still holds the last region's ticket must fail to take from it once count_ changes.
    ticket_.store(region << kIndexBits | kClosed, std::memory_order_seq_cst);
    task_.store(&task, std::memory_order_relaxed);
    count_.store(count, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    ticket_.store(region << kIndexBits, std::memory_order_release);
    {
      // Under the lock, so that a worker about to sleep cannot miss it.
      std::lock_guard lock(mutex_);
      published_.store(region, std::memory_order_release);
    }
    if (sleeping_.load(std::memory_order_acquire) > 0) {
      wake_.notify_all();
    }
    take_tasks(region);
    for (int spin = 0; done_.load(std::memory_order_acquire) < count; ++spin) {
      if (spin < 20000) {
        relax();
      } else {
        std::this_thread::yield();
      }
    }
    if (failed_.load(std::memory_order_acquire)) {
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
  }

 private:
  // ticket_ holds the region's number and the next task's index in one word, so that taking a task is one exchange and
  // a worker that comes late cannot take from a region it does not belong to.
  static constexpr int kIndexBits = 32;
  static constexpr std::uint64_t kClosed = (std::uint64_t{1} << kIndexBits) - 1;

  void take_tasks(std::uint64_t region) {
    inside_task = true;
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (ticket >> kIndexBits == (region & kClosed)) {
      const auto index = static_cast<std::int64_t>(ticket & kClosed);
      if (index >= count_.load(std::memory_order_relaxed)) {
        break;
      }
      if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) {
        continue;
      }
      run_task(index);
      ticket = ticket_.load(std::memory_order_acquire);
    }
    inside_task = false;
  }

  void run_task(std::int64_t index) {
    if (!failed_.load(std::memory_order_relaxed)) {
      try {
        (*task_.load(std::memory_order_relaxed))(index);
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!error_) {
          error_ = std::current_exception();
        }
        failed_.store(true, std::memory_order_release);
      }
    }
    done_.fetch_add(1, std::memory_order_acq_rel);
  }

  void work() {
    std::uint64_t seen = 0;
    for (;;) {
      seen = wait_past(seen);
      if (stopping_.load(std::memory_order_relaxed)) {
        return;
      }
      take_tasks(seen);
    }
  }

  std::uint64_t wait_past(std::uint64_t seen) {
    const auto give_up = std::chrono::steady_clock::now() + kSpinTime;
    do {
      for (int spin = 0; spin < 64; ++spin) {
        const std::uint64_t now = published_.load(std::memory_order_acquire);
        if (now != seen) {
          return now;
        }
        relax();
      }
    } while (std::chrono::steady_clock::now() < give_up);
    std::unique_lock lock(mutex_);
    sleeping_.fetch_add(1, std::memory_order_acq_rel);
    wake_.wait(lock, [&] { return published_.load(std::memory_order_acquire) != seen; });
    sleeping_.fetch_sub(1, std::memory_order_acq_rel);
    return published_.load(std::memory_order_acquire);
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> published_{0};
  std::atomic<std::uint64_t> ticket_{kClosed};
  std::atomic<const std::function<void(std::int64_t)>*> task_{nullptr};
  std::atomic<std::int64_t> count_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::atomic<int> sleeping_{0};
  std::exception_ptr error_;
  std::atomic<bool> stopping_{false};
};

struct State {
  std::mutex mutex;  // one region at a time; other callers run their tasks alone
  int threads = available_cores();
  std::unique_ptr<Pool> pool;
  State* of_parent = nullptr;
};

/// What forks have left behind: never used again, and pointed to so that it does not count as a leak.
State* left_behind = nullptr;

/// This process's state, for as long as the process lives.
struct OwnState {
  State* current = new State;

  OwnState() { pthread_atfork(nullptr, nullptr, leave_parents); }
  ~OwnState() { delete current; }
  OwnState(const OwnState&) = delete;
  OwnState& operator=(const OwnState&) = delete;

  static void leave_parents();
};

OwnState& own_state() {
  static OwnState instance;
  return instance;
}

void OwnState::leave_parents() {
  State*& current = own_state().current;
  current->of_parent = left_behind;
  left_behind = current;
  current = new State;
  current->threads = left_behind->threads;
}

State& state() { return *own_state().current; }

}  // namespace

int available_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    return std::max(1, CPU_COUNT(&mask));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

int num_threads() { return state().threads; }

void set_num_threads(int count) {
  require(count >= 1, "number of threads is ", count, ": it must be at least 1");
  State& shared = state();
  std::lock_guard lock(shared.mutex);
  if (count != shared.threads) {
    shared.pool.reset();
    shared.threads = count;
  }
}

void parallel_tasks(std::int64_t count, const std::function<void(std::int64_t)>& task) {
  require(count < std::int64_t{1} << 31, "parallel_tasks: ", count, " tasks; cut the work into fewer");
  State& shared = state();
  std::unique_lock lock(shared.mutex, std::defer_lock);
  if (count > 1 && shared.threads > 1 && !inside_task && lock.try_lock()) {
    if (!shared.pool) {
      shared.pool = std::make_unique<Pool>(shared.threads - 1);
    }
    shared.pool->run(count, task);
    return;
  }
  for (std::int64_t index = 0; index < count; ++index) {
    task(index);
  }
}

}  // namespace factorgcn
