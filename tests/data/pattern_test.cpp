// PATTERN: what its definition promises, checked on the result; and one checksum for ever.
#include "factorgcn/data/pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error_text.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/parallel.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::values;

PatternOptions small_options(std::uint64_t seed = 0) {
  PatternOptions options;
  options.patterns = 10;
  options.train = 60;
  options.validation = 20;
  options.test = 20;
  options.seed = seed;
  return options;
}

/// One graph as a matrix of who is joined to whom.
struct Matrix {
  std::int64_t nodes = 0;
  std::vector<char> joined;
  std::vector<std::int64_t> hidden, signals;

  Matrix(const Dataset& dataset, std::int64_t graph) {
    const auto offsets = values<std::int64_t>(dataset.graphs.node_offsets);
    const auto degrees = values<std::int32_t>(dataset.graphs.in_degrees);
    const auto sources = values<std::int32_t>(dataset.graphs.in_sources);
    const auto edges = values<std::int64_t>(dataset.graphs.edge_offsets);
    const auto targets = values<std::int64_t>(dataset.targets);
    const auto features = values<std::int64_t>(dataset.graphs.features);
    const auto first = static_cast<std::size_t>(offsets[static_cast<std::size_t>(graph)]);
    const auto last = static_cast<std::size_t>(offsets[static_cast<std::size_t>(graph) + 1]);
    nodes = static_cast<std::int64_t>(last - first);
    joined.assign(static_cast<std::size_t>(nodes * nodes), 0);
    auto edge = static_cast<std::size_t>(edges[static_cast<std::size_t>(graph)]);
    for (std::size_t node = first; node < last; ++node) {
      hidden.push_back(targets[node]);
      signals.push_back(features[node]);
      for (std::int32_t left = degrees[node]; left > 0; --left, ++edge) {
        ++joined[static_cast<std::size_t>(sources[edge]) * static_cast<std::size_t>(nodes) + (node - first)];
      }
    }
  }
  char at(std::int64_t left, std::int64_t right) const {
    return joined[static_cast<std::size_t>(left * nodes + right)];
  }
};

TEST(Pattern, IsAValidDataSet) {
  const Dataset dataset = make_pattern(small_options());
  EXPECT_NO_THROW(check_dataset(dataset));
  EXPECT_EQ(dataset.task, Task::kNodeClass);
  EXPECT_EQ(dataset.num_outputs, 2);
  EXPECT_EQ(dataset.num_node_types, 3);
  EXPECT_EQ(dataset.split.train.size(), 60U);
  EXPECT_EQ(dataset.split.validation.size(), 20U);
  EXPECT_EQ(dataset.split.test.size(), 20U);
  EXPECT_TRUE(dataset.truth.empty());
}

TEST(Pattern, GraphsAreSimpleAndSymmetric) {
  const Dataset dataset = make_pattern(small_options());
  for (std::int64_t graph = 0; graph < 20; ++graph) {
    const Matrix matrix(dataset, graph);
    for (std::int64_t left = 0; left < matrix.nodes; ++left) {
      EXPECT_EQ(matrix.at(left, left), 0);
      for (std::int64_t right = 0; right < left; ++right) {
        EXPECT_EQ(matrix.at(left, right), matrix.at(right, left));
        EXPECT_LE(matrix.at(left, right), 1);
      }
    }
  }
}

TEST(Pattern, SharesOfEdgesAreThoseOfTheModel) {
  const Dataset dataset = make_pattern(small_options());
  double to_pattern = 0, to_pattern_pairs = 0, rest = 0, rest_pairs = 0;
  for (std::int64_t graph = 0; graph < 100; ++graph) {
    const Matrix matrix(dataset, graph);
    for (std::int64_t left = 0; left < matrix.nodes; ++left) {
      for (std::int64_t right = 0; right < left; ++right) {
        const auto hidden =
            matrix.hidden[static_cast<std::size_t>(left)] + matrix.hidden[static_cast<std::size_t>(right)];
        if (hidden == 1) {
          to_pattern += matrix.at(left, right);
          ++to_pattern_pairs;
        } else if (hidden == 0) {
          rest += matrix.at(left, right);
          ++rest_pairs;
        }
      }
    }
  }
  EXPECT_NEAR(to_pattern / to_pattern_pairs, 0.5, 0.01);
  // About a fifth of the pairs lie inside a community: somewhat above the 0.35 across.
  EXPECT_GT(rest / rest_pairs, 0.36);
  EXPECT_LT(rest / rest_pairs, 0.41);
}

TEST(Pattern, GraphsOfOnePatternShareIt) {
  const Dataset dataset = make_pattern(small_options());
  const auto shape = [&](std::int64_t graph) {
    const Matrix matrix(dataset, graph);
    std::multiset<std::pair<std::int64_t, std::int64_t>> nodes;  // (degree inside the pattern, signal)
    for (std::int64_t node = 0; node < matrix.nodes; ++node) {
      if (matrix.hidden[static_cast<std::size_t>(node)] == 0) {
        continue;
      }
      std::int64_t degree = 0;
      for (std::int64_t other = 0; other < matrix.nodes; ++other) {
        degree += matrix.hidden[static_cast<std::size_t>(other)] * matrix.at(node, other);
      }
      nodes.emplace(degree, matrix.signals[static_cast<std::size_t>(node)]);
    }
    return nodes;
  };
  for (std::int64_t number = 0; number < 10; ++number) {
    const auto first = shape(number);
    EXPECT_GE(first.size(), 5U);
    EXPECT_LE(first.size(), 34U);
    EXPECT_EQ(first, shape(number + 10));
    EXPECT_EQ(first, shape(60 + number)) << "validation graphs hide the same patterns";
  }
  EXPECT_NE(shape(0), shape(1));
}

TEST(Pattern, IsTheSameForEverAndForAnyThreads) {
  const int before = num_threads();
  set_num_threads(1);
  const Dataset one = make_pattern(small_options(3));
  set_num_threads(3);
  const Dataset three = make_pattern(small_options(3));
  set_num_threads(before);
  EXPECT_TRUE(one.graphs.in_sources.equal(three.graphs.in_sources));
  EXPECT_TRUE(one.graphs.in_to_out.equal(three.graphs.in_to_out));
  EXPECT_TRUE(one.graphs.features.equal(three.graphs.features));
  EXPECT_TRUE(one.targets.equal(three.targets));
  EXPECT_FALSE(one.targets.sizes() == make_pattern(small_options(4)).targets.sizes() &&
               one.targets.equal(make_pattern(small_options(4)).targets));
  const at::Tensor& sources = one.graphs.in_sources;
  EXPECT_EQ(content_hash({static_cast<const char*>(sources.data_ptr()), sources.nbytes()}), 15837737393203186540U);
}

TEST(Pattern, RefusesSizesBelowZero) {
  PatternOptions options = small_options();
  options.test = -1;
  EXPECT_EQ(usage_error_text([&] { make_pattern(options); }), "pattern: test is -1; it must be at least 0");
  options.train = options.validation = options.test = 0;
  EXPECT_EQ(usage_error_text([&] { make_pattern(options); }), "pattern: all sizes are 0; ask for a graph");
  options = small_options();
  options.patterns = 0;
  EXPECT_EQ(usage_error_text([&] { make_pattern(options); }), "pattern: patterns is 0; it must be at least 1");
}

}  // namespace
}  // namespace factorgcn
