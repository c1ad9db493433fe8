// The allocator; see stream_memory.h.
#include "cuda_on_cpu/stream_memory.h"

#include <ATen/record_function.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace factorgcn::cuda_on_cpu {
namespace {

constexpr auto kAlignment = std::align_val_t(64);

struct Block {
  Stream* owner;
  std::size_t bytes;
  unsigned char* data;

  Block(Stream* stream, std::size_t size)
      : owner(stream), bytes(size), data(static_cast<unsigned char*>(operator new(size, kAlignment))) {
    std::memset(data, 0xff, bytes);
  }
  ~Block() { operator delete(data, kAlignment); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
};

using Blocks = std::vector<std::unique_ptr<Block>>;

/// Blocks that are gone. Kept until the end, so that what is written there is found and hurts nobody; but
/// AddressSanitizer keeps them itself, and sees more.
class Gone {
 public:
  void take(std::unique_ptr<Block> block) {
#if !defined(__SANITIZE_ADDRESS__)
    std::memset(block->data, 0xff, block->bytes);
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(block));
#endif
  }
  Blocks empty() {
    const std::lock_guard lock(mutex_);
    return std::exchange(blocks_, {});
  }

 private:
  std::mutex mutex_;  // libtorch's own threads may free tensors
  Blocks blocks_;
};

Gone& gone() {
  static Gone only;
  return only;
}

void release(void* context) {
  Block* const block = static_cast<Block*>(context);
  submit_release(block->owner, [block] { gone().take(std::unique_ptr<Block>(block)); });
}

/// Its functions are those of libtorch 1.13 and of later versions, where allocate() is not const and copy_data() is
/// new: whichever libtorch knows, it calls.
struct StreamAllocator final : c10::Allocator {
  c10::DataPtr allocate(std::size_t bytes) const { return hand_out(bytes); }
  c10::DataPtr allocate(std::size_t bytes) { return hand_out(bytes); }
  void copy_data(void* to, const void* from, std::size_t bytes) const { std::memcpy(to, from, bytes); }

 private:
  static c10::DataPtr hand_out(std::size_t bytes) {
    const c10::Device cpu(c10::kCPU);
    if (bytes == 0) {
      return {nullptr, cpu};
    }
    Block* const block = new Block(current_stream(), bytes);
    return {block->data, block, release, cpu};
  }
};

constexpr std::uint8_t kPriority = 255;  // of whatever has been set before, so that it can be put back

c10::Allocator* usual = nullptr;

/// Called at the beginning of each of libtorch's operations. Those that touch no values, and our own, let the caller's
/// stream be.
std::unique_ptr<at::ObserverContext> before_operation(const at::RecordFunction& operation) {
  static const std::set<std::string_view> without_values{
      "aten::empty",      "aten::empty_strided", "aten::empty_like", "aten::narrow",         "aten::slice",
      "aten::as_strided", "aten::view",          "aten::reshape",    "aten::_reshape_alias", "aten::flatten",
      "aten::select",     "aten::detach",        "aten::alias",      "aten::contiguous"};
  const std::string_view name = operation.name();
  if (name.starts_with("aten::") && !without_values.contains(name)) {
    try {
      catch_up();
    } catch (const std::exception& error) {  // libtorch would go on
      ADD_FAILURE() << "a step before " << name << " failed: " << error.what();
    }
  }
  return nullptr;
}

}  // namespace

WithStreams::WithStreams(Pace pace, std::uint64_t seed) {
  static StreamAllocator allocator;
  set_pace(pace, seed);
  callback_ = at::addThreadLocalCallback(at::RecordFunctionCallback(before_operation));
  usual = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&allocator, kPriority);
}

WithStreams::~WithStreams() {
  c10::SetCPUAllocator(usual, kPriority);
  at::removeCallback(callback_);
  try {
    set_pace(Pace::kAtOnce);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "a step that was left failed: " << error.what();
  }
  for (const std::unique_ptr<Block>& block : gone().empty()) {
    const unsigned char* const end = block->data + block->bytes;
    const auto written =
        std::find_if(block->data, block->data + block->bytes, [](unsigned char b) { return b != 0xff; });
    EXPECT_EQ(written, end) << "memory of " << block->bytes << " bytes was written after it had been given back";
  }
}

}  // namespace factorgcn::cuda_on_cpu
