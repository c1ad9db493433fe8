// Batches assembled on the GPU are those assembled on the CPU, byte for byte.
#include "factorgcn/graph/padded_batch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <tuple>

#include "factorgcn/gpu/host_feed.h"
#include "graph/padded_sets.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::gpu;
using testing::random_dataset;

class PaddedBatchOnGpu : public testing::OnGpu {};

TEST_F(PaddedBatchOnGpu, EqualsTheCpuByteForByte) {
  for (const auto& [task, types, graphs, batch_size] :
       {std::tuple{Task::kMultiLabel, 0, 40, 12}, std::tuple{Task::kRegression, 4, 3000, 2600},
        std::tuple{Task::kGraphClass, 0, 40, 40}, std::tuple{Task::kNodeClass, 4, 1500, 1030}}) {
    const Dataset dataset = random_dataset(task, graphs, types);
    const PackedGraphs here = pack_graphs(dataset.graphs, dataset.targets, is_node_task(task));
    const PackedGraphs there = move_packed(here, gpu());
    RandomStream random(1, "test");
    at::Tensor order = at::empty({graphs}, at::kLong);
    for (std::int64_t index = 0; index < graphs; ++index) {
      order.data_ptr<std::int64_t>()[index] = index;
    }
    random.shuffle(std::span(order.data_ptr<std::int64_t>(), static_cast<std::size_t>(graphs)));
    std::vector<std::int64_t> all(order.data_ptr<std::int64_t>(), order.data_ptr<std::int64_t>() + graphs);
    at::Tensor counted = at::empty({dataset.graphs.num_nodes()}, at::kBool);
    for (std::int64_t node = 0; node < counted.numel(); ++node) {
      counted.data_ptr<bool>()[node] = random.chance(0.7);
    }
    const BatchCapacity capacity = drawn_capacities(dataset.graphs, all, batch_size).back();
    PaddedBatch ours = make_padded_batch(there, capacity, gpu()),
                reference = make_padded_batch(here, capacity, at::kCPU);
    at::Tensor position = at::zeros({1}, at::kLong), position_there = position.to(gpu());
    const BatchChoice choice{order, position, batch_size, counted};
    const BatchChoice choice_there{order.to(gpu()), position_there, batch_size, counted.to(gpu())};
    for (std::int64_t index = 0; index * batch_size < graphs; ++index) {
      position.fill_(index);
      position_there.fill_(index);
      ours.buffer.fill_(7);
      reference.buffer.fill_(7);
      assemble_batch(there, choice_there, ours);
      assemble_batch(here, choice, reference);
      EXPECT_TRUE(ours.buffer.to(at::kCPU).equal(reference.buffer)) << task_name(task) << ", batch " << index;
    }
  }
}

TEST_F(PaddedBatchOnGpu, AFeedDeliversWhatWasSentInOrder) {
  constexpr std::int64_t kBytes = 1 << 20;
  HostFeed feed(kBytes, gpu());
  const at::Tensor to = at::zeros({kBytes}, at::TensorOptions().dtype(at::kByte).device(gpu()));
  std::vector<at::Tensor> seen;
  feed.fill(0).fill_(1);
  feed.send(0);
  for (int round = 0; round < 20; ++round) {
    feed.receive(round % 2, to);
    seen.push_back(to.clone());
    feed.fill((round + 1) % 2).fill_(round + 2);
    feed.send((round + 1) % 2);
  }
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(seen[static_cast<std::size_t>(round)].eq(round + 1).all().item<bool>()) << round;
  }
}

}  // namespace
}  // namespace factorgcn
