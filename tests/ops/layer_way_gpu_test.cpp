// How a layer runs on a GPU, branch by branch.
#include <ATen/ops/zeros.h>

#include "ops/gpu_fixture.h"
#include "ops/layer_way.h"
#include "ops/ring_batch.h"

namespace factorgcn {
namespace {

using testing::gpu;
using testing::ring_batch;

class LayerWayOnGpu : public testing::OnGpu {};

LayerWay way_on_gpu(const GraphBatch& batch, const LayerTask& task) {
  const GraphBatch there = move_batch(batch, gpu());
  return layer_way(there, at::zeros({batch.num_nodes(), 16}, there.features.options()), task);
}

TEST_F(LayerWayOnGpu, IsChosenByTheGraphsSizes) {
  LayerTask task{.width = 8, .factors = 4, .judged = true, .activation = Activation::kLeakyRelu};
  const GraphBatch small = ring_batch(std::vector<std::int64_t>(40, 20), 7);
  const GraphBatch few = ring_batch(std::vector<std::int64_t>(31, 20), 7);
  const GraphBatch large = ring_batch({5000}, 7), sparse = ring_batch({5000}, 2);
  EXPECT_EQ(way_on_gpu(small, task), LayerWay::kTiles);
  EXPECT_EQ(way_on_gpu(few, task), LayerWay::kRows);
  EXPECT_EQ(way_on_gpu(large, task), LayerWay::kRows);
  EXPECT_EQ(way_on_gpu(sparse, task), LayerWay::kComposed);  // its first convolution is better summed
  task.depth = 3;
  EXPECT_EQ(way_on_gpu(small, task), LayerWay::kComposed);
  EXPECT_EQ(way_on_gpu(large, task), LayerWay::kComposed);
  task.judged = false;
  EXPECT_EQ(way_on_gpu(small, task), LayerWay::kTiles);
  EXPECT_EQ(way_on_gpu(sparse, task), LayerWay::kRows);
}

}  // namespace
}  // namespace factorgcn
