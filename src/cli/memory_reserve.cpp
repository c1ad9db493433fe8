// A new-handler: operator new calls it where malloc() has nothing, and asks again when it returns.
#include "cli/memory_reserve.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

namespace factorgcn::cli {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{1} << 18;

std::array<std::atomic<void*>, 2> reserves{};

void give_reserve_back() {
  void* block = reserves[0].exchange(nullptr);
  if (block == nullptr && std::uncaught_exceptions() > 0) {
    block = reserves[1].exchange(nullptr);
  }
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  std::free(block);
}

}  // namespace

void keep_memory_reserve() {
  for (std::atomic<void*>& reserve : reserves) {
    reserve = std::malloc(kReserveBytes);
  }
  std::set_new_handler(give_reserve_back);
}

}  // namespace factorgcn::cli
