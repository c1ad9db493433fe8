// Preloaded into a program by tests: clocks that are set forward and back while it runs.
//
//   FACTORGCN_CLOCK_JUMPS   set: the time of day and the steady clock leap by a year, forward or back, at every 20th
//   look
//
// The steady clock does not do that on a sound machine, but on virtual ones that move it has been seen. The system's
// own waiting goes by the true clock.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace {

constexpr long kYear = 365L * 86400;

bool jumps() {
  static const bool asked = std::getenv("FACTORGCN_CLOCK_JUMPS") != nullptr;
  return asked;
}

/// Seconds to add: never so few that a clock would show a time before its beginning.
long leap() {
  static std::atomic<long> looks{0};
  constexpr long kOffsets[] = {2 * kYear, 3 * kYear, kYear, 4 * kYear};
  return kOffsets[looks++ / 20 % 4];
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, now));
  if (result == 0 && jumps() && (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC)) {
    now->tv_sec += leap();
  }
  return result;
}

int gettimeofday(timeval* now, void* /*zone*/) noexcept {
  timespec fine{};
  const int result = clock_gettime(CLOCK_REALTIME, &fine);
  now->tv_sec = fine.tv_sec;
  now->tv_usec = fine.tv_nsec / 1000;
  return result;
}

time_t time(time_t* now) noexcept {
  timespec fine{};
  clock_gettime(CLOCK_REALTIME, &fine);
  if (now != nullptr) {
    *now = fine.tv_sec;
  }
  return fine.tv_sec;
}

}  // extern "C"
