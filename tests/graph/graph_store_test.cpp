// The store of many graphs: any selection equals the union built from scratch, on any number of threads.
#include "factorgcn/graph/graph_store.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::counting_features;
using brute_force::tensor;
using brute_force::values;
using Ids = std::vector<std::int32_t>;
using Positions = std::vector<std::int64_t>;

std::vector<Graph> two_graphs() {
  return {{"a", 2, {0, 1, 1}, {1, 0, 1}, counting_features(2, 2)},
          {"b", 3, {2, 0}, {0, 2}, counting_features(3, 2, 9)}};
}

TEST(MakeStore, KeepsIdsLocal) {
  const GraphStore store = make_store(two_graphs());
  EXPECT_EQ(store.num_graphs(), 2);
  EXPECT_EQ(store.num_nodes(), 5);
  EXPECT_EQ(store.num_edges(), 5);
  EXPECT_EQ(values<std::int64_t>(store.node_offsets), (Positions{0, 2, 5}));
  EXPECT_EQ(values<std::int64_t>(store.edge_offsets), (Positions{0, 3, 5}));
  EXPECT_EQ(values<std::int32_t>(store.in_degrees), (Ids{1, 2, 1, 0, 1}));
  EXPECT_EQ(values<std::int32_t>(store.in_sources), (Ids{1, 0, 1, 2, 0}));
  EXPECT_EQ(values<std::int32_t>(store.out_degrees), (Ids{1, 2, 1, 0, 1}));
  EXPECT_EQ(values<std::int32_t>(store.out_targets), (Ids{1, 0, 1, 2, 0}));
  EXPECT_EQ(values<std::int32_t>(store.in_to_out), (Ids{1, 0, 2, 1, 0}));
  check_store(store);
  EXPECT_EQ(GraphStore().num_graphs(), 0);
  EXPECT_EQ(GraphStore().num_nodes(), 0);
  EXPECT_EQ(GraphStore().num_edges(), 0);
}

TEST(SelectGraphs, CarriesEdgeTypes) {
  GraphStore store = make_store(two_graphs());
  EXPECT_FALSE(select_graphs(store, Positions{0}).edge_types.defined());
  store.edge_types = tensor(Ids{7, 8, 9, 4, 5});
  check_store(store);
  const GraphBatch batch = select_graphs(store, Positions{1, 0, 1});
  EXPECT_EQ(values<std::int32_t>(batch.edge_types), (Ids{4, 5, 7, 8, 9, 4, 5}));
  EXPECT_EQ(values<std::int32_t>(move_batch(batch, at::Device(at::kCPU)).edge_types), (Ids{4, 5, 7, 8, 9, 4, 5}));
  store.edge_types = tensor(Ids{7, 8, 9});
  EXPECT_EQ(error_text([&] { check_store(store); }), "graphs: edge_types has shape [3]; it must be [5]");
}

TEST(SelectGraphs, CarriesEdgeWeights) {
  std::vector<Graph> graphs = two_graphs();
  graphs[0].weight = {0.5F, 1.5F, 2.5F};
  EXPECT_EQ(error_text([&] { make_store(graphs); }),
            "b: its edges have no weights, but those of a have some; all graphs must have the same");
  graphs[1].weight = {-1, 4};
  GraphStore store = make_store(graphs);
  EXPECT_EQ(values<float>(store.edge_weights), (std::vector<float>{1.5F, 0.5F, 2.5F, -1, 4}));
  check_store(store);
  const GraphBatch batch = select_graphs(store, Positions{1, 0});
  EXPECT_EQ(values<float>(batch.edge_weights), (std::vector<float>{-1, 4, 1.5F, 0.5F, 2.5F}));
  EXPECT_TRUE(move_batch(batch, at::Device(at::kCPU)).edge_weights.defined());
  store.edge_weights = store.edge_weights.narrow(0, 0, 2);
  EXPECT_EQ(error_text([&] { check_store(store); }), "graphs: edge_weights has shape [2]; it must be [5]");
}

TEST(MakeStore, ReadsStridedFeatures) {
  const Graph graph{"strided", 2, {}, {}, counting_features(3, 2).t()};
  EXPECT_EQ(values<float>(make_store(std::vector{graph}).features), (std::vector<float>{0, 2, 4, 1, 3, 5}));
}

TEST(SelectGraphs, EqualsBuildingTheBatchFromScratch) {
  EXPECT_TRUE(rc::check("any selection equals the union of its graphs", [] {
    const std::int64_t columns = *rc::gen::inRange(0, 3);
    std::vector<Graph> graphs;
    for (int left = *rc::gen::inRange(1, 6); left > 0; --left) {
      graphs.push_back(brute_force::random_graph(columns));
    }
    const GraphStore store = make_store(graphs);
    check_store(store);
    const auto chosen =
        *rc::gen::container<Positions>(rc::gen::inRange<std::int64_t>(0, static_cast<std::int64_t>(graphs.size())));
    std::vector<Graph> expected;
    for (const std::int64_t graph : chosen) {
      expected.push_back(graphs[static_cast<std::size_t>(graph)]);
    }
    const GraphBatch batch = select_graphs(store, chosen);
    check_adjacency(batch.edges);
    RC_ASSERT(brute_force::is_union(batch, expected));
  }));
}

TEST(SelectGraphs, GivesAnEmptyBatchForNoGraphs) {
  const GraphBatch batch = select_graphs(make_store(two_graphs()), {});
  EXPECT_EQ(batch.num_graphs(), 0);
  EXPECT_EQ(batch.num_nodes(), 0);
  EXPECT_EQ(batch.num_edges(), 0);
  EXPECT_EQ(batch.features.size(1), 2);
  check_adjacency(batch.edges);
}

// Large enough to be cut into many tasks, with graphs of very different sizes; a union is checked by its definition:
// each graph's own slice of the batch equals the graph.
TEST(SelectGraphs, LargeBatchesAreTheSameOnAnyNumberOfThreads) {
  RandomStream random(0, "test/large-batch");
  std::vector<Graph> graphs;
  for (const std::int64_t nodes : {1, 40, 700, 3, 15}) {
    Graph graph{"random", nodes, {}, {}, counting_features(nodes, 20, static_cast<float>(nodes))};
    for (std::int64_t edge = 0; edge < nodes * 10; ++edge) {
      graph.source.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes))));
      graph.target.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes))));
    }
    graphs.push_back(graph);
  }
  const GraphStore store = make_store(graphs);
  Positions chosen(500);
  Ids source;
  Ids target;
  std::vector<float> features;
  std::int64_t nodes = 0;
  for (std::int64_t& index : chosen) {
    index = static_cast<std::int64_t>(random.below(graphs.size()));
    const Graph& graph = graphs[static_cast<std::size_t>(index)];
    for (std::size_t edge = 0; edge < graph.source.size(); ++edge) {
      source.push_back(graph.source[edge] + static_cast<std::int32_t>(nodes));
      target.push_back(graph.target[edge] + static_cast<std::int32_t>(nodes));
    }
    const std::vector<float> more = values<float>(graph.features);
    features.insert(features.end(), more.begin(), more.end());
    nodes += graph.num_nodes;
  }
  const auto expected = brute_force::orders(build_adjacency(nodes, source, target));
  const int before = num_threads();
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    const GraphBatch batch = select_graphs(store, chosen);
    EXPECT_TRUE(brute_force::orders(batch.edges) == expected) << threads;
    EXPECT_TRUE(values<float>(batch.features) == features) << threads;
  }
  set_num_threads(before);
}

TEST(SelectGraphs, RefusesBadIndices) {
  const GraphStore store = make_store(two_graphs());
  EXPECT_EQ(error_text([&] {
              select_graphs(store, Positions{0, 2});
            }),
            "select_graphs(): graph 2 was asked for, but there are 2 graphs; indices must be in 0 .. 1");
  EXPECT_EQ(error_text([&] { select_graphs(store, Positions{-1}); }),
            "select_graphs(): graph -1 was asked for, but there are 2 graphs; indices must be in 0 .. 1");
  EXPECT_EQ(error_text([] { select_graphs(GraphStore(), Positions{0}); }), "select_graphs(): the store is empty");
}

TEST(CheckStore, NamesEveryInconsistency) {
  const auto message = [](const std::function<void(GraphStore&)>& spoil) {
    GraphStore store = make_store(two_graphs());
    spoil(store);
    return error_text([&] { check_store(store, "s"); });
  };
  EXPECT_EQ(message([](GraphStore&) {}), "no error");
  EXPECT_EQ(message([](GraphStore& s) { s.node_offsets = at::Tensor(); }),
            "s: node_offsets is missing or empty; it needs one more entry than there are graphs");
  EXPECT_EQ(message([](GraphStore& s) { s.features = at::Tensor(); }), "s: features are missing");
  EXPECT_EQ(message([](GraphStore& s) { s.in_sources = at::Tensor(); }), "s: in_sources is missing");
  EXPECT_EQ(message([](GraphStore& s) { s.out_targets = at::Tensor(); }), "s: out_targets is missing");
  EXPECT_EQ(message([](GraphStore& s) {
              s.edge_offsets = tensor(Positions{0, 5});
            }),
            "s: edge_offsets has shape [2]; it must be [3]");
  EXPECT_EQ(message([](GraphStore& s) { s.in_to_out = s.in_to_out.to(at::kLong); }),
            "s: in_to_out has type Long; it must be Int");
  EXPECT_EQ(message([](GraphStore& s) { s.features = s.features.to(at::kDouble); }),
            "s: features has type Double; it must be Float");
  EXPECT_EQ(message([](GraphStore& s) { s.features = s.features.select(1, 0); }),
            "s: features have shape [5]; it must be [nodes, columns] with at least 1 column");
  EXPECT_EQ(message([](GraphStore& s) { s.features = counting_features(2, 5).t(); }),
            "s: features are not contiguous; call contiguous() on them");
  EXPECT_EQ(message([](GraphStore& s) { s.features = counting_features(6, 2); }),
            "s: in_degrees has shape [5]; it must be [6]");
  EXPECT_EQ(message([](GraphStore& s) {
              s.node_offsets = tensor(Positions{0, 6, 5});
            }),
            "s: node_offsets falls from 6 to 5 at 2; it must not fall");
  EXPECT_EQ(message([](GraphStore& s) {
              s.edge_offsets = tensor(Positions{0, 3, 4});
            }),
            "s: edge_offsets ends at 4; it must end at 5");
  EXPECT_EQ(message([](GraphStore& s) {
              s.node_offsets = tensor(Positions{0, 0, 5});
            }),
            "s, graph 0: it has no nodes; a graph needs at least 1");
  EXPECT_EQ(message([](GraphStore& s) {
              s.in_degrees = tensor(Ids{1, 2, 2, -1, 1});
            }),
            "s, graph 1: in_offsets falls from 2 to 1 at 2; it must not fall");
  EXPECT_EQ(message([](GraphStore& s) {
              s.out_degrees = tensor(Ids{1, 1, 1, 0, 1});
            }),
            "s, graph 0: out_offsets ends at 2; it must end at 3");
  EXPECT_EQ(message([](GraphStore& s) {
              s.in_sources = tensor(Ids{1, 0, 2, 2, 0});
            }),
            "s, graph 0: in_sources holds node 2 at 2; ids must be in 0 .. 1");
  EXPECT_EQ(message([](GraphStore& s) {
              s.in_to_out = tensor(Ids{1, 0, 2, 0, 1});
            }),
            "s, graph 1: in_to_out leads from edge 0 to 0, which is no out-edge of its source 2");
  EXPECT_EQ(message([](GraphStore& s) {
              s.out_targets = tensor(Ids{1, 0, 1, 1, 0});
            }),
            "s, graph 1: in_to_out leads from edge 1 into node 2 to an edge into node 1");
}

TEST(CheckStore, ChecksTheShapeOfNodeTypes) {
  GraphStore store = make_store(two_graphs());
  store.features = tensor(Positions{0, 1, 2, 3, 4});
  EXPECT_EQ(error_text([&] { check_store(store); }), "no error");
  store.features = store.features.reshape({5, 1});
  EXPECT_EQ(error_text([&] { check_store(store); }), "graphs: features has shape [5, 1]; it must be [5]");
}

}  // namespace
}  // namespace factorgcn
