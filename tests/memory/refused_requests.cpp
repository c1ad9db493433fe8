// The counter is this process's alone: a fork inherits it, counts on, and tells by its exit code how it ended.
#include "memory/refused_requests.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

#include "factorgcn/base/content_hash.h"
#include "preload/malloc_family.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<long> requests{0}, refused_request{0};

}  // namespace

bool refuses_memory() { return counting.load(std::memory_order_relaxed) && ++requests == refused_request; }

namespace factorgcn {
namespace {

enum Ending { kDone = 0, kTold = 10, kOtherResult = 11, kNoException = 12, kEndedByDestructor = 13 };

[[noreturn]] void end_where_nobody_catches() {
  try {
    if (std::current_exception()) {
      throw;
    }
  } catch (const std::bad_alloc&) {
    ::_exit(kEndedByDestructor);
  } catch (...) {
  }
  std::abort();
}

struct Answer {
  long requests = 0;
  std::uint64_t result = 0;
};

/// What became of `work` in a fork.
struct Fork {
  int status = 0;
  Answer answer;  // where it was done
};

Fork fork_and_work(const std::function<std::string()>& work, long refused, const Answer* expected) {
  int pipe[2];
  if (::pipe(pipe) != 0) {
    std::abort();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    std::set_terminate(end_where_nobody_catches);
    requests = 0;
    refused_request = refused;
    Answer answer;
    try {
      counting = true;
      const std::string result = work();
      counting = false;
      answer = {requests, content_hash(result)};
    } catch (const std::exception&) {
      ::_exit(kTold);
    } catch (...) {
      ::_exit(kNoException);
    }
    if (::write(pipe[1], &answer, sizeof(answer)) != sizeof(answer)) {
      std::abort();
    }
    ::_exit(expected != nullptr && expected->result != answer.result ? kOtherResult : kDone);
  }
  ::close(pipe[1]);
  Fork fork;
  [[maybe_unused]] const ssize_t got = ::read(pipe[0], &fork.answer, sizeof(fork.answer));
  ::close(pipe[0]);
  ::waitpid(child, &fork.status, 0);
  return fork;
}

}  // namespace

RefusedRequests& RefusedRequests::operator+=(const RefusedRequests& other) {
  requests += other.requests;
  tried += other.tried;
  done += other.done;
  told += other.told;
  ended += other.ended;
  return *this;
}

RefusedRequests refuse_requests(const std::function<std::string()>& work, long step,
                                const std::function<void()>& before,
                                const std::function<void(const std::string& when, bool done)>& after) {
  RefusedRequests counts;
  const auto prepare = [&] {
    if (before) {
      before();
    }
  };
  prepare();
  const Fork alone = fork_and_work(work, 0, nullptr);
  EXPECT_EQ(alone.status, 0) << "the work fails with nothing refused";
  counts.requests = alone.answer.requests;
  EXPECT_GT(counts.requests, 0);
  for (long request = 1 + step / 2; request <= counts.requests && alone.status == 0; request += step) {
    prepare();
    const int status = fork_and_work(work, request, &alone.answer).status;
    const std::string when = "request " + std::to_string(request) + " of " + std::to_string(counts.requests);
    ++counts.tried;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    counts.done += code == kDone;
    counts.told += code == kTold;
    counts.ended += code == kEndedByDestructor;
    EXPECT_TRUE(WIFEXITED(status)) << when << ": signal " << WTERMSIG(status);
    EXPECT_NE(code, kOtherResult) << when << ": the work was done, with another result";
    EXPECT_NE(code, kNoException) << when << ": something was thrown that is no std::exception";
    if (after) {
      after(when, code == kDone);
    }
  }
  return counts;
}

std::string in_a_fork(const std::function<std::string()>& work) {
  int pipe[2];
  if (::pipe(pipe) != 0) {
    std::abort();
  }
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      const std::string result = work();
      for (std::size_t sent = 0; sent < result.size();) {
        const ssize_t some = ::write(pipe[1], result.data() + sent, result.size() - sent);
        if (some <= 0) {
          break;
        }
        sent += static_cast<std::size_t>(some);
      }
      ::_exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
  ::close(pipe[1]);
  std::string result;
  char piece[4096];
  for (ssize_t got; (got = ::read(pipe[0], piece, sizeof(piece))) > 0;) {
    result.append(piece, static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return result;
}

}  // namespace factorgcn
