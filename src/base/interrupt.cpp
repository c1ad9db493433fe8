// One flag that a signal handler may write: a lock-free atomic.
#include "factorgcn/base/interrupt.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX, not in <csignal>

#include <atomic>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

std::atomic<int> pending_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "the flag is written by a signal handler");

std::atomic<bool> guarded{false};
struct sigaction former_int, former_term;

extern "C" void note_signal(int signal) {
  if (pending_signal.exchange(signal) != 0) {
    // The second time: end as if the signal had never been caught. Blocked while its handler runs, it strikes after.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

}  // namespace

int interrupt_signal() { return pending_signal.load(std::memory_order_relaxed); }

void request_interrupt(int signal) { pending_signal.store(signal); }

void clear_interrupt() { pending_signal.store(0); }

InterruptGuard::InterruptGuard() {
  require(!guarded.exchange(true), "signals are already caught by another InterruptGuard");
  clear_interrupt();
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &former_int);
  ::sigaction(SIGTERM, &action, &former_term);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &former_int, nullptr);
  ::sigaction(SIGTERM, &former_term, nullptr);
  guarded.store(false);
}

}  // namespace factorgcn
