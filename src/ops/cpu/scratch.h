// Memory for the values of one tile, reused from tile to tile and from step to step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace factorgcn::cpu {

/// Hands out uninitialised pieces; reset() takes all of them back. Pieces begin at cache lines and may be read, but not
/// written, up to one line past their end.
class Scratch {
 public:
  template <class T>
  T* take(std::int64_t count) {
    const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + 2 * kLine - 1) / kLine * kLine;
    if (used_ + bytes > size_) {
      add_chunk(bytes);
    }
    std::byte* piece = chunks_.back().get() + used_;
    used_ += bytes;
    taken_ += bytes;
    return reinterpret_cast<T*>(piece);
  }

  void reset() {
    most_ = std::max(most_, taken_);
    if (chunks_.size() > 1) {
      // Everything will fit one chunk the next time.
      chunks_.clear();
      size_ = 0;
    }
    used_ = taken_ = 0;
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kLeast = 1 << 20;

  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t(kLine)); }
  };

  void add_chunk(std::size_t bytes) {
    size_ = std::max({bytes, most_ + most_ / 4, kLeast});
    chunks_.emplace_back(static_cast<std::byte*>(::operator new[](size_, std::align_val_t(kLine))));
    used_ = 0;
  }

  std::vector<std::unique_ptr<std::byte[], Free>> chunks_;
  std::size_t size_ = 0, used_ = 0;   // of the last chunk
  std::size_t taken_ = 0, most_ = 0;  // bytes since the last reset, and the most between two of them
};

/// This thread's own.
inline Scratch& thread_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

}  // namespace factorgcn::cpu
