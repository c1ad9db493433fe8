// Preloaded together with refuse_calls.cpp: numbers the requests for memory that a program makes after it has first
// touched a file below FACTORGCN_REFUSE_BELOW, and refuses one of them.
//
//   FACTORGCN_REFUSE_MEMORY   "N": request number N (from 1) is answered with nothing, by every thread's count
//   FACTORGCN_MEMORY_LOG      a file that gets the number of requests when the program ends
//
// Requests are malloc() and its kin; operator new and libtorch's tensors come through them.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "watching.h"

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

std::atomic<long> requests{0};
std::atomic<long> refused_request{0};

/// Read when the library is loaded: getenv() within malloc() could meet a change of the environment.
__attribute__((constructor)) void read_environment() {
  const char* number = std::getenv("FACTORGCN_REFUSE_MEMORY");
  refused_request = number == nullptr ? 0 : std::atol(number);
}

__attribute__((destructor)) void write_count() {
  const char* log = std::getenv("FACTORGCN_MEMORY_LOG");
  if (log != nullptr) {
    char text[32];
    const int length = std::snprintf(text, sizeof(text), "%ld\n", requests.load());
    const long file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, file, text, length);
    syscall(SYS_close, file);
  }
}

bool refuses_memory() {
  if (!watching.load(std::memory_order_relaxed) || ++requests != refused_request) {
    return false;
  }
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" {

void* malloc(size_t bytes) { return refuses_memory() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return refuses_memory() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) { return refuses_memory() ? nullptr : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) {
  return refuses_memory() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void** result, size_t alignment, size_t bytes) {
  void* const found = memalign(alignment, bytes);
  if (found == nullptr) {
    return ENOMEM;
  }
  *result = found;
  return 0;
}

}  // extern "C"
