// Preloaded into a program by tests (LD_PRELOAD): numbers the system calls with which it touches files below one
// folder, and refuses one of them, as a full, broken or slow disk would.
//
//   FACTORGCN_REFUSE_BELOW   the folder; calls elsewhere pass unseen. Unset: nothing is counted.
//   FACTORGCN_REFUSE_LOG     a file outside the folder that gets a line "KIND NAME" for each call, in their order
//   FACTORGCN_REFUSE         "N REASON": call number N (from 1) fails with that errno (EIO, ENOSPC, ...), or, for
//                            `short`, a read or write moves half of its bytes; "N REASON on": so does every later call
//                            of the same kind, as on a disk that stays full
//
// Kinds: open, create, read, write, sync, rename, remove, folder, map, space. What libc does behind its own walls
// (stdio's reads and writes) is seen at fopen() alone. Programs that this one starts are left alone.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "power_cut.h"
#include "watching.h"

std::atomic<bool> watching{false};

namespace {

constexpr int kMaxDescriptors = 1 << 16;

struct Order {
  std::string below;
  int log = -1;
  long number = 0;  // of the call that fails; 0: none
  int reason = 0;   // errno; 0 stands for half a read or write
  bool on = false;
};

int errno_of(const std::string& name) {
  const struct {
    const char* name;
    int value;
  } known[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EINTR", EINTR},
               {"EMFILE", EMFILE}, {"EACCES", EACCES}, {"ENOMEM", ENOMEM}, {"EROFS", EROFS}};
  for (const auto& entry : known) {
    if (name == entry.name) {
      return entry.value;
    }
  }
  return 0;
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Order read_order() {
  Order order;
  order.below = from_environment("FACTORGCN_REFUSE_BELOW");
  const std::string log = from_environment("FACTORGCN_REFUSE_LOG");
  if (!log.empty()) {
    order.log =
        static_cast<int>(syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  char reason[16] = "", on[4] = "";
  if (std::sscanf(from_environment("FACTORGCN_REFUSE").c_str(), "%ld %15s %3s", &order.number, reason, on) >= 2) {
    order.reason = errno_of(reason);
    order.on = std::strcmp(on, "on") == 0;
  }
  return order;
}

Order& order() {
  static Order read = read_order();
  return read;
}

std::atomic<long> calls{0};
std::atomic<const char*> refused_kind{nullptr};
std::atomic<bool> ours[kMaxDescriptors];

bool is_ours(int descriptor) { return descriptor >= 0 && descriptor < kMaxDescriptors && ours[descriptor]; }

bool lies_below(const char* path) {
  if (order().below.empty() || path == nullptr) {
    return false;
  }
  std::string whole = path;
  if (path[0] != '/') {
    char here[PATH_MAX];
    if (syscall(SYS_getcwd, here, sizeof(here)) <= 0) {
      return false;
    }
    whole = std::string(here) + "/" + path;
  }
  const bool below = whole.rfind(order().below, 0) == 0;
  if (below) {
    watching = true;
  }
  return below;
}

/// Counts a call; true where it is to fail.
bool refuses(const char* kind, const char* name) {
  const long number = ++calls;
  cut_power_at(number);
  if (order().log >= 0) {
    const std::string line = std::string(kind) + " " + (name == nullptr ? "-" : name) + "\n";
    syscall(SYS_write, order().log, line.data(), line.size());
  }
  const char* before = refused_kind;
  if (number == order().number) {
    refused_kind = kind;
    return true;
  }
  return order().on && before != nullptr && std::strcmp(before, kind) == 0;
}

/// Whether a call that moves no bytes is to fail; sets errno.
bool fails(const char* kind, const char* name) {
  if (!refuses(kind, name) || order().reason == 0) {
    return false;
  }
  errno = order().reason;
  return true;
}

/// How many of the bytes may be moved: all, half, or -1 with errno set.
ssize_t allowed(const char* kind, std::size_t bytes) {
  if (!refuses(kind, nullptr)) {
    return static_cast<ssize_t>(bytes);
  }
  if (order().reason != 0) {
    errno = order().reason;
    return -1;
  }
  return static_cast<ssize_t>(bytes > 1 ? bytes / 2 : bytes);
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int opened(int descriptor) {
  if (descriptor >= 0 && descriptor < kMaxDescriptors) {
    ours[descriptor] = true;
  }
  return descriptor;
}

const char* kind_of_open(int flags) { return (flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0 ? "create" : "open"; }

int open_at(int folder, const char* path, int flags, mode_t mode) {
  const bool watched = lies_below(path);
  if (watched && fails(kind_of_open(flags), path)) {
    return -1;
  }
  const int descriptor = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  return watched ? opened(descriptor) : descriptor;
}

int sync_by(long call, int descriptor) {
  if (is_ours(descriptor) && fails("sync", nullptr)) {
    return -1;
  }
  const int result = static_cast<int>(syscall(call, descriptor));
  if (is_ours(descriptor) && result == 0) {
    note_synced(descriptor);
  }
  return result;
}

mode_t mode_of(int flags, va_list rest) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; }

FILE* open_stream(const char* name, const char* path, const char* mode) {
  const bool watched = lies_below(path);
  if (watched && fails(mode[0] == 'r' ? "open" : "create", path)) {
    return nullptr;
  }
  FILE* stream = real<FILE* (*)(const char*, const char*)>(name)(path, mode);
  if (watched && stream != nullptr) {
    opened(fileno(stream));
  }
  return stream;
}

__attribute__((constructor)) void leave_children_alone() { unsetenv("LD_PRELOAD"); }

}  // namespace

void read_refused_calls() {
  order() = read_order();
  calls = 0;
  refused_kind = nullptr;
}

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_of(flags, rest);
  va_end(rest);
  return open_at(folder, path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < kMaxDescriptors) {
    ours[descriptor] = false;
  }
  return static_cast<int>(syscall(SYS_close, descriptor));
}

ssize_t read(int descriptor, void* to, size_t bytes) {
  const ssize_t some = is_ours(descriptor) ? allowed("read", bytes) : static_cast<ssize_t>(bytes);
  return some < 0 ? -1 : syscall(SYS_read, descriptor, to, some);
}

ssize_t write(int descriptor, const void* from, size_t bytes) {
  if (!is_ours(descriptor)) {
    return syscall(SYS_write, descriptor, from, bytes);
  }
  const ssize_t some = allowed("write", bytes);
  const ssize_t written = some < 0 ? -1 : syscall(SYS_write, descriptor, from, some);
  note_written(descriptor);
  return written;
}

ssize_t writev(int descriptor, const iovec* pieces, int count) {
  if (is_ours(descriptor) && count > 0) {
    const ssize_t some = allowed("write", pieces[0].iov_len);
    if (some < 0) {
      return -1;
    }
    note_written(descriptor);
    if (static_cast<size_t>(some) < pieces[0].iov_len) {
      return syscall(SYS_write, descriptor, pieces[0].iov_base, some);
    }
  }
  return syscall(SYS_writev, descriptor, pieces, count);
}

int fsync(int descriptor) { return sync_by(SYS_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_by(SYS_fdatasync, descriptor); }

int rename(const char* from, const char* to) {
  if (lies_below(to)) {
    if (fails("rename", to)) {
      return -1;
    }
    before_rename(from, to);
  }
  return static_cast<int>(syscall(SYS_rename, from, to));
}

int unlink(const char* path) {
  return lies_below(path) && fails("remove", path) ? -1 : static_cast<int>(syscall(SYS_unlink, path));
}

int remove(const char* path) {
  if (lies_below(path) && fails("remove", path)) {
    return -1;
  }
  return real<int (*)(const char*)>("remove")(path);
}

int mkdir(const char* path, mode_t mode) {
  return lies_below(path) && fails("folder", path) ? -1 : static_cast<int>(syscall(SYS_mkdir, path, mode));
}

void* mmap(void* address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  if (is_ours(descriptor) && fails("map", nullptr)) {
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, bytes, protection, flags, descriptor, offset));
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
  return mmap(address, bytes, protection, flags, descriptor, offset);
}

int ftruncate(int descriptor, off_t size) {
  const bool refused = is_ours(descriptor) && fails("space", nullptr);
  return refused ? -1 : static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

int posix_fallocate(int descriptor, off_t offset, off_t size) {
  if (is_ours(descriptor) && fails("space", nullptr)) {
    return errno;
  }
  return real<int (*)(int, off_t, off_t)>("posix_fallocate")(descriptor, offset, size);
}

}  // extern "C"
