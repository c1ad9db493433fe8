// Preloaded together with refuse_calls.cpp: numbers the requests for memory that a program makes after it has first
// touched a file below FACTORGCN_REFUSE_BELOW, and refuses one of them.
//
//   FACTORGCN_REFUSE_MEMORY   "N M": M requests from number N (from 1) on are answered with nothing, by every thread's
//                             count
//   FACTORGCN_MEMORY_LOG      a file that gets the number of requests when the program ends
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "malloc_family.h"
#include "watching.h"

namespace {

std::atomic<long> requests{0};
std::atomic<long> first_refused{0}, refused_count{0};

/// Read when the library is loaded: getenv() within malloc() could meet a change of the environment.
__attribute__((constructor)) void read_environment() { read_refused_memory(); }

__attribute__((destructor)) void write_log_at_the_end() { write_memory_log(); }

}  // namespace

void write_memory_log() {
  const char* log = std::getenv("FACTORGCN_MEMORY_LOG");
  if (log != nullptr) {
    char text[32];
    const int length = std::snprintf(text, sizeof(text), "%ld\n", requests.load());
    const long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, file, text, length);
    syscall(SYS_close, file);
  }
}

void read_refused_memory() {
  requests = first_refused = refused_count = 0;
  const char* order = std::getenv("FACTORGCN_REFUSE_MEMORY");
  long first = 0, count = 0;
  if (order != nullptr && std::sscanf(order, "%ld %ld", &first, &count) == 2) {
    first_refused = first;
    refused_count = count;
  }
}

bool refuses_memory() {
  if (!watching.load(std::memory_order_relaxed)) {
    return false;
  }
  const long past = ++requests - first_refused;
  return past >= 0 && past < refused_count;
}
