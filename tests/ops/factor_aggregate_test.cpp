// factor_aggregate, its pair and its per-factor twin against the float64 oracle, by formula and by finite differences.
#include "factorgcn/ops/factor_aggregate.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/dot.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/one_table.h"
#include "ops/oracle.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::hub_edges;
using testing::random_edges;
using testing::random_edges_between;
using testing::random_tensor;

enum class Kind { kShared, kPair, kEach };

/// One problem: tensors that need gradients, and fixed directions for the results.
struct Problem {
  Kind kind = Kind::kShared;
  Adjacency edges;
  NodeWeights weights;
  double gate_scale = 6.0;
  std::vector<at::Tensor> inputs;      // x, [q,] left, right
  std::vector<at::Tensor> directions;  // one per result

  Problem as(at::ScalarType type) const {
    Problem other = *this;
    const auto cast = [&](at::Tensor& tensor) { tensor = tensor.defined() ? tensor.detach().to(type) : tensor; };
    for (auto* list : {&other.inputs, &other.directions}) {
      for (at::Tensor& tensor : *list) {
        cast(tensor);
      }
    }
    cast(other.weights.source);
    cast(other.weights.target);
    return other;
  }
};

Problem make_problem(Kind kind, const Adjacency& edges, std::int64_t factors, std::int64_t width,
                     const NodeWeights& weights, RandomStream& random) {
  const std::int64_t sources = edges.num_sources(), targets = edges.num_targets();
  const std::int64_t narrow = std::max<std::int64_t>(width / 2, 1);
  Problem problem;
  problem.kind = kind;
  problem.edges = edges;
  problem.weights = weights;
  if (kind == Kind::kEach) {
    problem.inputs.push_back(random_tensor({sources, factors, width}, random));
  } else {
    problem.inputs.push_back(random_tensor({sources, width}, random));
  }
  problem.directions.push_back(random_tensor({targets, factors, width}, random));
  if (kind == Kind::kPair) {
    problem.inputs.push_back(random_tensor({sources, narrow}, random));
    problem.directions.push_back(random_tensor({targets, factors, narrow}, random));
  }
  if (kind != Kind::kEach) {
    problem.directions.push_back(random_tensor({targets, factors}, random));
  }
  problem.inputs.push_back(random_tensor({sources, factors}, random, at::kDouble, 0.4));
  problem.inputs.push_back(random_tensor({targets, factors}, random, at::kDouble, 0.4));
  return problem;
}

Problem make_problem(Kind kind, const Adjacency& edges, std::int64_t factors, std::int64_t width, EdgeNorm norm,
                     RandomStream& random) {
  return make_problem(kind, edges, factors, width, node_weights(edges, norm, at::kDouble), random);
}

/// Any sizes of both tables, with weights or without.
Problem problem_on_two_tables(Kind kind, std::int64_t sources, std::int64_t targets, std::int64_t count,
                              std::int64_t factors, std::int64_t width, RandomStream& random) {
  NodeWeights weights;
  if (random.chance(0.5)) {
    weights.source = random_tensor({sources}, random);
  }
  if (random.chance(0.5)) {
    weights.target = random_tensor({targets}, random);
  }
  const Adjacency edges = random_edges_between(sources, targets, count, random);
  return make_problem(kind, edges, factors, width, weights, random);
}

std::vector<at::Tensor> results_of(const Problem& p, const std::vector<at::Tensor>& in, bool by_oracle) {
  switch (p.kind) {
    case Kind::kShared: {
      const auto r = by_oracle ? oracle::factor_aggregate(p.edges, in[0], in[1], in[2], p.weights, p.gate_scale)
                               : factor_aggregate(p.edges, in[0], in[1], in[2], p.weights, p.gate_scale);
      return {r.out, r.gate_sum};
    }
    case Kind::kPair: {
      if (by_oracle) {
        const auto first = oracle::factor_aggregate(p.edges, in[0], in[2], in[3], p.weights, p.gate_scale);
        const auto second = oracle::factor_aggregate(p.edges, in[1], in[2], in[3], p.weights, p.gate_scale);
        return {first.out, second.out, first.gate_sum};
      }
      const auto r = factor_aggregate_pair(p.edges, in[0], in[1], in[2], in[3], p.weights, p.gate_scale);
      return {r.out, r.q_out, r.gate_sum};
    }
    case Kind::kEach:
      return {by_oracle ? oracle::factor_aggregate_each(p.edges, in[0], in[1], in[2], p.weights, p.gate_scale)
                        : factor_aggregate_each(p.edges, in[0], in[1], in[2], p.weights, p.gate_scale)};
  }
  return {};
}

/// Results followed by the gradients of sum <result, direction> in every input.
std::vector<at::Tensor> results_and_gradients(const Problem& p, bool by_oracle) {
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& input : p.inputs) {
    inputs.push_back(input.detach().clone().requires_grad_());
  }
  std::vector<at::Tensor> all = results_of(p, inputs, by_oracle);
  at::Tensor total;
  for (std::size_t r = 0; r < p.directions.size(); ++r) {
    const at::Tensor part = (all[r] * p.directions[r]).sum();
    total = total.defined() ? total + part : part;
  }
  const auto gradients = torch::autograd::grad({total}, inputs);
  all.insert(all.end(), gradients.begin(), gradients.end());
  return all;
}

double worst_difference(const Problem& problem, at::ScalarType type) {
  const auto actual = results_and_gradients(problem.as(type), false);
  const auto expected = results_and_gradients(problem.as(at::kDouble), true);
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, difference(actual[i], expected[i]));
  }
  return worst;
}

/// How far float32 may be off in worst_difference(). A sum of n values is off by at most n / 2 units in the last place
/// of the sum of their sizes, and does come near where they are equal, as then all roundings go the same way: a node
/// with 180 self loops and nothing else has 84 units. Rows have as many summands as edges, dot products as columns, and
/// gradients of h are summed over factors too; a sum's size may be below that of its summands, which the factor 4 is
/// for.
double float_bound(const Problem& problem) {
  std::int64_t degree = 0;
  for (const at::Tensor& offsets : {problem.edges.in_offsets, problem.edges.out_offsets}) {
    const std::int64_t* at = offsets.data_ptr<std::int64_t>();
    for (std::int64_t row = 0; row + 1 < offsets.numel(); ++row) {
      degree = std::max(degree, at[row + 1] - at[row]);
    }
  }
  const at::Tensor& widest = problem.directions[0];  // [nodes, factors, width]
  const auto summands = static_cast<double>(degree + widest.size(1) + widest.size(2));
  return 4 * summands * std::numeric_limits<float>::epsilon() / 2;
}

class EveryInstructionSet : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(""); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, EveryInstructionSet, ::testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& info) { return info.param; });

TEST_P(EveryInstructionSet, EqualsTheOracleForEveryWidthAndFactorCount) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(23, 90, random);
  for (const Kind kind : {Kind::kShared, Kind::kPair, Kind::kEach}) {
    for (const std::int64_t factors : {1, 2, 3, 4, 5, 7, 8, 13}) {
      for (const std::int64_t width : {1, 2, 3, 4, 5, 8, 9, 16, 18, 31, 36, 72, 97, 130}) {
        const Problem problem = make_problem(kind, edges, factors, width, EdgeNorm::kSymmetric, random);
        EXPECT_LT(worst_difference(problem, at::kDouble), 1e-13) << "factors " << factors << " width " << width;
        EXPECT_LT(worst_difference(problem, at::kFloat), 2e-6) << "factors " << factors << " width " << width;
      }
    }
  }
}

TEST_P(EveryInstructionSet, EqualsTheOracleOnRandomGraphs) {
  EXPECT_TRUE(rc::check("any graph, any normalisation", [] {
    RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "property");
    const std::int64_t nodes = *rc::gen::inRange<std::int64_t>(1, 40);
    const std::int64_t count = *rc::gen::inRange<std::int64_t>(0, 200);
    const Kind kind = *rc::gen::element(Kind::kShared, Kind::kPair, Kind::kEach);
    const EdgeNorm norm = *rc::gen::element(EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric);
    const std::int64_t factors = *rc::gen::inRange<std::int64_t>(1, 10);
    const std::int64_t width = *rc::gen::inRange<std::int64_t>(1, 50);
    const Problem problem = make_problem(kind, random_edges(nodes, count, random), factors, width, norm, random);
    RC_ASSERT(worst_difference(problem, at::kDouble) < 1e-12);
    RC_ASSERT(worst_difference(problem, at::kFloat) < float_bound(problem));
  }));
}

TEST_P(EveryInstructionSet, EqualsTheOracleBetweenTwoTables) {
  EXPECT_TRUE(rc::check("any sources, any targets", [] {
    RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), "property");
    const std::int64_t sources = *rc::gen::inRange<std::int64_t>(1, 40);
    const std::int64_t targets = *rc::gen::inRange<std::int64_t>(1, 40);
    const std::int64_t count = *rc::gen::inRange<std::int64_t>(0, 200);
    const Kind kind = *rc::gen::element(Kind::kShared, Kind::kPair, Kind::kEach);
    const std::int64_t factors = *rc::gen::inRange<std::int64_t>(1, 10);
    const std::int64_t width = *rc::gen::inRange<std::int64_t>(1, 50);
    const Problem problem = problem_on_two_tables(kind, sources, targets, count, factors, width, random);
    RC_ASSERT(worst_difference(problem, at::kDouble) < 1e-12);
    RC_ASSERT(worst_difference(problem, at::kFloat) < float_bound(problem));
  }));
}

TEST_P(EveryInstructionSet, EqualSummandsKeepTheirBound) {
  // Edges that are all the same are the worst case of a sum in float32.
  const std::vector<std::int32_t> loops(199, 0);
  const Adjacency edges = build_adjacency(1, loops, loops);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "loops");
    for (const Kind kind : {Kind::kShared, Kind::kPair, Kind::kEach}) {
      const Problem problem = make_problem(kind, edges, 8, 28, EdgeNorm::kNone, random);
      EXPECT_LT(worst_difference(problem, at::kFloat), float_bound(problem)) << "seed " << seed;
    }
  }
}

TEST_P(EveryInstructionSet, RowsLongerThanTheGateBufferAreSummedWhole) {
  RandomStream random(2, "test");
  const Adjacency edges = hub_edges(900, 3);  // the hub has 2,697 in-edges; the buffer holds 2,048 / factors
  for (const Kind kind : {Kind::kShared, Kind::kPair, Kind::kEach}) {
    for (const std::int64_t factors : {1, 3, 8}) {
      for (const std::int64_t width : {4, 18, 33, 100}) {
        const Problem problem = make_problem(kind, edges, factors, width, EdgeNorm::kSource, random);
        EXPECT_LT(worst_difference(problem, at::kDouble), 1e-12) << "factors " << factors << " width " << width;
        EXPECT_LT(worst_difference(problem, at::kFloat), 1e-5) << "factors " << factors << " width " << width;
      }
    }
  }
}

TEST_P(EveryInstructionSet, ExtremeGatesStayFinite) {
  RandomStream random(3, "test");
  const Adjacency edges = random_edges(9, 40, random);
  Problem problem = make_problem(Kind::kShared, edges, 4, 8, EdgeNorm::kNone, random);
  problem.inputs[1].fill_(500.0);
  problem.inputs[2].slice(0, 0, 4).fill_(-1000.0);
  EXPECT_LT(worst_difference(problem, at::kFloat), 1e-5);
}

TEST(FactorAggregate, GradientsAreRightByFiniteDifferences) {
  RandomStream random(4, "test");
  const Adjacency edges = random_edges(7, 25, random);
  for (const Kind kind : {Kind::kShared, Kind::kPair, Kind::kEach}) {
    Problem problem = make_problem(kind, edges, 3, 5, EdgeNorm::kSymmetric, random);
    const auto all = results_and_gradients(problem, false);
    const auto value = [&] {
      double total = 0;
      const auto results = results_of(problem, problem.inputs, false);
      for (std::size_t r = 0; r < results.size(); ++r) {
        total += (results[r] * problem.directions[r]).sum().item<double>();
      }
      return total;
    };
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
      const at::Tensor& gradient = all[problem.directions.size() + i];
      for (std::int64_t at = 0; at < problem.inputs[i].numel(); ++at) {
        double& entry = problem.inputs[i].data_ptr<double>()[at];
        const double kept = entry, step = 1e-6;
        entry = kept + step;
        const double above = value();
        entry = kept - step;
        const double below = value();
        entry = kept;
        EXPECT_NEAR(gradient.contiguous().data_ptr<double>()[at], (above - below) / (2 * step), 2e-7);
      }
    }
  }
}

TEST(FactorAggregate, SameBitsForAnyNumberOfThreadsAndEveryRun) {
  RandomStream random(5, "test");
  const Adjacency edges = random_edges(3000, 40000, random);
  const int threads_before = num_threads();
  for (const Kind kind : {Kind::kShared, Kind::kPair, Kind::kEach}) {
    const Problem problem = make_problem(kind, edges, 4, 18, EdgeNorm::kSource, random).as(at::kFloat);
    set_num_threads(1);
    const auto expected = results_and_gradients(problem, false);
    for (const int threads : {1, 2, 3, 5}) {
      set_num_threads(threads);
      const auto actual = results_and_gradients(problem, false);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(actual[i].equal(expected[i])) << "result " << i << " with " << threads << " threads";
      }
    }
  }
  set_num_threads(threads_before);
}

TEST(FactorAggregate, TakesHalvesOfOneTensorAsGates) {
  RandomStream random(6, "test");
  const Adjacency edges = random_edges(12, 50, random);
  const at::Tensor h = random_tensor({12, 6}, random), both = random_tensor({12, 8}, random);
  const auto halves = both.split(4, 1);
  const auto strided = factor_aggregate(edges, h, halves[0], halves[1], {}, 6.0);
  const auto plain = factor_aggregate(edges, h, halves[0].contiguous(), halves[1].contiguous(), {}, 6.0);
  EXPECT_TRUE(strided.out.equal(plain.out));
  EXPECT_TRUE(strided.gate_sum.equal(plain.gate_sum));
}

TEST(FactorAggregate, TwoTablesAreServedAsOneWithTheSameBits) {
  // What a GPU does: rows that nobody names.
  RandomStream random(11, "test");
  for (const auto& [sources, targets] : {std::pair<std::int64_t, std::int64_t>{30, 9}, {9, 30}, {1, 5}, {5, 1}}) {
    const Problem problem = problem_on_two_tables(Kind::kShared, sources, targets, 60, 3, 7, random);
    const OneTable nodes(problem.edges);
    check_adjacency(nodes.edges());
    const auto padded = [&](const at::Tensor& table) { return nodes.padded(table); };
    const auto own = results_of(problem, problem.inputs, false);
    const auto result =
        factor_aggregate(nodes.edges(), padded(problem.inputs[0]), padded(problem.inputs[1]), padded(problem.inputs[2]),
                         {padded(problem.weights.source), padded(problem.weights.target)}, 6.0);
    EXPECT_TRUE(nodes.of_targets(result.out).equal(own[0])) << sources << " to " << targets;
    EXPECT_TRUE(nodes.of_targets(result.gate_sum).equal(own[1])) << sources << " to " << targets;
  }
}

TEST(FactorAggregate, SameBitsBetweenTwoTablesForAnyNumberOfThreads) {
  RandomStream random(12, "test");
  const int threads_before = num_threads();
  const Problem problem = problem_on_two_tables(Kind::kShared, 3000, 1100, 40000, 4, 18, random).as(at::kFloat);
  set_num_threads(1);
  const auto expected = results_and_gradients(problem, false);
  set_num_threads(3);
  const auto actual = results_and_gradients(problem, false);
  set_num_threads(threads_before);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(actual[i].equal(expected[i])) << "result " << i;
  }
}

TEST(FactorAggregate, AWeightOfEdgesCountsBetweenTwoTables) {
  RandomStream random(13, "test");
  Problem problem = problem_on_two_tables(Kind::kShared, 12, 5, 40, 3, 4, random);
  const at::Tensor weight = random_tensor({40}, random);
  problem.weights.edge = weight;
  const auto actual = results_of(problem, problem.inputs, false);
  const auto [source, target] = oracle::edge_ends(problem.edges);
  at::Tensor gates = oracle::factor_gates(problem.edges, problem.inputs[1], problem.inputs[2], problem.gate_scale) *
                     weight.unsqueeze(1);
  if (problem.weights.source.defined()) {
    gates = gates * problem.weights.source.index_select(0, source).unsqueeze(1);
  }
  if (problem.weights.target.defined()) {
    gates = gates * problem.weights.target.index_select(0, target).unsqueeze(1);
  }
  EXPECT_LT(difference(actual[1], at::zeros({5, 3}, at::kDouble).index_add(0, target, gates)), 1e-13);
  const at::Tensor messages = gates.unsqueeze(2) * problem.inputs[0].index_select(0, source).unsqueeze(1);
  EXPECT_LT(difference(actual[0], at::zeros({5, 3, 4}, at::kDouble).index_add(0, target, messages)), 1e-13);
}

TEST(FactorAggregate, TablesOfTheWrongLengthAreNamed) {
  RandomStream random(14, "test");
  const Adjacency edges = random_edges_between(6, 4, 9, random);
  const at::Tensor h = random_tensor({6, 2}, random), left = random_tensor({6, 3}, random);
  const at::Tensor right = random_tensor({4, 3}, random);
  EXPECT_EQ(error_text([&] { factor_aggregate(edges, h, left, left, {}, 1.0); }),
            "factor_aggregate: right has shape [6, 3], expected [4, 3]");
  EXPECT_EQ(error_text([&] { factor_aggregate(edges, h, right, right, {}, 1.0); }),
            "factor_aggregate: out_offsets has 7 entries, expected 5");
  EXPECT_EQ(error_text([&] {
              factor_aggregate(edges, random_tensor({4, 2}, random), left, right, {}, 1.0);
            }),
            "factor_aggregate: features has shape [4, 2], expected [6, 2]");
}

TEST(FactorAggregate, NodesWithoutEdgesGetZeros) {
  const Adjacency edges = build_adjacency(3, {}, {});
  RandomStream random(7, "test");
  const auto result =
      factor_aggregate(edges, random_tensor({3, 4}, random), random_tensor({3, 2}, random),
                       random_tensor({3, 2}, random), node_weights(edges, EdgeNorm::kSource, at::kDouble), 6.0);
  EXPECT_EQ(result.out.abs().sum().item<double>(), 0.0);
  EXPECT_EQ(result.gate_sum.abs().sum().item<double>(), 0.0);
}

TEST(LayerWeights, AreNodeWeightsOfEachLayer) {
  RandomStream random(9, "test");
  const Adjacency edges = random_edges(10, 40, random);
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric}) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const NodeWeights expected = node_weights(edges, norm, type);
      const auto layers = layer_weights(edges, norm, type, 3);
      ASSERT_EQ(layers.size(), 3u);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        for (const auto& [one, other] :
             {std::pair{layers[i].source, expected.source}, {layers[i].target, expected.target}}) {
          ASSERT_EQ(one.defined(), other.defined());
          EXPECT_TRUE(!one.defined() || one.equal(other));
        }
        EXPECT_FALSE(layers[i].long_rows.targets.defined() || layers[i].long_rows.sources.defined());
        EXPECT_EQ(layers[i].long_rows.layer, std::int64_t(i));
      }
    }
  }
  EXPECT_TRUE(layer_weights(edges, EdgeNorm::kSource, at::kFloat, 0).empty());
  EXPECT_THROW(layer_weights(edges, EdgeNorm::kSource, at::kInt, 1), Error);
  EXPECT_THROW(layer_weights(edges, EdgeNorm::kSource, at::kFloat, -1), Error);
}

TEST(FactorAggregate, ByHand) {
  // Edges 0 -> 1 and 2 -> 1; one factor; gates sigmoid(2 * (left + right)).
  const std::vector<std::int32_t> source{0, 2}, target{1, 1};
  const Adjacency edges = build_adjacency(3, source, target);
  const auto table = [](std::vector<double> values) {
    at::Tensor t = at::empty({3, 1}, at::TensorOptions().dtype(at::kDouble));
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t;
  };
  const auto weights = node_weights(edges, EdgeNorm::kSymmetric, at::kDouble);  // degrees 0, 2, 0 -> 1, 2^-1/2, 1
  const auto result = factor_aggregate(edges, table({3, 5, 7}), table({0.5, 0, -1}), table({0, 0.25, 0}), weights, 2.0);
  const double first = 1 / (1 + std::exp(-1.5)), second = 1 / (1 + std::exp(1.5)), w = 1 / std::sqrt(2.0);
  EXPECT_NEAR(result.out[1][0][0].item<double>(), w * (first * 3 + second * 7), 1e-14);
  EXPECT_NEAR(result.gate_sum[1][0].item<double>(), w * (first + second), 1e-14);
  EXPECT_EQ(result.out[0][0][0].item<double>(), 0.0);
}

TEST(FactorAggregate, GatesComeInTheOrderOfInEdges) {
  RandomStream random(8, "test");
  const Adjacency edges = random_edges(10, 40, random);
  const at::Tensor left = random_tensor({10, 3}, random), right = random_tensor({10, 3}, random);
  EXPECT_LT(difference(factor_gates(edges, left, right, 6.0), oracle::factor_gates(edges, left, right, 6.0)), 1e-14);
}

TEST(FactorAggregate, BadArgumentsAreNamed) {
  RandomStream random(9, "test");
  const Adjacency edges = random_edges(5, 8, random);
  const at::Tensor h = random_tensor({5, 4}, random), left = random_tensor({5, 2}, random);
  const auto call = [&](const at::Tensor& features, const at::Tensor& l, const at::Tensor& r, const NodeWeights& w) {
    return error_text([&] { factor_aggregate(edges, features, l, r, w, 6.0); });
  };
  EXPECT_EQ(call(h, left, left.to(at::kFloat), {}), "factor_aggregate: right has type Float, expected Double");
  EXPECT_EQ(call(h, left, random_tensor({5, 3}, random), {}),
            "factor_aggregate: right has shape [5, 3], expected [5, 2]");
  EXPECT_EQ(call(random_tensor({4, 4}, random), left, left, {}),
            "factor_aggregate: features has shape [4, 4], expected [5, 4]");
  EXPECT_EQ(call(left.unsqueeze(2), left, left, {}), "factor_aggregate: h must have shape [nodes, columns]");
  EXPECT_EQ(call(at::empty({5, 0}, h.options()), left, left, {}),
            "factor_aggregate: features must have shape [nodes, columns] with at least 1 column");
  EXPECT_EQ(call(h, left, left, {random_tensor({4}, random), {}}),
            "factor_aggregate: source_weight has shape [4], expected [5]");
  EXPECT_EQ(call(h, at::empty({5, 0}, h.options()), left, {}), "factor_aggregate: 0 factors; at least 1 is needed");
  Adjacency broken = edges;
  broken.in_sources = edges.in_sources.to(at::kLong);
  EXPECT_NE(error_text([&] { factor_aggregate(broken, h, left, left, {}, 6.0); }).find("in_sources"),
            std::string::npos);
}

TEST(FactorAggregate, SecondDerivativesAreRefused) {
  RandomStream random(10, "test");
  const Adjacency edges = random_edges(5, 8, random);
  const at::Tensor h = random_tensor({5, 4}, random).requires_grad_(), gates = random_tensor({5, 2}, random);
  const at::Tensor total = factor_aggregate(edges, h, gates, gates, {}, 6.0).out.sum();
  const std::string text = error_text([&] { torch::autograd::grad({total}, {h}, {}, true, true); });
  EXPECT_NE(text.find("second derivatives are not supported"), std::string::npos) << text;
}

TEST(EdgeNormNames, GoBothWays) {
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric}) {
    EXPECT_EQ(edge_norm_from_name(edge_norm_name(norm)), norm);
  }
  EXPECT_EQ(error_text([] { edge_norm_from_name("row"); }), "norm is \"row\": choose none, source or symmetric");
}

}  // namespace
}  // namespace factorgcn
