// Tensors for values of the whole batch.
//
// Kernels gather rows of large tables in no order. With pages of 4 KiB most such reads miss the cache of page
// addresses; asking the system for large pages avoids that, and most page faults too. It may decline; nothing depends
// on it.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <sys/mman.h>

#include <cstdint>

namespace factorgcn::cpu {

inline at::Tensor large_table(at::IntArrayRef shape, const at::TensorOptions& options) {
  at::Tensor table = at::empty(shape, options);
#if defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t kPage = 2 << 20, kLeast = 4 * kPage;
  const auto begin = reinterpret_cast<std::uintptr_t>(table.data_ptr());
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(table.numel()) * table.element_size();
  if (end - begin >= kLeast) {
    const std::uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
    (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
#endif
  return table;
}

}  // namespace factorgcn::cpu
