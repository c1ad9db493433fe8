// The hash of given bytes never changes, and changed bytes never keep their hash.
#include "factorgcn/base/content_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>((i * 131 + (i >> 8) * 17 + 7) & 255);
  }
  return bytes;
}

std::string hash_of(const std::string& bytes) { return hash_text(content_hash(bytes)); }

/// Restores the number of threads.
class ThreadCount {
 public:
  ThreadCount() : before_(num_threads()) {}
  ~ThreadCount() { set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

TEST(ContentHash, FrozenValues) {
  // Computed by another program, from the description in content_hash.cpp, with numbers of any length.
  EXPECT_EQ(hash_of(""), "59178228f13e1ee2");
  EXPECT_EQ(hash_of("a"), "b0063fc6fcfe5029");
  EXPECT_EQ(hash_of("factorgcn"), "ce012b23f33a0286");
  EXPECT_EQ(hash_of(std::string(8, '\0')), "f7fb1bb05fb9e1a1");
  EXPECT_EQ(hash_of(std::string(32, '\0')), "cf6596e6962f147e");
  EXPECT_EQ(hash_of(pattern(31)), "7b81cedbba5ebcb1");
  EXPECT_EQ(hash_of(pattern(32)), "6c6d53ffcbfe3dc6");
  EXPECT_EQ(hash_of(pattern(33)), "70a301ffaacb63fc");
  EXPECT_EQ(hash_of(pattern(200)), "9a7bfb48bf99ecbb");
  EXPECT_EQ(hash_of(pattern(kBlock)), "7f0af10c3375d840");
  EXPECT_EQ(hash_of(pattern(kBlock + 1)), "26f88318f9b6053e");
  EXPECT_EQ(hash_of(pattern(3 * kBlock + 12345)), "75b9e49b63aac98b");
}

TEST(ContentHash, TextOfANumber) {
  EXPECT_EQ(hash_text(0), "0000000000000000");
  EXPECT_EQ(hash_text(0x0123456789abcdef), "0123456789abcdef");
  EXPECT_EQ(hash_text(~0ULL), "ffffffffffffffff");
}

TEST(ContentHash, EveryLengthHasItsOwn) {
  std::set<std::uint64_t> hashes;
  for (std::size_t size = 0; size <= 200; ++size) {
    hashes.insert(content_hash(pattern(size)));
    hashes.insert(content_hash(std::string(size, '\0')));
  }
  EXPECT_EQ(hashes.size(), 2 * 201 - 1);  // the two empty ones are one
}

TEST(ContentHash, DoesNotDependOnWhereTheBytesLie) {
  const std::string bytes = pattern(200);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    const std::string room = std::string(shift, 'x') + bytes;
    EXPECT_EQ(content_hash(std::string_view(room).substr(shift)), content_hash(bytes));
  }
}

TEST(ContentHash, EveryChangedByteIsSeen) {
  for (const std::size_t size : {1, 7, 8, 31, 32, 33, 64, 100, 200}) {
    const std::string bytes = pattern(size);
    const std::uint64_t whole = content_hash(bytes);
    for (std::size_t place = 0; place < size; ++place) {
      for (int flip = 1; flip < 256; ++flip) {
        std::string changed = bytes;
        changed[place] = static_cast<char>(changed[place] ^ flip);
        ASSERT_NE(content_hash(changed), whole) << size << " bytes, byte " << place << ", flip " << flip;
      }
    }
  }
}

TEST(ContentHash, ChangesInLargeBytesAreSeen) {
  std::string bytes = pattern(2 * kBlock + 1000);
  const std::uint64_t whole = content_hash(bytes);
  RandomStream random(1, "test/content hash");
  for (int round = 0; round < 200; ++round) {
    const std::size_t place = random.below(bytes.size());
    const char before = bytes[place];
    bytes[place] = static_cast<char>(before ^ (1 << random.below(8)));
    EXPECT_NE(content_hash(bytes), whole) << place;
    bytes[place] = before;
  }
  EXPECT_EQ(content_hash(bytes), whole);
}

TEST(ContentHash, ExchangedPartsAreSeen) {
  // Words of one lane, words of two lanes, blocks.
  std::string bytes = pattern(2 * kBlock);
  bytes[kBlock + 5] = '!';  // the pattern repeats itself
  const auto exchanged = [&](std::size_t a, std::size_t b, std::size_t size) {
    return bytes.substr(0, a) + bytes.substr(b, size) + bytes.substr(a + size, b - a - size) + bytes.substr(a, size) +
           bytes.substr(b + size);
  };
  const std::uint64_t whole = content_hash(bytes);
  EXPECT_NE(content_hash(exchanged(0, 32, 8)), whole);
  EXPECT_NE(content_hash(exchanged(0, 8, 8)), whole);
  EXPECT_NE(content_hash(exchanged(0, kBlock, kBlock)), whole);
}

TEST(ContentHash, DoesNotDependOnTheNumberOfThreads) {
  const ThreadCount restore;
  const std::string bytes = pattern(5 * kBlock + 77);
  set_num_threads(1);
  const std::uint64_t alone = content_hash(bytes);
  for (const int threads : {2, 3, 7}) {
    set_num_threads(threads);
    EXPECT_EQ(content_hash(bytes), alone) << threads << " threads";
  }
}

}  // namespace
}  // namespace factorgcn
