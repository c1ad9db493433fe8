// Gated sums over edges (ops/cuda/aggregate.h): all passes, against factor_aggregate on the CPU and its gradients.
#include "ops/cuda/aggregate.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/tanh.h>

#include <tuple>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

struct Table {
  bool each;
  int width;
};

struct PassCase {
  Adjacency edges;
  int factors;
  std::vector<Table> tables;
  bool weighted = true;
  bool may_slice = false;
  bool cuts_long_rows = false;
  bool with_gate_sum = true;
  int longest = 64;  // edges of a row that is not cut
};

/// One problem's arrays, its passes, and what is expected of them.
template <class T>
struct Problem {
  PassCase given;
  RandomStream random{7, "test"};
  at::Tensor gates;  // [N, 2K]: left, right
  NodeWeights weights;
  std::vector<at::Tensor> x, grad_out;
  at::Tensor grad_gate_sum;
  RowMap<T> row_map;  // of the forward passes
  double gate_scale = 1.5;

  explicit Problem(PassCase the_case) : given(std::move(the_case)) {
    gates = random_values({nodes(), 2 * factors()});
    if (given.weighted) {
      weights.source = random_values({nodes()}) + 1.5;
      weights.target = random_values({nodes()}) + 1.5;
    }
    for (const Table& table : given.tables) {
      x.push_back(table.each ? random_values({nodes(), factors(), table.width})
                             : random_values({nodes(), table.width}));
      grad_out.push_back(random_values({nodes(), factors(), table.width}));
    }
    if (given.with_gate_sum) {
      grad_gate_sum = random_values({nodes(), factors()});
    }
  }

  std::int64_t nodes() const { return given.edges.num_nodes(); }
  std::int64_t factors() const { return given.factors; }
  at::Tensor random_values(at::IntArrayRef shape) { return random_tensor(shape, random, kTypeOf<T>); }

  PassProblem<T> problem(bool by_target) const {
    PassProblem<T> p;
    p.rows = nodes();
    p.edges = given.edges.num_edges();
    p.factors = given.factors;
    p.gate_scale = static_cast<T>(gate_scale);
    p.offsets = place<std::int64_t>(by_target ? given.edges.in_offsets : given.edges.out_offsets);
    p.neighbours = place<std::int32_t>(by_target ? given.edges.in_sources : given.edges.out_targets);
    T* left = place<T>(gates);
    p.own_gate = by_target ? left + factors() : left;
    p.their_gate = by_target ? left : left + factors();
    p.gate_stride = 2 * factors();
    p.own_weight = place<T>(by_target ? weights.target : weights.source);
    p.their_weight = place<T>(by_target ? weights.source : weights.target);
    p.num_tables = static_cast<int>(x.size());
    for (std::size_t t = 0; t < x.size(); ++t) {
      p.tables[t].each = given.tables[t].each;
      p.tables[t].width = given.tables[t].width;
      p.tables[t].x = place<T>(x[t]);
      p.tables[t].grad_out = place<T>(grad_out[t]);
    }
    p.grad_gate_sum = place<T>(grad_gate_sum);
    p.gate_result_stride = factors();
    p.may_slice = given.may_slice;
    return p;
  }

  void run(PassProblem<T> p, Pass pass) const {
    at::Tensor pieces, counts, sums;
    if (given.cuts_long_rows) {
      const auto bytes = [](std::size_t count) {
        return at::full({static_cast<std::int64_t>(count)}, 0xff, at::TensorOptions().dtype(at::kByte));
      };
      p.long_rows.longest = given.longest;
      const auto places = static_cast<std::size_t>(long_row_places(p.edges, given.longest));
      // The second set of counts is this pass's: the first stands for another one's over the same edges.
      pieces = bytes(places * sizeof(LongPiece));
      counts = bytes((1 + 2 * places) * sizeof(int));
      sums = bytes(long_row_sums(p));
      p.long_rows.pieces = static_cast<LongPiece*>(pieces.data_ptr());
      p.long_rows.used = static_cast<int*>(counts.data_ptr());
      p.long_rows.counts = p.long_rows.used + 1 + places;
      p.long_rows.sums = sums.data_ptr();
      LongRowSearch search;
      search.rows = p.rows;
      search.edges = p.edges;
      search.offsets = p.offsets;
      search.longest = given.longest;
      search.pieces = p.long_rows.pieces;
      search.used = p.long_rows.used;
      search.counts = p.long_rows.used + 1;
      search.count_sets = 2;
      find_long_rows(LongRowSearch{}, search, nullptr);
      run_pass(p, pass, nullptr);  // once more, with what it left of its counts
    }
    run_pass(p, pass, nullptr);
  }

  /// out of each table and gate_sum, then with kSloped the slopes' sums, in the same order.
  Results forward(Pass pass) const {
    PassProblem<T> p = problem(true);
    p.row_map = row_map;
    Results results, slopes;
    for (std::size_t t = 0; t < x.size(); ++t) {
      results.push_back({"out", unwritten<T>(grad_out[t].sizes())});
      p.tables[t].result = place<T>(results.back().values);
      if (pass == Pass::kSloped) {
        slopes.push_back({"slopes", unwritten<T>(grad_out[t].sizes())});
        p.tables[t].slopes = place<T>(slopes.back().values);
      }
    }
    if (given.with_gate_sum) {
      results.push_back({"gate sum", unwritten<T>({nodes(), factors()})});
      p.gate_result = place<T>(results.back().values);
      if (pass == Pass::kSloped) {
        slopes.push_back({"slope sum", unwritten<T>({nodes(), factors()})});
        p.slope_sum = place<T>(slopes.back().values);
      }
    }
    run(p, pass);
    results.insert(results.end(), slopes.begin(), slopes.end());
    return results;
  }

  /// The tables' gradients, then the gates' [N, 2K]; from the slopes of a forward pass, or by two passes without.
  Results backward(bool by_slopes) const {
    PassProblem<T> p = problem(false);
    Results results;
    for (std::size_t t = 0; t < x.size(); ++t) {
      results.push_back({"grad x", unwritten<T>(x[t].sizes())});
      p.tables[t].result = place<T>(results.back().values);
    }
    results.push_back({"grad gates", unwritten<T>({nodes(), 2 * factors()})});
    p.gate_result = place<T>(results.back().values);
    p.gate_result_stride = 2 * factors();
    if (!by_slopes) {
      run(p, Pass::kSources);
      PassProblem<T> q = problem(true);
      q.gate_result = p.gate_result + factors();
      q.gate_result_stride = 2 * factors();
      run(q, Pass::kTargets);
      return results;
    }
    const Results seen = forward(Pass::kSloped);
    set_slopes(p, seen);
    run(p, Pass::kSources);
    return results;
  }

  void set_slopes(PassProblem<T>& p, const Results& seen) const {
    const std::size_t sums = seen.size() / 2;
    for (std::size_t t = 0; t < x.size(); ++t) {
      p.tables[t].slopes = place<T>(seen[sums + t].values);
    }
    if (given.with_gate_sum) {
      p.slope_sum = place<T>(seen.back().values);
    }
    p.target_result = p.gate_result + factors();
  }

  struct Expected {
    std::vector<at::Tensor> forward, slopes, backward;
  };

  Expected expected() const {
    const at::Tensor exact_gates = exact(gates);
    const at::Tensor left = exact_gates.narrow(1, 0, factors()), right = exact_gates.narrow(1, factors(), factors());
    const NodeWeights wide{weights.source.defined() ? weights.source.to(at::kDouble) : at::Tensor(),
                           weights.target.defined() ? weights.target.to(at::kDouble) : at::Tensor()};
    Expected e;
    std::vector<at::Tensor> inputs, directions = grad_out;
    for (std::size_t t = 0; t < x.size(); ++t) {
      inputs.push_back(exact(x[t]));
      e.forward.push_back(given.tables[t].each
                              ? factor_aggregate_each(given.edges, inputs[t], left, right, wide, gate_scale)
                              : factor_aggregate(given.edges, inputs[t], left, right, wide, gate_scale).out);
    }
    if (given.with_gate_sum) {
      const at::Tensor nothing = at::full({nodes(), 1}, 0.0, at::TensorOptions().dtype(at::kDouble));
      e.forward.push_back(factor_aggregate(given.edges, nothing, left, right, wide, gate_scale).gate_sum);
      directions.push_back(grad_gate_sum);
    }
    inputs.push_back(exact_gates);
    e.backward = gradients_of(e.forward, directions, inputs);
    return e;
  }
};

/// The slopes' sums by plain loops.
template <class T>
std::vector<at::Tensor> expected_slopes(const Problem<T>& problem) {
  const PassCase& given = problem.given;
  const at::Tensor gates = problem.gates.to(at::kDouble);
  std::vector<at::Tensor> sums;
  std::vector<at::Tensor> tables = problem.x;
  if (given.with_gate_sum) {
    tables.push_back(at::full({problem.nodes(), 1}, 1.0, at::TensorOptions().dtype(kTypeOf<T>)));
  }
  const auto* offsets = place<std::int64_t>(given.edges.in_offsets);
  const auto* sources = place<std::int32_t>(given.edges.in_sources);
  const std::int64_t factors = problem.factors();
  const auto weight = [](const at::Tensor& weights, std::int64_t node) {
    return weights.defined() ? double(place<T>(weights)[node]) : 1.0;
  };
  for (const at::Tensor& table : tables) {
    const bool each = table.dim() == 3;
    const std::int64_t width = table.size(-1);
    at::Tensor sum = at::full({problem.nodes(), factors, width}, 0.0, at::TensorOptions().dtype(at::kDouble));
    auto* to = place<double>(sum);
    for (std::int64_t i = 0; i < problem.nodes(); ++i) {
      for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
        const std::int64_t j = sources[e];
        for (std::int64_t k = 0; k < factors; ++k) {
          const double z = place<double>(gates)[j * 2 * factors + k] + place<double>(gates)[(i * 2 + 1) * factors + k];
          const double c = 1 / (1 + std::exp(-z * problem.gate_scale));
          const double w = c * (1 - c) * weight(problem.weights.source, j) * weight(problem.weights.target, i);
          for (std::int64_t column = 0; column < width; ++column) {
            to[(i * factors + k) * width + column] +=
                w * double(place<T>(table)[(each ? j * factors + k : j) * width + column]);
          }
        }
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

/// Rows of 66 to some 1700 edges: long ones of one piece and of many.
Adjacency many_hubs() {
  RandomStream random(3, "test");
  std::vector<std::int32_t> source, target;
  for (std::int32_t node = 0; node < 40; ++node) {
    const int degree = node == 25 ? 1700 : (node < 20 ? 66 + 3 * node : node % 7);
    for (int e = 0; e < degree; ++e) {
      target.push_back(node);
      source.push_back(static_cast<std::int32_t>(random.chance(0.3) ? 11 : random.below(40)));
    }
  }
  return build_adjacency(40, source, target);
}

/// So many rows that those which are long are listed by a thread each.
Adjacency hubs_among_many() {
  RandomStream random(4, "test");
  std::vector<std::int32_t> source, target;
  constexpr std::int32_t kNodes = 33'000;
  for (int e = 0; e < 900; ++e) {
    target.push_back(e < 300 ? 7
                             : (e < 380 ? 8 : (e < 700 ? 32'999 : static_cast<std::int32_t>(random.below(kNodes)))));
    source.push_back(static_cast<std::int32_t>(e % 3 == 0 ? 21 : random.below(kNodes)));
  }
  return build_adjacency(kNodes, source, target);
}

Adjacency some_edges(std::int64_t nodes, std::int64_t edges) {
  RandomStream random(5, "test");
  return random_edges(nodes, edges, random);
}

std::vector<PassCase> cases() {
  std::vector<PassCase> all;
  // Every number of columns that a thread may own, alone and as one of two tables.
  for (const int width : {12, 8, 9, 6, 4, 3, 2, 1, 5}) {
    all.push_back({some_edges(30, 120), 3, {{false, width}}});
    all.push_back({some_edges(30, 120), 2, {{true, width}}, width % 2 == 0, true, false, width % 3 == 0});
  }
  all.push_back({some_edges(20, 90), 2, {{false, 12}, {false, 6}}});
  all.push_back({some_edges(20, 90), 2, {{false, 5}, {true, 3}}});
  // Threads that share a row's edges, hubs that blocks share, and both.
  all.push_back({some_edges(60, 1500), 4, {{false, 8}}, true, true});
  all.push_back({some_edges(60, 1500), 1, {{false, 3}}, false, true});
  all.push_back({many_hubs(), 3, {{false, 4}}, true, false, true});
  all.push_back({many_hubs(), 2, {{true, 5}}, true, true, true});
  all.push_back({many_hubs(), 2, {{false, 6}, {true, 3}}, false, true, true});
  all.push_back({hub_edges(301, 4), 2, {{false, 8}}, true, true, true});
  all.push_back({many_hubs(), 2, {{false, 8}}, true, true, true, true, 17});
  all.push_back({many_hubs(), 1, {{false, 2}}, true, false, true, true, 5000});
  all.push_back({hubs_among_many(), 1, {{false, 2}}, true, true, true});
  // More vectors in a row than threads in a block.
  all.push_back({some_edges(6, 30), 8, {{false, 85}}, true, true});
  all.push_back({many_hubs(), 8, {{false, 41}}, true, true, true});
  // No edges at all.
  all.push_back({some_edges(7, 0), 2, {{false, 4}}, true, true, false});
  return all;
}

template <class T>
class AggregateKernel : public ::testing::Test {};
TYPED_TEST_SUITE(AggregateKernel, FloatTypes);

std::string describe(const PassCase& given) {
  std::string text = std::to_string(given.edges.num_nodes()) + " nodes, " + std::to_string(given.edges.num_edges()) +
                     " edges, " + std::to_string(given.factors) + " factors, slices " +
                     std::to_string(given.may_slice) + ", hubs " + std::to_string(given.cuts_long_rows);
  for (const Table& table : given.tables) {
    text += ", width " + std::to_string(table.width) + (table.each ? " each" : "");
  }
  return text;
}

TYPED_TEST(AggregateKernel, ForwardPassesEqualTheCpu) {
  for (const PassCase& given : cases()) {
    SCOPED_TRACE(describe(given));
    const Problem<TypeParam> problem(given);
    std::vector<at::Tensor> expected = problem.expected().forward;
    expect_results<TypeParam>(in_any_order([&] { return problem.forward(Pass::kForward); }), expected);
    const std::vector<at::Tensor> slopes = expected_slopes(problem);
    expected.insert(expected.end(), slopes.begin(), slopes.end());
    expect_results<TypeParam>(in_any_order([&] { return problem.forward(Pass::kSloped); }), expected);
  }
}

TYPED_TEST(AggregateKernel, BackwardPassesEqualTheCpu) {
  for (const PassCase& given : cases()) {
    SCOPED_TRACE(describe(given));
    const Problem<TypeParam> problem(given);
    const std::vector<at::Tensor> expected = problem.expected().backward;
    for (const bool by_slopes : {true, false}) {
      SCOPED_TRACE(by_slopes ? "kSources with slopes" : "kSources, kTargets");
      expect_results<TypeParam>(in_any_order([&] { return problem.backward(by_slopes); }), expected);
    }
  }
}

// What follows a pass in the same launch: y = tanh(W out + b gate_sum), whether or not the sum of gates is kept.
TYPED_TEST(AggregateKernel, SumsGoOnThroughTheRowMap) {
  using T = TypeParam;
  std::vector<PassCase> mapped = cases();
  mapped.push_back({some_edges(40, 300), 3, {{false, 18}}, true, true});
  mapped.push_back({many_hubs(), 2, {{true, 24}}, true, true, true, false});
  mapped.push_back({many_hubs(), 8, {{false, 8}}, true, false, true});
  for (const PassCase& given : mapped) {
    if (given.tables.size() != 1) {
      continue;
    }
    SCOPED_TRACE(describe(given));
    Problem<T> problem(given);
    const std::int64_t width = given.tables[0].width, out = 1 + width * 7 % 11;
    const at::Tensor weight = problem.random_values({out, width}), bias = problem.random_values({out});
    std::vector<at::Tensor> expected = problem.expected().forward;
    PassCase with_sums = given;
    with_sums.with_gate_sum = true;
    const at::Tensor gate_sum = Problem<T>(with_sums).expected().forward.back();
    const at::Tensor y =
        at::tanh(at::matmul(expected[0], weight.to(at::kDouble).t()) + gate_sum.unsqueeze(2) * bias.to(at::kDouble));
    for (const Pass pass : {Pass::kForward, Pass::kSloped}) {
      const auto run = [&] {
        Results mapped_rows{{"mapped", unwritten<T>({problem.nodes(), problem.factors(), out})}};
        problem.row_map = {static_cast<int>(out), place<T>(weight), place<T>(bias), place<T>(mapped_rows[0].values)};
        const Results sums = problem.forward(pass);
        mapped_rows.insert(mapped_rows.end(), sums.begin(), sums.end());
        return mapped_rows;
      };
      std::vector<at::Tensor> all{y};
      all.insert(all.end(), expected.begin(), expected.end());
      if (pass == Pass::kSloped) {
        const std::vector<at::Tensor> slopes = expected_slopes(problem);
        all.insert(all.end(), slopes.begin(), slopes.end());
      }
      expect_results<T>(in_any_order(run), all);
    }
  }
}

// The gates' gradients go on through their map, and what a discriminator sends back joins them.
TYPED_TEST(AggregateKernel, GradientsGoOnThroughTheGatesMap) {
  using T = TypeParam;
  for (const auto& [factors, width, hubs] :
       {std::tuple{3, 10, false}, {3, 10, true}, {8, 70, false}, {8, 70, true}, {4, 8, false}}) {
    for (const bool others : {false, true}) {
      SCOPED_TRACE(::testing::Message() << factors << " x " << width << ", hubs " << hubs << ", others " << others);
      Problem<T> problem({hubs ? many_hubs() : some_edges(30, 200), factors, {{false, width}}, true, true, hubs});
      const std::int64_t nodes = problem.nodes(), gates = 2 * problem.factors();
      const at::Tensor map = problem.random_values({gates, width}), other = problem.random_values({nodes, gates});
      const at::Tensor scale = problem.random_values({1});
      const auto run = [&] {
        Results results{{"grad x", unwritten<T>({nodes, width})}, {"grad gates", unwritten<T>({nodes, gates})}};
        PassProblem<T> p = problem.problem(false);
        p.tables[0].result = place<T>(results[0].values);
        p.gate_result = place<T>(results[1].values);
        p.gate_result_stride = gates;
        p.gate_map = place<T>(map);
        p.other_gates = others ? place<T>(other) : nullptr;
        p.other_scale = place<T>(scale);
        const Results seen = problem.forward(Pass::kSloped);
        problem.set_slopes(p, seen);
        problem.run(p, Pass::kSources);
        return results;
      };
      std::vector<at::Tensor> expected = problem.expected().backward;
      if (others) {
        expected[1] = expected[1] + other.to(at::kDouble) * scale.to(at::kDouble);
      }
      expected[0] = expected[0] + at::matmul(expected[1], map.to(at::kDouble));
      expect_results<T>(in_any_order(run), expected);
    }
  }
}

/// What one search is to find: memory of its exact size, and the counts of three passes.
struct Searched {
  int longest;
  at::Tensor pieces, counts;
  LongRowSearch search;

  Searched(const at::Tensor& offsets, std::int64_t edges, int the_longest) : longest(the_longest) {
    const std::int64_t places = long_row_places(edges, longest);
    const auto bytes = [](std::int64_t count) { return at::full({count}, 0xff, at::TensorOptions().dtype(at::kByte)); };
    pieces = bytes(places * std::int64_t(sizeof(LongPiece)));
    counts = bytes((1 + 3 * places) * std::int64_t(sizeof(int)));
    auto* used = static_cast<int*>(counts.data_ptr());
    search = {offsets.numel() - 1,
              edges,
              place<std::int64_t>(offsets),
              longest,
              static_cast<LongPiece*>(pieces.data_ptr()),
              used,
              used + 1,
              3};
  }

  void expect(const std::vector<int>& lengths) const {
    const std::int64_t places = long_row_places(search.edges, longest);
    std::vector<int> found(lengths.size(), 0);
    ASSERT_LE(*search.used, places);
    for (int i = 0; i < *search.used; ++i) {
      const LongPiece& piece = search.pieces[i];
      if (piece.row < 0) {
        continue;
      }
      ASSERT_LT(piece.row, std::int32_t(lengths.size()));
      EXPECT_EQ(piece.begin, search.offsets[piece.row]);
      EXPECT_EQ(piece.end, search.offsets[piece.row + 1]);
      EXPECT_EQ(piece.number, found[piece.row]++);
      EXPECT_EQ(piece.first + piece.number, i);
      for (int set = 0; set < 3; ++set) {
        EXPECT_EQ(search.counts[set * places + piece.first], 0);
      }
    }
    for (std::size_t row = 0; row < lengths.size(); ++row) {
      EXPECT_EQ(found[row], lengths[row] > longest ? (lengths[row] + 2 * longest - 1) / (2 * longest) : 0) << row;
    }
  }
};

// In one launch with the weights, for few rows and for many, one list or both, at and around the length that is cut.
TYPED_TEST(AggregateKernel, ListsLongRowsAndWeighsNodes) {
  using T = TypeParam;
  for (const std::int32_t nodes : {1, 5, 1025, 33'000}) {
    std::vector<std::int32_t> source, target;
    std::vector<int> lengths(nodes, 0);
    for (const std::int32_t hub : {0, 2, 3, 31, 32, 33, 700, 1024, 32'999}) {
      if (hub < nodes) {
        lengths[hub] = hub == 3 ? 3000 : (hub == 33 ? 8 : (hub == 32 ? 9 : (hub == 700 ? 17 : 16)));
        for (int e = 0; e < lengths[hub]; ++e) {
          target.push_back(hub);
          source.push_back(e % nodes);
        }
      }
    }
    const Adjacency edges = build_adjacency(nodes, source, target);
    for (const bool both : {false, true}) {
      SCOPED_TRACE(::testing::Message() << nodes << " nodes, both " << both);
      const Searched first(edges.in_offsets, edges.num_edges(), 8), second(edges.in_offsets, edges.num_edges(), 16);
      const at::Tensor weights = unwritten<T>({nodes});
      prepare_rows<T>({nodes, place<std::int64_t>(edges.in_offsets), place<T>(weights)}, first.search,
                      both ? second.search : LongRowSearch{}, nullptr);
      first.expect(lengths);
      if (both) {
        second.expect(lengths);
      }
      expect_results<T>({{"weights", weights}}, {inverse_sqrt_in_degree(edges, at::kDouble)});
    }
  }
}

TYPED_TEST(AggregateKernel, GatesAndDegreeWeightsEqualTheCpu) {
  using T = TypeParam;
  const Problem<T> problem({some_edges(50, 300), 5, {{false, 4}}});
  const Adjacency& edges = problem.given.edges;
  const auto run = [&] {
    Results results{{"gates", unwritten<T>({edges.num_edges(), 5})}, {"weights", unwritten<T>({50})}};
    compute_gates(problem.problem(true), place<T>(results[0].values), nullptr);
    prepare_rows<T>({50, place<std::int64_t>(edges.in_offsets), place<T>(results[1].values)}, {}, {}, nullptr);
    return results;
  };
  const at::Tensor gates = problem.gates.to(at::kDouble);
  expect_results<T>(in_any_order(run),
                    {factor_gates(edges, gates.narrow(1, 0, 5), gates.narrow(1, 5, 5), problem.gate_scale),
                     inverse_sqrt_in_degree(edges, at::kDouble)});
}

}  // namespace
}  // namespace factorgcn::cuda
