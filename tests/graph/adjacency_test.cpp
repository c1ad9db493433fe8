// Both orders of an edge list: against a brute-force twin, and every inconsistency that the check must find.
#include "factorgcn/graph/adjacency.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <vector>

#include "base/error_text.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::orders;
using brute_force::tensor;
using brute_force::values;
using Ids = std::vector<std::int32_t>;
using Positions = std::vector<std::int64_t>;

/// 0 -> 1, 0 -> 2, 2 -> 1, 1 -> 1, and node 3 alone.
Adjacency small_adjacency() { return build_adjacency(4, Ids{0, 0, 2, 1}, Ids{1, 2, 1, 1}, "small"); }

TEST(BuildAdjacency, SortsASmallGraphByHand) {
  const Adjacency adjacency = small_adjacency();
  EXPECT_EQ(adjacency.num_nodes(), 4);
  EXPECT_EQ(adjacency.num_edges(), 4);
  EXPECT_EQ(values<std::int64_t>(adjacency.in_offsets), (Positions{0, 0, 3, 4, 4}));
  EXPECT_EQ(values<std::int32_t>(adjacency.in_sources), (Ids{0, 2, 1, 0}));
  EXPECT_EQ(values<std::int64_t>(adjacency.out_offsets), (Positions{0, 2, 3, 4, 4}));
  EXPECT_EQ(values<std::int32_t>(adjacency.out_targets), (Ids{1, 2, 1, 1}));
  EXPECT_EQ(values<std::int64_t>(adjacency.in_to_out), (Positions{0, 3, 2, 1}));
}

TEST(BuildAdjacency, EqualsTheBruteForceTwin) {
  EXPECT_TRUE(rc::check("both orders equal the brute-force ones", [] {
    const Graph graph = brute_force::random_graph(1);
    const Adjacency adjacency = build_adjacency(graph.num_nodes, graph.source, graph.target);
    RC_ASSERT(orders(adjacency) == orders(graph.num_nodes, graph.source, graph.target));
    check_adjacency(adjacency);
  }));
}

TEST(BuildAdjacency, OrdersInvertEachOther) {
  EXPECT_TRUE(rc::check("the reversed graph swaps the two orders", [] {
    const Graph graph = brute_force::random_graph(1);
    const auto forward = orders(build_adjacency(graph.num_nodes, graph.source, graph.target));
    const auto backward = orders(build_adjacency(graph.num_nodes, graph.target, graph.source));
    RC_ASSERT(forward.in_offsets == backward.out_offsets);
    RC_ASSERT(forward.in_sources == backward.out_targets);
    for (std::size_t edge = 0; edge < forward.in_to_out.size(); ++edge) {
      RC_ASSERT(backward.in_to_out[static_cast<std::size_t>(forward.in_to_out[edge])] ==
                static_cast<std::int64_t>(edge));
    }
  }));
}

TEST(BuildAdjacency, AllowsNoNodesAndNoEdges) {
  const Adjacency none = build_adjacency(0, {}, {});
  EXPECT_EQ(none.num_nodes(), 0);
  EXPECT_EQ(none.num_edges(), 0);
  check_adjacency(none);
  const Adjacency lonely = build_adjacency(1, {}, {});
  EXPECT_EQ(values<std::int64_t>(lonely.in_offsets), (Positions{0, 0}));
  check_adjacency(lonely);
  EXPECT_EQ(Adjacency().num_nodes(), 0);
  EXPECT_EQ(Adjacency().num_edges(), 0);
}

TEST(BuildAdjacency, RefusesBadEdges) {
  EXPECT_EQ(error_text([] {
              build_adjacency(3, Ids{0, 1}, Ids{1, 3}, "molecule 7");
            }),
            "molecule 7: edge 1 goes from node 1 to node 3, but there are 3 nodes; ids must be in 0 .. 2");
  EXPECT_EQ(error_text([] { build_adjacency(3, Ids{-1}, Ids{1}); }),
            "graph: edge 0 goes from node -1 to node 1, but there are 3 nodes; ids must be in 0 .. 2");
  EXPECT_EQ(error_text([] {
              build_adjacency(3, Ids{0, 1}, Ids{1});
            }),
            "graph: 2 edge sources but 1 edge targets; there must be as many");
  EXPECT_EQ(error_text([] { build_adjacency(-1, {}, {}); }),
            "graph: -1 nodes; the number of nodes must be in 0 .. 2147483647");
  EXPECT_EQ(error_text([] { build_adjacency(std::int64_t{1} << 31, {}, {}); }),
            "graph: 2147483648 nodes; the number of nodes must be in 0 .. 2147483647");
}

TEST(BuildAdjacency, LeadsFromOneTableToAnother) {
  // 0 -> 1, 4 -> 0, 2 -> 1, 4 -> 1.
  const Adjacency adjacency = build_adjacency(5, 2, Ids{0, 4, 2, 4}, Ids{1, 0, 1, 1}, "halo");
  EXPECT_EQ(adjacency.num_sources(), 5);
  EXPECT_EQ(adjacency.num_targets(), 2);
  EXPECT_EQ(adjacency.num_edges(), 4);
  EXPECT_EQ(values<std::int64_t>(adjacency.in_offsets), (Positions{0, 1, 4}));
  EXPECT_EQ(values<std::int32_t>(adjacency.in_sources), (Ids{4, 0, 2, 4}));
  EXPECT_EQ(values<std::int64_t>(adjacency.out_offsets), (Positions{0, 1, 1, 2, 2, 4}));
  EXPECT_EQ(values<std::int32_t>(adjacency.out_targets), (Ids{1, 1, 0, 1}));
  EXPECT_EQ(values<std::int64_t>(adjacency.in_to_out), (Positions{2, 0, 1, 3}));
}

TEST(BuildAdjacency, TwoTablesOfOneSizeAreOne) {
  EXPECT_TRUE(rc::check("the same orders as of one table", [] {
    const Graph graph = brute_force::random_graph(1);
    const Adjacency between = build_adjacency(graph.num_nodes, graph.num_nodes, graph.source, graph.target);
    RC_ASSERT(orders(between) == orders(graph.num_nodes, graph.source, graph.target));
  }));
}

TEST(BuildAdjacency, RefusesBadEdgesBetweenTables) {
  EXPECT_EQ(error_text([] {
              build_adjacency(5, 2, Ids{4, 0}, Ids{1, 2}, "halo");
            }),
            "halo: edge 1 goes from source 0 to target 2, but there are 5 sources and 2 targets; ids must be in 0 .. 4 "
            "and 0 .. 1");
  EXPECT_EQ(error_text([] { build_adjacency(5, -2, {}, {}); }),
            "graph: -2 targets; the number of targets must be in 0 .. 2147483647");
}

TEST(CheckAdjacency, NamesEveryInconsistency) {
  const auto message = [](const std::function<void(Adjacency&)>& spoil) {
    Adjacency adjacency = small_adjacency();
    spoil(adjacency);
    return error_text([&] { check_adjacency(adjacency, "g"); });
  };
  EXPECT_EQ(message([](Adjacency&) {}), "no error");
  EXPECT_EQ(message([](Adjacency& a) { a.in_offsets = at::Tensor(); }),
            "g: in_offsets is missing or empty; it needs one more entry than there are nodes");
  EXPECT_EQ(message([](Adjacency& a) { a.in_sources = at::Tensor(); }), "g: in_sources is missing");
  EXPECT_EQ(message([](Adjacency& a) { a.out_targets = at::Tensor(); }), "g: out_targets is missing");
  EXPECT_EQ(message([](Adjacency& a) { a.in_sources = a.in_sources.to(at::kLong); }),
            "g: in_sources has type Long; it must be Int");
  EXPECT_EQ(message([](Adjacency& a) { a.in_to_out = a.in_to_out.to(at::kInt); }),
            "g: in_to_out has type Int; it must be Long");
  EXPECT_EQ(message([](Adjacency& a) {
              a.out_offsets = tensor(Positions{0, 4});
            }),
            "g: out_offsets has shape [2]; it must be [5]");
  EXPECT_EQ(message([](Adjacency& a) {
              a.out_targets = a.out_targets.reshape({2, 2});
            }),
            "g: out_targets has shape [2, 2]; it must be [4]");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_to_out = tensor(Positions{0, 0, 3, 0, 2, 0, 1, 0}).slice(0, 0, 8, 2);
            }),
            "g: in_to_out is not contiguous; call contiguous() on it");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_offsets = tensor(Positions{1, 1, 3, 4, 4});
            }),
            "g: in_offsets starts at 1; it must start at 0");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_offsets = tensor(Positions{0, 5, 3, 4, 4});
            }),
            "g: in_offsets falls from 5 to 3 at 2; it must not fall");
  EXPECT_EQ(message([](Adjacency& a) {
              a.out_offsets = tensor(Positions{0, 2, 3, 3, 3});
            }),
            "g: out_offsets ends at 3; it must end at 4");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_sources = tensor(Ids{0, 4, 1, 0});
            }),
            "g: in_sources holds node 4 at 1; ids must be in 0 .. 3");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_sources = tensor(Ids{0, -1, 1, 0});
            }),
            "g: in_sources holds node -1 at 1; ids must be in 0 .. 3");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_to_out = tensor(Positions{0, 2, 3, 1});
            }),
            "g: in_to_out leads from edge 1 to 2, which is no out-edge of its source 2");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_to_out = tensor(Positions{0, 3, 99, 1});
            }),
            "g: in_to_out leads from edge 2 to 99, which is no out-edge of its source 1");
  EXPECT_EQ(message([](Adjacency& a) {
              a.in_to_out = tensor(Positions{1, 3, 2, 0});
            }),
            "g: in_to_out leads from edge 0 into node 1 to an edge into node 2");
  EXPECT_EQ(message([](Adjacency& a) {
              a.out_targets = tensor(Ids{1, 2, 1, 7});
            }),
            "g: in_to_out leads from edge 1 into node 1 to an edge into node 7");
}

TEST(CheckAdjacency, FindsARepeatedPosition) {
  Adjacency parallel = build_adjacency(2, Ids{0, 0}, Ids{1, 1});
  parallel.in_to_out = tensor(Positions{1, 1});
  EXPECT_EQ(error_text([&] { check_adjacency(parallel); }), "graph: in_to_out holds 1 twice; it must be a permutation");
}

TEST(InverseSqrtInDegree, ClampsAtOne) {
  const Adjacency adjacency = small_adjacency();  // in-degrees 0, 3, 1, 0
  const at::Tensor doubles = inverse_sqrt_in_degree(adjacency, at::kDouble);
  const std::vector<double> expected{1, 1 / std::sqrt(3.0), 1, 1};
  EXPECT_EQ(values<double>(doubles), expected);
  const at::Tensor floats = inverse_sqrt_in_degree(adjacency);
  EXPECT_EQ(values<float>(floats)[1], static_cast<float>(expected[1]));
  EXPECT_EQ(inverse_sqrt_in_degree(build_adjacency(0, {}, {})).numel(), 0);
}

TEST(InverseSqrtInDegree, RefusesIntegersAndNothing) {
  EXPECT_EQ(error_text([] { inverse_sqrt_in_degree(small_adjacency(), at::kInt); }),
            "inverse_sqrt_in_degree(): the type Int is no floating type; ask for Float or Double");
  EXPECT_EQ(error_text([] { inverse_sqrt_in_degree(Adjacency()); }), "inverse_sqrt_in_degree(): in_offsets is missing");
}

}  // namespace
}  // namespace factorgcn
