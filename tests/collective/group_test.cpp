// The real engine, with ranks as threads of this program.
#include "factorgcn/collective/group.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "collective/free_port.h"
#include "collective/ranks.h"

namespace factorgcn {
namespace {

using namespace std::chrono_literals;
using testing::on_all_ranks;

class GroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = testing::no_ranks(); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }
};

TEST_F(GroupTest, GathersByRank) {
  const auto thrown = on_all_ranks(4, [](Group& group) {
    const at::Tensor all = group.all_gather(at::full({2, 3}, group.rank(), at::kFloat));
    ASSERT_EQ(all.sizes(), (std::vector<std::int64_t>{4, 2, 3}));
    for (int rank = 0; rank < 4; ++rank) {
      EXPECT_TRUE(all[rank].eq(rank).all().item<bool>());
    }
    EXPECT_EQ(group.bytes_sent(), 3 * 2 * 3 * 4);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(4));
}

TEST_F(GroupTest, SendsRowsToEachRank) {
  // Rank r sends s + 1 rows to rank s, each holding 10 r + s: none of the counts need to be alike.
  const auto thrown = on_all_ranks(3, [](Group& group) {
    std::vector<std::int64_t> send, receive(3, group.rank() + 1);
    std::vector<float> values;
    for (int to = 0; to < 3; ++to) {
      send.push_back(to + 1);
      values.insert(values.end(), static_cast<std::size_t>(2 * (to + 1)), static_cast<float>(10 * group.rank() + to));
    }
    const at::Tensor rows = at::zeros({6, 2});
    std::copy(values.begin(), values.end(), rows.data_ptr<float>());
    const at::Tensor got = group.all_to_all(rows, send, receive);
    ASSERT_EQ(got.size(0), 3 * (group.rank() + 1));
    for (int from = 0; from < 3; ++from) {
      const at::Tensor part = got.narrow(0, from * (group.rank() + 1), group.rank() + 1);
      EXPECT_TRUE(part.eq(10 * from + group.rank()).all().item<bool>());
    }
    EXPECT_EQ(group.bytes_sent(), (6 - (group.rank() + 1)) * 2 * 4);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(3));
}

TEST_F(GroupTest, SendsNoRowsWhereThereAreNone) {
  const auto thrown = on_all_ranks(2, [](Group& group) {
    const std::vector<std::int64_t> none(2, 0);
    EXPECT_EQ(group.all_to_all(at::zeros({0, 5}), none, none).size(0), 0);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2));
}

TEST_F(GroupTest, GathersTextsOfAnyLength) {
  const auto thrown = on_all_ranks(3, [](Group& group) {
    const std::vector<std::string> texts =
        all_gather_texts(group, std::string(static_cast<std::size_t>(group.rank() * 5), 'x'));
    EXPECT_EQ(texts, (std::vector<std::string>{"", "xxxxx", "xxxxxxxxxx"}));
  });
  EXPECT_EQ(thrown, std::vector<std::string>(3));
}

TEST_F(GroupTest, TellsWhyARankGaveUp) {
  const auto thrown = on_all_ranks(3, [](Group& group) {
    if (group.rank() == 1) {
      group.give_up("the disk is full");
      return;
    }
    group.all_gather(at::zeros({1}));
  });
  EXPECT_EQ(thrown[0], "rank 1 gave up: the disk is full");
  EXPECT_EQ(thrown[2], "rank 1 gave up: the disk is full");
}

TEST_F(GroupTest, SaysWhereNobodyCame) {
  Place place;
  place.rank = 1;
  place.size = 2;
  place.host = "127.0.0.1";
  place.port = testing::free_port();
  try {
    join_group(place, 1s);
    FAIL() << "joined nobody";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1 of 2: the ranks did not come together"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace factorgcn
