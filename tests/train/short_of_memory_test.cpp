// What is said when a GPU is short of memory, whichever way libtorch puts it.
#include "train/short_of_memory.h"

#include <gtest/gtest.h>

#include "base/error_text.h"

namespace factorgcn {
namespace {

TEST(ShortOfMemory, IsOneLineThatSaysWhatHelps) {
  const auto allocate = [](const std::string& text) {
    return error_text([&] {
      explaining_short_memory([&]() -> int {
        throw c10::OutOfMemoryError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, text);
      });
    });
  };
  const std::string usual = allocate(
      "CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 139.81 GiB of which 1.07 GiB is "
      "free.\nSee documentation");
  EXPECT_NE(usual.find("2.50 GiB more were needed"), std::string::npos) << usual;
  EXPECT_NE(usual.find("--batch-size"), std::string::npos);
  EXPECT_NE(usual.find("--data-on-device never"), std::string::npos);
  EXPECT_NE(usual.find("--device cpu"), std::string::npos);
  EXPECT_EQ(usual.find('\n'), std::string::npos);
  const std::string older = allocate("CUDA out of memory. Tried to allocate 20 MiB (GPU 0; 1 GiB total)");
  EXPECT_NE(older.find(": 20 MiB more were needed"), std::string::npos) << older;
  EXPECT_NE(allocate("something else").find("out of memory on the GPU; take"), std::string::npos);
}

TEST(ShortOfMemory, LeavesResultsAndOtherErrorsAlone) {
  EXPECT_EQ(explaining_short_memory([] { return 7; }), 7);
  EXPECT_EQ(error_text([] { explaining_short_memory([]() -> int { fail("another"); }); }), "another");
}

}  // namespace
}  // namespace factorgcn
