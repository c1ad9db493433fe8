// Sparse features: there and back, pieces of rows, stores and batches, and every check.
#include "factorgcn/graph/sparse_features.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/graph/padded_batch.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::tensor;
using Ints = std::vector<std::int32_t>;

at::Tensor random_rows(std::int64_t rows, std::int64_t columns, RandomStream& random) {
  at::Tensor dense = at::zeros({rows, columns});
  for (std::int64_t index = 0; index < dense.numel(); ++index) {
    if (random.chance(0.2)) {
      dense.data_ptr<float>()[index] = static_cast<float>(random.uniform(-1, 1));
    }
  }
  return dense;
}

TEST(SparseFeatures, ComeBackAsTheyWere) {
  const at::Tensor dense = at::tensor({0.0F, 2.0F, 0.0F, 0.0F, 0.0F, 0.0F, -1.0F, 0.0F, 3.0F}).view({3, 3});
  const at::Tensor sparse = compressed_features(dense);
  EXPECT_TRUE(is_sparse(sparse));
  EXPECT_FALSE(is_sparse(dense));
  EXPECT_FALSE(is_sparse({}));
  EXPECT_EQ(sparse.size(0), 3);
  EXPECT_EQ(sparse.size(1), 3);
  EXPECT_EQ(sparse.scalar_type(), at::kFloat);
  const SparseRows rows = sparse_rows(sparse);
  EXPECT_EQ(brute_force::values<std::int32_t>(rows.offsets), (Ints{0, 1, 1, 3}));
  EXPECT_EQ(brute_force::values<std::int32_t>(rows.columns), (Ints{1, 0, 2}));
  EXPECT_TRUE(dense_features(sparse).equal(dense));
  EXPECT_TRUE(dense_features(feature_rows(sparse, 1, 2)).equal(dense.narrow(0, 1, 2)));
  EXPECT_TRUE(feature_rows(dense, 1, 2).equal(dense.narrow(0, 1, 2)));
  check_sparse_rows(rows, "x");
}

TEST(SparseFeatures, NamesWhatIsWrong) {
  const auto refusal = [](const Ints& offsets, const Ints& columns, const std::vector<float>& values,
                          std::int64_t width = 4) {
    return error_text([&] { check_sparse_rows({tensor(offsets), tensor(columns), tensor(values), width}, "x"); });
  };
  EXPECT_EQ(refusal({0, 1, 2}, {1, 4}, {1, 1}),
            "x: node 1 has a feature in column 4 after column -1; columns must rise within 0 .. 3");
  EXPECT_EQ(refusal({0, 2}, {2, 2}, {1, 1}),
            "x: node 0 has a feature in column 2 after column 2; columns must rise within 0 .. 3");
  EXPECT_EQ(refusal({0, 1}, {0}, {INFINITY}), "x: feature 0 of node 0 is inf; features must be finite");
  EXPECT_EQ(refusal({0, 2, 1}, {0}, {1}), "x: the features' offsets must rise from 0 to 1");
  EXPECT_EQ(refusal({1, 1}, {0}, {1}), "x: the features' offsets must rise from 0 to 1");
  EXPECT_NE(refusal({0, 1}, {0}, {1, 2}).find("values has shape [2]"), std::string::npos);
  EXPECT_NE(refusal({0, 1}, {0}, {1}, 0).find("features have 0 columns"), std::string::npos);
}

TEST(SparseFeatures, BatchesEqualDenseOnes) {
  EXPECT_TRUE(rc::check("any selection of graphs", [] {
    RandomStream random(*rc::gen::inRange<std::uint64_t>(0, 1000), "test/sparse");
    std::vector<Graph> dense(1 + random.below(4));
    for (Graph& graph : dense) {
      graph.num_nodes = 1 + static_cast<std::int64_t>(random.below(5));
      graph.source = {0};
      graph.target = {static_cast<std::int32_t>(graph.num_nodes - 1)};
      graph.features = random_rows(graph.num_nodes, 7, random);
    }
    std::vector<Graph> sparse = dense;
    for (Graph& graph : sparse) {
      graph.features = compressed_features(graph.features);
    }
    const GraphStore left = make_store(dense), right = make_store(sparse);
    check_store(right);
    std::vector<std::int64_t> chosen(random.below(6));
    for (std::int64_t& graph : chosen) {
      graph = static_cast<std::int64_t>(random.below(dense.size()));
    }
    const GraphBatch one = select_graphs(left, chosen), other = select_graphs(right, chosen);
    RC_ASSERT(is_sparse(other.features));
    RC_ASSERT(dense_features(other.features).equal(one.features));
    RC_ASSERT(other.edges.in_sources.equal(one.edges.in_sources));
  }));
}

TEST(SparseFeatures, AreMadeDenseForBatchesOfOneShape) {
  RandomStream random(1, "test/sparse");
  const at::Tensor features = random_rows(3, 5, random);
  const std::vector<Graph> graphs{{"a", 3, {0, 1}, {1, 2}, compressed_features(features)}};
  const GraphStore store = make_store(graphs);
  const PackedGraphs packed = pack_graphs(store, at::tensor({1}, at::kLong), false);
  EXPECT_TRUE(packed.features.equal(features));
}

TEST(SparseFeatures, AndDenseOnesDoNotMix) {
  const std::vector<Graph> graphs{{"a", 1, {}, {}, at::ones({1, 2})},
                                  {"b", 1, {}, {}, compressed_features(at::ones({1, 2}))}};
  EXPECT_EQ(error_text([&] { make_store(graphs); }),
            "b: features are sparse, but those of a are not; all graphs must have the same");
}

}  // namespace
}  // namespace factorgcn
