// Padded batches: the real part is select_graphs()'s, the rest is a valid batch of dummies, and capacities hold.
#include "factorgcn/graph/padded_batch.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error_text.h"
#include "graph/edge_orders.h"
#include "graph/padded_sets.h"
#include "graph/padding.h"

namespace factorgcn {
namespace {

using testing::random_dataset;

at::Tensor numbers(const std::vector<std::int64_t>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

TEST(Shares, AreFoundAgain) {
  for (const std::int64_t total : {1, 2, 7, 64, 1000}) {
    for (const std::int64_t shares : {1, 2, 3, 7, 65, 5000}) {
      for (std::int64_t item = 0; item < total; ++item) {
        const std::int64_t share = share_of(total, shares, item);
        ASSERT_LE(share_begin(total, shares, share), item) << total << " in " << shares;
        ASSERT_GT(share_begin(total, shares, share + 1), item) << total << " in " << shares;
      }
      EXPECT_EQ(share_begin(total, shares, 0), 0);
      EXPECT_EQ(share_begin(total, shares, shares), total);
    }
  }
}

TEST(Slots, SkipEmptyOnes) {
  const std::int64_t firsts[] = {0, 0, 3, 3, 3, 5};
  EXPECT_EQ(slot_of(firsts, 6, 0), 1);
  EXPECT_EQ(slot_of(firsts, 6, 2), 1);
  EXPECT_EQ(slot_of(firsts, 6, 3), 4);
  EXPECT_EQ(slot_of(firsts, 6, 9), 5);
  EXPECT_EQ(slot_of(firsts, 1, 9), 0);
}

void expect_valid(const GraphBatch& batch) {
  std::vector<char> seen;
  const EdgeOrders<std::int64_t> orders{
      batch.num_nodes(),
      batch.num_edges(),
      batch.edges.in_offsets.data_ptr<std::int64_t>(),
      batch.edges.in_sources.data_ptr<std::int32_t>(),
      batch.edges.out_offsets.data_ptr<std::int64_t>(),
      batch.edges.out_targets.data_ptr<std::int32_t>(),
      batch.edges.in_to_out.data_ptr<std::int64_t>(),
  };
  check_edge_orders(orders, seen, [] { return std::string("padded batch"); });
  check_offsets(batch.graph_offsets.data_ptr<std::int64_t>(), batch.num_graphs(), batch.num_nodes(), "graph_offsets",
                [] { return std::string("padded batch"); });
}

class PaddedBatches : public ::testing::TestWithParam<std::tuple<Task, int>> {};

TEST_P(PaddedBatches, BeginWithTheRealGraphsAndEndWithDummies) {
  const auto [task, types] = GetParam();
  const Dataset dataset = random_dataset(task, 40, types);
  PackedGraphs packed = pack_graphs(dataset.graphs, dataset.targets, is_node_task(task));
  packed.edge_types = at::empty({dataset.graphs.num_edges()}, at::kInt);
  for (std::int64_t edge = 0; edge < packed.edge_types.numel(); ++edge) {
    packed.edge_types.data_ptr<std::int32_t>()[edge] = static_cast<std::int32_t>(1 + edge % 5);
  }
  packed.edge_weights = packed.edge_types.to(at::kFloat) * 0.5;
  std::vector<std::int64_t> order(40);
  for (std::size_t index = 0; index < order.size(); ++index) {
    order[index] = static_cast<std::int64_t>(index);
  }
  RandomStream random(1, "test");
  random.shuffle(std::span(order));
  at::Tensor counted = at::empty({dataset.graphs.num_nodes()}, at::kBool);
  for (std::int64_t node = 0; node < counted.numel(); ++node) {
    counted.data_ptr<bool>()[node] = random.chance(0.7);
  }
  const auto capacities = drawn_capacities(dataset.graphs, order, 12);
  BatchChoice choice{numbers(order), numbers({0}), 12, is_node_task(task) ? counted : at::Tensor()};
  for (const BatchCapacity& capacity : {capacities.back(), BatchCapacity{13, 700, 900}, BatchCapacity{40, 400, 2000}}) {
    PaddedBatch batch = make_padded_batch(packed, capacity, at::kCPU);
    batch.buffer.fill_(0xa5);  // nothing may be left unwritten
    for (std::int64_t position = 0; position < 4; ++position) {
      choice.position.fill_(position);
      assemble_batch(packed, choice, batch);
      const auto ids = std::span(order).subspan(static_cast<std::size_t>(position) * 12, position == 3 ? 4 : 12);
      const GraphBatch real = select_graphs(dataset.graphs, ids);
      const GraphBatch& padded = batch.graphs;
      expect_valid(padded);
      const std::int64_t graphs = real.num_graphs(), nodes = real.num_nodes(), edges = real.num_edges();
      EXPECT_TRUE(padded.counts.equal(numbers({graphs, nodes, edges})));
      EXPECT_EQ(padded.num_graphs(), capacity.graphs);
      EXPECT_EQ(padded.num_nodes(), capacity.nodes);
      EXPECT_EQ(padded.num_edges(), capacity.edges);
      EXPECT_TRUE(padded.graph_offsets.narrow(0, 0, graphs + 1).equal(real.graph_offsets));
      EXPECT_TRUE(padded.edges.in_offsets.narrow(0, 0, nodes + 1).equal(real.edges.in_offsets));
      EXPECT_TRUE(padded.edges.out_offsets.narrow(0, 0, nodes + 1).equal(real.edges.out_offsets));
      EXPECT_TRUE(padded.edges.in_sources.narrow(0, 0, edges).equal(real.edges.in_sources));
      EXPECT_TRUE(padded.edges.out_targets.narrow(0, 0, edges).equal(real.edges.out_targets));
      EXPECT_TRUE(padded.edges.in_to_out.narrow(0, 0, edges).equal(real.edges.in_to_out));
      EXPECT_TRUE(padded.features.narrow(0, 0, nodes).equal(real.features));
      EXPECT_EQ(padded.features.narrow(0, nodes, capacity.nodes - nodes).abs().sum().item<double>(), 0);
      const auto* edge_offsets = dataset.graphs.edge_offsets.data_ptr<std::int64_t>();
      std::int64_t place = 0;
      for (const std::int64_t graph : ids) {
        for (std::int64_t edge = edge_offsets[graph]; edge < edge_offsets[graph + 1]; ++edge, ++place) {
          EXPECT_EQ(batch.graphs.edge_types.data_ptr<std::int32_t>()[place], 1 + edge % 5);
          EXPECT_EQ(batch.graphs.edge_weights.data_ptr<float>()[place], 0.5F * static_cast<float>(1 + edge % 5));
        }
      }
      // Dummies keep to themselves.
      for (std::int64_t edge = edges; edge < capacity.edges; ++edge) {
        EXPECT_EQ(batch.graphs.edge_types.data_ptr<std::int32_t>()[edge], 0);
        EXPECT_EQ(batch.graphs.edge_weights.data_ptr<float>()[edge], 1);
        EXPECT_GE(padded.edges.in_sources.data_ptr<std::int32_t>()[edge], nodes);
      }
      // Targets.
      const std::int64_t rows = is_node_task(task) ? nodes : graphs;
      if (is_node_task(task)) {
        const auto* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
        std::int64_t row = 0;
        for (const std::int64_t graph : ids) {
          for (std::int64_t node = offsets[graph]; node < offsets[graph + 1]; ++node, ++row) {
            EXPECT_EQ(batch.targets[row].item<std::int64_t>(),
                      counted[node].item<bool>() ? dataset.targets[node].item<std::int64_t>() : -100);
          }
        }
      } else {
        for (std::int64_t row = 0; row < rows; ++row) {
          EXPECT_TRUE(batch.targets[row].equal(dataset.targets[ids[static_cast<std::size_t>(row)]]));
        }
      }
      const at::Tensor rest = batch.targets.narrow(0, rows, batch.targets.size(0) - rows);
      EXPECT_TRUE(rest.eq(rest.scalar_type() == at::kLong ? -100 : 0).all().item<bool>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, PaddedBatches,
                         ::testing::Values(std::tuple{Task::kMultiLabel, 0}, std::tuple{Task::kRegression, 4},
                                           std::tuple{Task::kGraphClass, 0}, std::tuple{Task::kNodeClass, 4}));

TEST(PaddedBatch, RefusesWhatItCannotHold) {
  const Dataset dataset = random_dataset(Task::kRegression, 20);
  const PackedGraphs packed = pack_graphs(dataset.graphs, dataset.targets, false);
  const PaddedBatch batch = make_padded_batch(packed, {4, 500, 500}, at::kCPU);
  const BatchChoice choice{numbers({0, 1, 2, 3}), numbers({0}), 4, {}};
  EXPECT_NE(error_text([&] { assemble_batch(packed, choice, batch); }).find("does not fit"), std::string::npos);
  EXPECT_NE(error_text([&] { pack_graphs(dataset.graphs, dataset.targets.narrow(0, 0, 3), false); }).find("3 targets"),
            std::string::npos);
}

TEST(Capacities, HoldTheBatchesTheyAreFor) {
  const Dataset dataset = random_dataset(Task::kRegression, 200);
  std::vector<std::int64_t> order(200);
  for (std::size_t index = 0; index < order.size(); ++index) {
    order[index] = static_cast<std::int64_t>(index);
  }
  const auto* node_offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = dataset.graphs.edge_offsets.data_ptr<std::int64_t>();
  const auto nodes_of = [&](std::int64_t graph) { return node_offsets[graph + 1] - node_offsets[graph]; };
  const auto edges_of = [&](std::int64_t graph) { return edge_offsets[graph + 1] - edge_offsets[graph]; };
  const auto capacities = drawn_capacities(dataset.graphs, order, 30);
  ASSERT_EQ(capacities.size(), 3U);
  // The last one holds the worst that can be drawn.
  const auto largest = [&](const auto& size) {
    std::vector<std::int64_t> sorted;
    for (const std::int64_t graph : order) {
      sorted.push_back(size(graph));
    }
    std::sort(sorted.rbegin(), sorted.rend());
    std::int64_t sum = 0;
    for (int index = 0; index < 30; ++index) {
      sum += sorted[static_cast<std::size_t>(index)];
    }
    return sum;
  };
  EXPECT_TRUE(capacities.back().holds(30, largest(nodes_of), largest(edges_of)));
  // Most draws take the first, and it is much smaller than the last.
  int first = 0;
  RandomStream random(2, "test");
  for (int draw = 0; draw < 200; ++draw) {
    random.shuffle(std::span(order));
    std::int64_t nodes = 0, edges = 0;
    for (std::size_t index = 0; index < 30; ++index) {
      nodes += nodes_of(order[index]);
      edges += edges_of(order[index]);
    }
    first += capacities[0].holds(30, nodes, edges) ? 1 : 0;
    EXPECT_TRUE(capacities.back().holds(30, nodes, edges));
  }
  EXPECT_GT(first, 150);
  EXPECT_LT(capacities[0].nodes * 3, capacities.back().nodes * 2);
  // They follow from the set, not from its order; a batch of all graphs leaves nothing to guess.
  EXPECT_EQ(drawn_capacities(dataset.graphs, order, 30), capacities);
  EXPECT_EQ(drawn_capacities(dataset.graphs, order, 1000).size(), 1U);

  const BatchCapacity listed = listed_capacity(dataset.graphs, order, 30);
  for (std::size_t begin = 0; begin < order.size(); begin += 30) {
    std::int64_t nodes = 0, edges = 0;
    const std::size_t end = std::min<std::size_t>(begin + 30, order.size());
    for (std::size_t index = begin; index < end; ++index) {
      nodes += nodes_of(order[index]);
      edges += edges_of(order[index]);
    }
    EXPECT_TRUE(listed.holds(static_cast<std::int64_t>(end - begin), nodes, edges));
  }
  EXPECT_LE(listed.nodes, capacities.back().nodes);
}

}  // namespace
}  // namespace factorgcn
