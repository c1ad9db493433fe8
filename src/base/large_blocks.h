// Large blocks of memory out of one range of addresses.
//
// A training step allocates and frees the same large tables again and again. malloc() puts small values into the places
// that large ones leave, so that the next large one finds no room and takes fresh pages, which the system has to clear
// first; on a large graph that costs up to a tenth of a step, now and then. Here are large blocks only: neighbours that
// are free become one, and each request takes the smallest place that is large enough. Memory is never given back.
//
// Cost: logarithmic in the number of free places but for the choice among them, which is linear; there are tens.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <unordered_map>

namespace factorgcn {

class LargeBlocks {
 public:
  /// Blocks are cut at multiples of a large page.
  static constexpr std::size_t kPage = std::size_t{2} << 20;

  /// Reserves addresses for blocks of `capacity` bytes together; pages are taken from the system when they are touched.
  explicit LargeBlocks(std::size_t capacity) : capacity_(capacity / kPage * kPage) {
    void* const range =
        mmap(nullptr, capacity_ + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) {
      capacity_ = 0;
      return;
    }
    range_ = range;
    base_ = (reinterpret_cast<std::uintptr_t>(range) + kPage - 1) / kPage * kPage;
#if defined(MADV_HUGEPAGE)
    (void)madvise(reinterpret_cast<void*>(base_), capacity_, MADV_HUGEPAGE);
#endif
    if (capacity_ > 0) {
      free_.emplace(0, capacity_);
    }
  }
  ~LargeBlocks() {
    if (range_ != nullptr) {
      munmap(range_, capacity_ + kPage);
    }
  }
  LargeBlocks(const LargeBlocks&) = delete;
  LargeBlocks& operator=(const LargeBlocks&) = delete;

  /// A block of at least `bytes` bytes, or null where there is no room.
  void* take(std::size_t bytes) {
    if (bytes > capacity_) {
      return nullptr;
    }
    const std::size_t size = (bytes + kPage - 1) / kPage * kPage;
    const std::lock_guard lock(mutex_);
    // The smallest place, of equal ones the first. The last place is what was never used, which is larger than any
    // other on all but full machines.
    auto best = free_.end();
    for (auto place = free_.begin(); place != free_.end(); ++place) {
      if (place->second >= size && (best == free_.end() || place->second < best->second)) {
        best = place;
      }
    }
    if (best == free_.end()) {
      return nullptr;
    }
    const auto [offset, room] = *best;
    free_.erase(best);
    if (room > size) {
      free_.emplace(offset + size, room - size);
    }
    used_.emplace(offset, size);
    return reinterpret_cast<void*>(base_ + offset);
  }

  /// Takes back a block; false for any other address.
  bool give(void* block) {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    if (address < base_ || address >= base_ + capacity_) {
      return false;
    }
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(address - base_);
    if (found == used_.end()) {
      return false;
    }
    auto [offset, size] = *found;
    used_.erase(found);
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && next->first == offset + size) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += size;
        return true;
      }
    }
    free_.emplace(offset, size);
    return true;
  }

 private:
  std::size_t capacity_;
  void* range_ = nullptr;
  std::uintptr_t base_ = 0;
  std::mutex mutex_;
  std::map<std::size_t, std::size_t> free_;            // offset, size
  std::unordered_map<std::size_t, std::size_t> used_;  // offset, size
};

}  // namespace factorgcn
