// FactorGCN without labels: it learns to predict edges, its shares are shares, and the seed alone decides.
#include "factorgcn/train/unlabelled_gates.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

/// Four groups of ten, everybody joined to everybody inside.
struct Groups {
  Groups() {
    for (std::int32_t node = 0; node < 40; ++node) {
      for (std::int32_t other = node + 1; other < 40; ++other) {
        if (node / 10 == other / 10) {
          sources.push_back(node);
          targets.push_back(other);
        }
      }
    }
  }
  std::vector<std::int32_t> sources, targets;
};

UnlabelledGatesOptions few_rounds() {
  UnlabelledGatesOptions options;
  options.factors = 3;
  options.rounds = 60;
  options.width = 8;
  return options;
}

TEST(UnlabelledGates, LearnToPredictHiddenEdges) {
  const Groups graph;
  const UnlabelledGates gates = train_unlabelled_gates(40, graph.sources, graph.targets, {}, few_rounds());
  ASSERT_EQ(gates.losses.size(), 60U);
  const auto mean_of = [&](std::size_t first) {
    return std::accumulate(gates.losses.begin() + static_cast<std::ptrdiff_t>(first),
                           gates.losses.begin() + static_cast<std::ptrdiff_t>(first) + 10, 0.0) /
           10;
  };
  EXPECT_LT(mean_of(50), 0.85 * mean_of(0));  // a quarter of the drawn pairs are edges: it cannot go far down
}

TEST(UnlabelledGates, GiveEachEdgeSharesWhoseSumIsOne) {
  const Groups graph;
  const UnlabelledGates gates = train_unlabelled_gates(40, graph.sources, graph.targets, {}, few_rounds());
  ASSERT_EQ(gates.shares.size(), graph.sources.size() * 3);
  for (std::size_t edge = 0; edge < graph.sources.size(); ++edge) {
    EXPECT_NEAR(gates.shares[edge * 3] + gates.shares[edge * 3 + 1] + gates.shares[edge * 3 + 2], 1.0, 1e-5);
  }
}

TEST(UnlabelledGates, AreTheSameForAnyNumberOfThreadsAndOthersForAnotherSeed) {
  const Groups graph;
  UnlabelledGatesOptions options = few_rounds();
  options.rounds = 5;
  const at::Tensor attributes = at::arange(80, at::TensorOptions().dtype(at::kFloat)).reshape({40, 2}) / 80;
  const int before = num_threads();
  set_num_threads(1);
  const auto one = train_unlabelled_gates(40, graph.sources, graph.targets, attributes, options).shares;
  set_num_threads(3);
  const auto three = train_unlabelled_gates(40, graph.sources, graph.targets, attributes, options).shares;
  set_num_threads(before);
  options.seed = 1;
  EXPECT_EQ(one, three);
  EXPECT_NE(one, train_unlabelled_gates(40, graph.sources, graph.targets, attributes, options).shares);
}

TEST(UnlabelledGates, SmallestGraphsBehave) {
  UnlabelledGatesOptions options = few_rounds();
  options.rounds = 2;
  EXPECT_TRUE(train_unlabelled_gates(3, {}, {}, {}, options).shares.empty());
  const std::vector<std::int32_t> source{0, 1};
  const std::vector<std::int32_t> target{1, 1};
  const auto shares = train_unlabelled_gates(2, source, target, {}, options).shares;
  ASSERT_EQ(shares.size(), 6U);
  EXPECT_TRUE(std::isfinite(shares[0]));
}

TEST(UnlabelledGates, RefuseWhatCannotBe) {
  const std::vector<std::int32_t> source{0};
  const std::vector<std::int32_t> target{5};
  EXPECT_THROW(train_unlabelled_gates(2, source, target, {}, few_rounds()), Error);
  const std::vector<std::int32_t> right{1};
  EXPECT_THROW(train_unlabelled_gates(2, source, right, at::full({2, 1}, std::nan("")), few_rounds()), Error);
  UnlabelledGatesOptions none = few_rounds();
  none.factors = 0;
  EXPECT_THROW(train_unlabelled_gates(2, source, right, {}, none), UsageError);
}

}  // namespace
}  // namespace factorgcn
