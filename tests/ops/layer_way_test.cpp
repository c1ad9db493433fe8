// How a layer runs on a CPU, branch by branch; the GPU's ways are in layer_way_gpu_test.cpp.
#include "ops/layer_way.h"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <functional>

#include "ops/ring_batch.h"

namespace factorgcn {
namespace {

using testing::ring_batch;

const LayerTask kTask{.width = 8, .factors = 4, .judged = true, .activation = Activation::kLeakyRelu};

LayerWay way_with(
    const GraphBatch& batch, const std::function<void(LayerTask&)>& change = [](LayerTask&) {}) {
  LayerTask task = kTask;
  change(task);
  return layer_way(batch, at::zeros({batch.num_nodes(), 3}), task);
}

TEST(LayerWay, SmallGraphsOnACpuAreAStack) {
  const GraphBatch batch = ring_batch({30, 2048, 5});
  EXPECT_EQ(way_with(batch), LayerWay::kStack);
  EXPECT_EQ(way_with(batch, [](LayerTask& t) { t.activation = Activation::kRelu; }), LayerWay::kStack);
  EXPECT_EQ(way_with(batch, [](LayerTask& t) { t.judged = false; }), LayerWay::kStack);
}

TEST(LayerWay, WhatAStackCannotDoIsComposed) {
  EXPECT_EQ(way_with(ring_batch({30, 2049, 5})), LayerWay::kComposed);
  GraphBatch batch = ring_batch({30, 20, 5});
  for (const Activation activation : {Activation::kTanh, Activation::kElu}) {
    EXPECT_EQ(way_with(batch, [&](LayerTask& t) { t.activation = activation; }), LayerWay::kComposed);
  }
  EXPECT_EQ(way_with(batch, [](LayerTask& t) { t.tiles = false; }), LayerWay::kComposed);
  const auto deeper = [](bool judged) {
    return [judged](LayerTask& t) {
      t.depth = 3;
      t.judged = judged;
    };
  };
  EXPECT_EQ(way_with(batch, deeper(true)), LayerWay::kComposed);
  EXPECT_EQ(way_with(batch, deeper(false)), LayerWay::kStack);
  batch.counts = at::zeros({3}, at::kLong);
  EXPECT_EQ(way_with(batch), LayerWay::kComposed);
}

/// K * d against d + degree * K multiply-adds.
TEST(LayerWay, TheFirstConvolutionIsSummedOnSparseGraphsOfWideFactors) {
  const GraphBatch sparse = ring_batch({20}, 2), dense = ring_batch({20}, 7);
  EXPECT_TRUE(sums_first_convolution(sparse, 8, 4));   // 32 > 8 + 8
  EXPECT_FALSE(sums_first_convolution(dense, 8, 4));   // 32 < 8 + 28
  EXPECT_FALSE(sums_first_convolution(sparse, 8, 1));  // 8 < 8 + 2
}

}  // namespace
}  // namespace factorgcn
