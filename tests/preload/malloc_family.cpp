// malloc() and its kin, each of whose requests may be refused; operator new and libtorch's tensors come through them.
#include "malloc_family.h"

#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* old, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
}

namespace {

bool refused() {
  if (!refuses_memory()) {
    return false;
  }
  errno = ENOMEM;
  return true;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void* malloc(size_t bytes) noexcept { return refused() ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) noexcept { return refused() ? nullptr : __libc_calloc(count, bytes); }
void* realloc(void* old, size_t bytes) noexcept { return refused() ? nullptr : __libc_realloc(old, bytes); }
void* memalign(size_t alignment, size_t bytes) noexcept {
  return refused() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) noexcept { return memalign(alignment, bytes); }

int posix_memalign(void** result, size_t alignment, size_t bytes) noexcept {
  void* const found = memalign(alignment, bytes);
  if (found == nullptr) {
    return ENOMEM;
  }
  *result = found;
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
