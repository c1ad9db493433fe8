// bench/gpu_chain describes a layer's launches once more, without libtorch. Here its list of launches is compared with
// that of the layers' own operations: whoever changes the one must change the other. Degrees are uniform: the
// operations look for long rows only in graphs larger than this stand-in has time for.
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "../../bench/gpu_chain/step_chain.h"
#include "cuda_on_cpu/device.h"
#include "cuda_on_cpu/glue/late_losses.h"
#include "cuda_on_cpu/glue/layer_weights.h"
#include "cuda_on_cpu/stream_memory.h"
#include "factorgcn/ops/layer_tiles.h"
#include "ops/put_off.h"
#include "ops/random_graphs.h"

namespace factorgcn::cuda_on_cpu {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr std::int64_t kColumns = bench::kColumns;
constexpr std::int64_t kFactors[] = {8, 4};  // as in StepChain

template <class T>
at::Tensor copied(const T* from, std::int64_t count) {
  const at::Tensor copy = at::empty({count}, at::CppTypeToScalarType<T>::value);
  std::copy_n(from, count, copy.data_ptr<T>());
  return copy;
}

/// The benchmark's graph as the operations take it.
GraphBatch batch_of(const bench::RandomGraph& graph) {
  GraphBatch batch;
  batch.edges.in_offsets = copied(graph.by_target.offsets, graph.nodes + 1);
  batch.edges.in_sources = copied(graph.by_target.neighbours, graph.edges);
  batch.edges.out_offsets = copied(graph.by_source.offsets, graph.nodes + 1);
  batch.edges.out_targets = copied(graph.by_source.neighbours, graph.edges);
  batch.graph_offsets = copied(graph.graph_offsets, 2);
  batch.features = at::zeros({graph.nodes, 1});
  return batch;
}

/// Both layers one above the other, with nothing between or after them, and back.
std::vector<Launch> launches_of_operations(const bench::RandomGraph& graph) {
  RandomStream random(4, "test");
  const auto leaf = [&](at::IntArrayRef shape) {
    return testing::random_tensor(shape, random, at::kFloat, 0.1).requires_grad_();
  };
  const WithStreams with_streams(Pace::kAtOnce);
  const GraphBatch batch = batch_of(graph);
  at::Tensor x = testing::random_tensor({graph.nodes, kColumns}, random, at::kFloat);
  const LaunchList list;
  const auto weights = cuda_on_cpu::layer_weights(batch.edges, EdgeNorm::kSymmetric, at::kFloat, std::size(kFactors));
  Tensors roots(1);
  for (std::size_t layer = 0; layer < std::size(kFactors); ++layer) {
    const std::int64_t k = kFactors[layer], width = kColumns / k, narrow = width / 2;
    const LayerWeights own{leaf({width, kColumns}), leaf({width}), leaf({2 * k, width}), leaf({2 * k})};
    const DiscriminatorWeights judge{leaf({narrow, width}), leaf({narrow}),   leaf({width, narrow}),
                                     leaf({width}),         leaf({k, width}), leaf({k})};
    const LayerStep made = layer_in_rows(batch, x, own, &judge, weights[layer], 6.0, true);
    cuda_on_cpu::start_judges(x.detach());
    x = made.out.flatten(1);
    roots.push_back(made.loss);
  }
  roots[0] = std::exchange(x, {});
  Tensors directions{at::ones(roots[0].sizes())};
  directions.resize(roots.size(), at::ones({}));
  backward_putting_off(std::exchange(roots, {}), directions);
  return list.launches;
}

std::vector<Launch> launches_of_chain(const bench::RandomGraph& graph) {
  bench::StepChain chain(graph);
  const LaunchList list;
  chain.launch({.norms = true, .head = true, .adam = true, .loss_row = true});
  finish_streams();
  return list.launches;
}

/// Streams by the order in which they are first used, for lists that have streams of their own.
std::vector<std::size_t> streams_of(const std::vector<Launch>& launches) {
  std::map<const Stream*, std::size_t> numbers;
  std::vector<std::size_t> streams;
  for (const Launch& launch : launches) {
    streams.push_back(numbers.emplace(launch.stream, numbers.size()).first->second);
  }
  return streams;
}

TEST(GpuChainLayers, LaunchWhatTheOperationsDo) {
  const bench::RandomGraph graph(2000, false, bench::StepChain::kLayers * bench::StepChain::kPassesEachWay);
  const std::vector<Launch> chain = launches_of_chain(graph), operations = launches_of_operations(graph);
  ASSERT_EQ(chain.size(), operations.size());
  EXPECT_EQ(streams_of(chain), streams_of(operations));
  // The last two form and add sums of weights' gradients, in the chain those of the map to the outputs as well.
  for (std::size_t i = 0; i + 2 < chain.size(); ++i) {
    SCOPED_TRACE("launch " + std::to_string(i));
    const Launch &ours = chain[i], &theirs = operations[i];
    EXPECT_EQ(ours.kernel, theirs.kernel);
    EXPECT_EQ(ours.grid.x, theirs.grid.x);
    EXPECT_EQ(ours.grid.y, theirs.grid.y);
    EXPECT_EQ(ours.block.x, theirs.block.x);
    EXPECT_EQ(ours.shared, theirs.shared);
  }
}

}  // namespace
}  // namespace factorgcn::cuda_on_cpu
