// libtorch's allocator for the CPU with large blocks of our own; small ones are left to libtorch.
#include "base/table_allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <unistd.h>

#include <cstring>

#include "base/large_blocks.h"

namespace factorgcn {
namespace {

constexpr std::size_t kLarge = 4 * LargeBlocks::kPage;

/// Addresses for as much as the machine has. Never destroyed: tensors may outlive everything.
LargeBlocks& large_blocks() {
  static auto* const blocks = new LargeBlocks(static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                              static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  return *blocks;
}

void release(void* block) {
  if (block != nullptr && !large_blocks().give(block)) {
    c10::GetDefaultCPUAllocator()->raw_deallocate(block);
  }
}

// Versions of libtorch differ in whether allocate() is const and in whether there is copy_data(): all forms are here,
// none says override.
class TableAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) const { return take(bytes); }
  c10::DataPtr allocate(std::size_t bytes) { return take(bytes); }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }

 private:
  static c10::DataPtr take(std::size_t bytes) {
    void* block = bytes >= kLarge ? large_blocks().take(bytes) : nullptr;
    if (block == nullptr) {
      block = c10::GetDefaultCPUAllocator()->raw_allocate(bytes);
    }
    return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
  }
};

}  // namespace

void use_table_allocator() {
  static TableAllocator* const allocator = new TableAllocator;
  constexpr std::uint8_t kPriority = 1;
  c10::SetCPUAllocator(allocator, kPriority);
}

}  // namespace factorgcn
