// Padded batches put together by the GPU's kernels (graph/cuda/assemble.h): the same bytes as the CPU's.
#include "graph/cuda/assemble.h"

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/graph/padded_batch.h"
#include "graph/padded_sets.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

std::int64_t words_of(const at::Tensor& rows) {
  return rows.numel() / rows.size(0) * static_cast<std::int64_t>(rows.element_size()) / 4;
}

AssemblyPlan plan_of(const PackedGraphs& packed, const BatchChoice& choice, const PaddedBatch& batch) {
  AssemblyPlan plan;
  plan.node_offsets = place<std::int64_t>(packed.node_offsets);
  plan.edge_offsets = place<std::int64_t>(packed.edge_offsets);
  plan.in_starts = place<std::int32_t>(packed.in_starts);
  plan.out_starts = place<std::int32_t>(packed.out_starts);
  plan.in_sources = place<std::int32_t>(packed.in_sources);
  plan.out_targets = place<std::int32_t>(packed.out_targets);
  plan.in_to_out = place<std::int32_t>(packed.in_to_out);
  plan.features = static_cast<const std::uint32_t*>(packed.features.data_ptr());
  plan.feature_words = words_of(packed.features);
  if (packed.targets.scalar_type() == at::kLong) {
    plan.classes = place<std::int64_t>(packed.targets);
    plan.batch_classes = place<std::int64_t>(batch.targets);
  } else {
    plan.target_rows = static_cast<const std::uint32_t*>(packed.targets.data_ptr());
    plan.batch_target_rows = static_cast<std::uint32_t*>(batch.targets.data_ptr());
    plan.target_words = words_of(packed.targets);
  }
  plan.node_targets = packed.node_targets;
  plan.order = place<std::int64_t>(choice.order);
  plan.order_size = choice.order.numel();
  plan.batch_size = choice.batch_size;
  plan.position = place<std::int64_t>(choice.position);
  plan.graphs = batch.capacity.graphs;
  plan.nodes = batch.capacity.nodes;
  plan.edges = batch.capacity.edges;
  plan.counts = place<std::int64_t>(batch.graphs.counts);
  plan.graph_offsets = place<std::int64_t>(batch.graphs.graph_offsets);
  plan.edge_firsts = place<std::int64_t>(batch.edge_firsts);
  plan.node_places = place<std::int64_t>(batch.node_places);
  plan.in_offsets = place<std::int64_t>(batch.graphs.edges.in_offsets);
  plan.out_offsets = place<std::int64_t>(batch.graphs.edges.out_offsets);
  plan.batch_sources = place<std::int32_t>(batch.graphs.edges.in_sources);
  plan.batch_targets = place<std::int32_t>(batch.graphs.edges.out_targets);
  plan.batch_in_to_out = place<std::int64_t>(batch.graphs.edges.in_to_out);
  plan.batch_features = static_cast<std::uint32_t*>(batch.graphs.features.data_ptr());
  return plan;
}

class AssembleKernel : public ::testing::TestWithParam<Task> {};
INSTANTIATE_TEST_SUITE_P(Tasks, AssembleKernel,
                         ::testing::Values(Task::kGraphClass, Task::kMultiLabel, Task::kNodeClass));

TEST_P(AssembleKernel, BatchesHaveTheSameBytesAsTheCpus) {
  // Over 1024 graphs in a batch take several rounds of running sums.
  for (const std::int64_t batch_size : {7, 1100}) {
    const Dataset data =
        random_dataset(GetParam(), batch_size == 7 ? 30 : 1500, GetParam() == Task::kGraphClass ? 4 : 0);
    const PackedGraphs packed = pack_graphs(data.graphs, data.targets, is_node_task(GetParam()));
    std::vector<std::int64_t> order;
    for (std::int64_t graph = data.graphs.num_graphs(); graph > 0; --graph) {
      order.push_back(graph - 1);
    }
    const BatchCapacity capacity = listed_capacity(data.graphs, order, batch_size);
    for (const std::int64_t position : {0, 1}) {  // the second may be cut short
      BatchChoice choice;
      choice.order = integers(order);
      choice.position = integers({position});
      choice.batch_size = batch_size;
      const PaddedBatch expected = make_padded_batch(packed, capacity, at::kCPU);
      expected.buffer.fill_(0xab);  // what lies between the arrays is nobody's
      assemble_batch(packed, choice, expected);
      const auto run = [&] {
        const PaddedBatch batch = make_padded_batch(packed, capacity, at::kCPU);
        batch.buffer.fill_(0xab);
        assemble(plan_of(packed, choice, batch), nullptr);
        return Results{{"batch", batch.buffer}};
      };
      EXPECT_TRUE(in_any_order(run)[0].values.equal(expected.buffer)) << batch_size << ", " << position;
    }
  }
}

}  // namespace
}  // namespace factorgcn::cuda
