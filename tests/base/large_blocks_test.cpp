// Large blocks: apart from each other, merged when free, the smallest place first.
#include "base/large_blocks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

constexpr std::size_t kPage = LargeBlocks::kPage;

TEST(LargeBlocks, NeighboursThatAreFreeBecomeOnePlace) {
  LargeBlocks blocks(4 * kPage);
  std::vector<void*> pages;
  for (int i = 0; i < 4; ++i) {
    pages.push_back(blocks.take(kPage - 1));
    ASSERT_NE(pages.back(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.back()) % kPage, 0U);
  }
  EXPECT_EQ(blocks.take(1), nullptr);
  for (const int i : {0, 2, 1}) {
    EXPECT_TRUE(blocks.give(pages[i]));
  }
  EXPECT_EQ(blocks.take(3 * kPage + 1), nullptr);
  EXPECT_EQ(blocks.take(3 * kPage), pages[0]);
  EXPECT_TRUE(blocks.give(pages[3]));
  EXPECT_TRUE(blocks.give(pages[0]));
  EXPECT_EQ(blocks.take(4 * kPage), pages[0]);
}

TEST(LargeBlocks, TheSmallestPlaceIsTaken) {
  LargeBlocks blocks(16 * kPage);
  void* const wide = blocks.take(3 * kPage);
  blocks.take(kPage);
  void* const narrow = blocks.take(2 * kPage);
  blocks.take(kPage);
  blocks.give(wide);
  blocks.give(narrow);
  EXPECT_EQ(blocks.take(2 * kPage), narrow);
  EXPECT_EQ(blocks.take(2 * kPage), wide);
}

TEST(LargeBlocks, RefusesWhatItDoesNotHave) {
  LargeBlocks blocks(2 * kPage), none(0);
  EXPECT_EQ(blocks.take(2 * kPage + 1), nullptr);
  EXPECT_EQ(blocks.take(SIZE_MAX), nullptr);
  EXPECT_EQ(none.take(1), nullptr);
  int other = 0;
  EXPECT_FALSE(blocks.give(&other));
  auto* const block = static_cast<char*>(blocks.take(kPage));
  EXPECT_FALSE(blocks.give(block + kPage));
  EXPECT_TRUE(blocks.give(block));
  EXPECT_FALSE(blocks.give(block));
}

TEST(LargeBlocks, BlocksDoNotOverlap) {
  LargeBlocks blocks(64 * kPage);
  RandomStream random(1, "blocks");
  struct Held {
    char* block;
    std::size_t pages;
    char mark;
  };
  std::vector<Held> held;
  for (int step = 0; step < 2000; ++step) {
    const std::size_t pages = 1 + random.below(8);
    if (auto* const block = static_cast<char*>(blocks.take(pages * kPage))) {
      held.push_back({block, pages, static_cast<char>(step)});
      for (std::size_t page = 0; page < pages; ++page) {
        block[page * kPage] = held.back().mark;
      }
    }
    while (!held.empty() && random.chance(0.5)) {
      const std::size_t at = random.below(held.size());
      for (std::size_t page = 0; page < held[at].pages; ++page) {
        ASSERT_EQ(held[at].block[page * kPage], held[at].mark);
      }
      ASSERT_TRUE(blocks.give(held[at].block));
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  for (const Held& one : held) {
    ASSERT_TRUE(blocks.give(one.block));
  }
  EXPECT_NE(blocks.take(64 * kPage), nullptr);
}

}  // namespace
}  // namespace factorgcn
