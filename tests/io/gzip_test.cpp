// gzip files as gzip writes them, in several members, cut, damaged, and as traps.
#include "factorgcn/io/gzip.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "io/gzip_writer.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

class Gzip : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_gzip()) {
      GTEST_SKIP() << "this build has no zlib";
    }
  }
};

/// Longer than a piece, and not the same everywhere.
std::string long_text() {
  std::string text;
  for (int line = 0; line < 60'000; ++line) {
    text += std::to_string(line * 7919 % 100'003) + " " + std::to_string(line) + "\n";
  }
  return text;
}

TEST_F(Gzip, UnpacksWhatWasPacked) {
  for (const std::string& text : {std::string(), std::string("a b\n"), long_text()}) {
    EXPECT_EQ(unpack_gzip(gzip_bytes(text), "x.gz"), text);
  }
}

TEST_F(Gzip, MembersFollowEachOtherAndZerosMayFillUp) {
  EXPECT_EQ(unpack_gzip(gzip_bytes("a b\n") + gzip_bytes("") + gzip_bytes("b c\n") + std::string(512, '\0'), "x.gz"),
            "a b\nb c\n");
}

TEST_F(Gzip, CutFilesSaySo) {
  const std::string packed = gzip_bytes(long_text());
  for (const std::size_t length : {std::size_t{2}, std::size_t{12}, packed.size() / 2, packed.size() - 1}) {
    expect_holds(error_text([&] { unpack_gzip(packed.substr(0, length), "x.gz"); }),
                 "x.gz: the gzip data end too early");
  }
}

TEST_F(Gzip, DamagedFilesSaySo) {
  std::string packed = gzip_bytes("a b\nb c\n");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // of the checksum
  expect_holds(error_text([&] { unpack_gzip(packed, "x.gz"); }), "damaged");
  expect_holds(error_text([&] { unpack_gzip(gzip_bytes("a") + "something", "x.gz"); }), "9 bytes of something else");
  expect_holds(error_text([&] { unpack_gzip("a b\n", "x.gz"); }), "x.gz: it is no gzip file");
}

TEST_F(Gzip, TrapsAreRefusedBeforeTheyFillTheMemory) {
  const std::string trap = gzip_trap(100'000);  // 26 MB in 160 kB
  GzipLimits limits;
  limits.ratio = 90;
  expect_holds(error_text([&] { unpack_gzip(trap, "x.gz", limits); }), "unpacks to more than 90 times");
  limits.ratio = 1000;
  limits.bytes = 1000;
  expect_holds(error_text([&] { unpack_gzip(trap, "x.gz", limits); }), "more than the 1000 bytes");
  EXPECT_EQ(error_text([&] { unpack_gzip(gzip_trap(10), "x.gz", limits); }).find("times"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
