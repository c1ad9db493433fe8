// The pool: every task once, errors passed on, nesting, changing the number of threads.
#include "factorgcn/base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

class Parallel : public ::testing::Test {
 protected:
  void TearDown() override { set_num_threads(available_cores()); }
};

TEST_F(Parallel, RunsEveryTaskExactlyOnce) {
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    EXPECT_EQ(num_threads(), threads);
    for (const std::int64_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
      parallel_tasks(count, [&](std::int64_t task) { ++hits[task]; });
      for (const auto& hit : hits) {
        EXPECT_EQ(hit, 1);
      }
    }
  }
}

TEST_F(Parallel, ManySmallRegionsInARow) {
  set_num_threads(3);
  std::atomic<std::int64_t> total{0};
  for (int round = 0; round < 3000; ++round) {
    parallel_tasks(3, [&](std::int64_t task) { total += task; });
  }
  EXPECT_EQ(total, 3000 * 3);
}

TEST_F(Parallel, WakesThreadsThatWentToSleep) {
  set_num_threads(2);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> done{0};
    parallel_tasks(4, [&](std::int64_t) { ++done; });
    EXPECT_EQ(done, 4);
  }
}

TEST_F(Parallel, PassesAnErrorOnAndStaysUsable) {
  set_num_threads(2);
  EXPECT_EQ(error_text([] { parallel_tasks(50, [](std::int64_t task) { require(task != 7, "task ", task); }); }),
            "task 7");
  std::atomic<int> done{0};
  parallel_tasks(10, [&](std::int64_t) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST_F(Parallel, ACallInsideATaskRunsSerially) {
  set_num_threads(2);
  std::atomic<int> done{0};
  parallel_tasks(4, [&](std::int64_t) { parallel_tasks(5, [&](std::int64_t) { ++done; }); });
  EXPECT_EQ(done, 20);
}

TEST_F(Parallel, SeveralCallersAtOnce) {
  set_num_threads(2);
  std::atomic<int> done{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        parallel_tasks(3, [&](std::int64_t) { ++done; });
      }
    });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(done, 3 * 200 * 3);
}

/// Computes in a forked child, which then ends as programs do; 0 where all went well, 124 where it hung.
int status_of_child(int threads_afterwards) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);  // whoever hangs is killed
    std::atomic<std::int64_t> total{0};
    parallel_tasks(100, [&](std::int64_t task) { total += task; });
    set_num_threads(threads_afterwards);
    parallel_tasks(100, [&](std::int64_t task) { total += task; });
    std::exit(total == 9900 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 124;
}

class ParallelFork : public Parallel {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "ThreadSanitizer allows no threads after a fork";
#endif
  }
};

TEST_F(ParallelFork, AChildComputesAndEnds) {
  set_num_threads(3);
  std::atomic<int> done{0};
  parallel_tasks(10, [&](std::int64_t) { ++done; });
  for (const int threads : {1, 2, 3}) {
    EXPECT_EQ(status_of_child(threads), 0);
  }
  parallel_tasks(10, [&](std::int64_t) { ++done; });
  EXPECT_EQ(done, 20);
}

TEST_F(ParallelFork, AChildMadeWhileOthersComputeEnds) {
  set_num_threads(3);
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      parallel_tasks(3, [](std::int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (int round = 0; round < 8; ++round) {
    EXPECT_EQ(status_of_child(2), 0);
  }
  over = true;
  other.join();
}

TEST_F(ParallelFork, AChildUsesAsManyThreadsAsItsParent) {
  set_num_threads(5);
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(num_threads());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 5);
}

TEST_F(Parallel, RefusesNoThreads) {
  EXPECT_EQ(error_text([] { set_num_threads(0); }), "number of threads is 0: it must be at least 1");
}

}  // namespace
}  // namespace factorgcn
