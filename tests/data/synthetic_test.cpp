// The synthetic data: rebuilt from its ground truth by the definition, sample by sample; and one checksum for ever.
#include "factorgcn/data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "graph/brute_force.h"

namespace factorgcn {
namespace {

using brute_force::values;
using Ids = std::vector<std::int32_t>;

SyntheticOptions small_options(int factors, std::uint64_t seed = 0) {
  SyntheticOptions options;
  options.factors = factors;
  options.train = 60;
  options.validation = 10;
  options.test = 30;
  options.seed = seed;
  return options;
}

/// FNV-1a over 64-bit values, low byte first.
class Checksum {
 public:
  template <class Values>
  void add(const Values& values) {
    for (const auto value : values) {
      for (int shift = 0; shift < 64; shift += 8) {
        hash_ = (hash_ ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) >> shift & 0xffU)) *
                0x100000001b3ULL;
      }
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

std::uint64_t checksum(const Dataset& dataset) {
  Checksum sum;
  sum.add(values<std::int64_t>(dataset.graphs.edge_offsets));
  sum.add(values<std::int32_t>(dataset.graphs.in_degrees));
  sum.add(values<std::int32_t>(dataset.graphs.in_sources));
  sum.add(values<std::int32_t>(dataset.graphs.in_to_out));
  sum.add(values<float>(dataset.graphs.features));  // small whole numbers
  sum.add(values<float>(dataset.targets));
  sum.add(dataset.truth.part_types);
  sum.add(dataset.truth.entry_sources);
  sum.add(dataset.truth.entry_targets);
  return sum.value();
}

// If a checksum changes, published numbers can no longer be reproduced: do not update it lightly.
TEST(MakeSynthetic, NeverChanges) {
  EXPECT_EQ(checksum(make_synthetic(small_options(4, 0))), 0xf2de7ed4e5228134U);
  EXPECT_EQ(checksum(make_synthetic(small_options(4, 1))), 0xc51de6b5f4538a83U);
  EXPECT_EQ(checksum(make_synthetic(small_options(6, 0))), 0x3d03b382b4a7660cU);
}

TEST(MakeSynthetic, HasTheSizesAndSplitsOfThePaper) {
  const Dataset dataset = make_synthetic({});
  EXPECT_EQ(dataset.graphs.num_graphs(), 20000);
  EXPECT_EQ(dataset.graphs.num_nodes(), 300000);
  EXPECT_EQ(dataset.graphs.features.size(1), 15);
  EXPECT_EQ(dataset.split.train.size(), 14000U);
  EXPECT_EQ(dataset.split.validation.size(), 2000U);
  EXPECT_EQ(dataset.split.test.size(), 4000U);
  EXPECT_EQ(dataset.split.train.front(), 0);
  EXPECT_EQ(dataset.split.validation.front(), 14000);
  EXPECT_EQ(dataset.split.test.front(), 16000);
  EXPECT_EQ(dataset.split.test.back(), 19999);
  check_dataset(dataset);
  // Two of four graphs: each is in half of the samples, within four standard deviations.
  for (std::int64_t label = 0; label < 4; ++label) {
    EXPECT_NEAR(dataset.targets.select(1, label).sum().item<float>(), 10000, 283);
  }
}

TEST(MakeSynthetic, EachSampleIsTheSumOfItsParts) {
  for (int factors = 2; factors <= 6; ++factors) {
    const Dataset dataset = make_synthetic(small_options(factors));
    check_dataset(dataset);
    EXPECT_EQ(dataset.name, "synthetic");
    EXPECT_EQ(dataset.task, Task::kMultiLabel);
    EXPECT_EQ(dataset.num_outputs, factors);
    EXPECT_EQ(dataset.truth.num_types(), factors);
    const std::vector<float> features = values<float>(dataset.graphs.features);
    const std::vector<float> labels = values<float>(dataset.targets);
    std::vector<Graph> graphs;
    for (std::int64_t sample = 0; sample < 100; ++sample) {
      std::vector<float> matrix(225, 0.0F);
      std::vector<float> label(static_cast<std::size_t>(factors), 0.0F);
      ASSERT_EQ(dataset.truth.num_parts(sample), (factors + 1) / 2);
      for (std::int64_t index = 0; index < dataset.truth.num_parts(sample); ++index) {
        const GroundTruth::Part part = dataset.truth.part(sample, index);
        ASSERT_EQ(label[static_cast<std::size_t>(part.type)], 0.0F) << "the same graph twice";
        label[static_cast<std::size_t>(part.type)] = 1.0F;
        for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
          matrix[static_cast<std::size_t>(part.sources[entry] * 15 + part.targets[entry])] += 1.0F;
        }
      }
      const auto first = features.begin() + sample * 225;
      ASSERT_TRUE(std::equal(matrix.begin(), matrix.end(), first)) << factors << " factors, sample " << sample;
      ASSERT_TRUE(std::equal(label.begin(), label.end(), labels.begin() + sample * factors));
      Graph graph{"sample", 15, {}, {}, brute_force::tensor(matrix).reshape({15, 15})};
      for (std::int32_t row = 0; row < 15; ++row) {
        for (std::int32_t column = 0; column < 15; ++column) {
          if (matrix[static_cast<std::size_t>(row * 15 + column)] != 0.0F || row == column) {
            graph.source.push_back(row);
            graph.target.push_back(column);
          }
        }
      }
      graphs.push_back(graph);
    }
    const GraphStore store = make_store(graphs);
    EXPECT_TRUE(store.node_offsets.equal(dataset.graphs.node_offsets));
    EXPECT_TRUE(store.edge_offsets.equal(dataset.graphs.edge_offsets));
    EXPECT_TRUE(store.in_degrees.equal(dataset.graphs.in_degrees));
    EXPECT_TRUE(store.in_sources.equal(dataset.graphs.in_sources));
    EXPECT_TRUE(store.out_degrees.equal(dataset.graphs.out_degrees));
    EXPECT_TRUE(store.out_targets.equal(dataset.graphs.out_targets));
    EXPECT_TRUE(store.in_to_out.equal(dataset.graphs.in_to_out));
  }
}

/// How many connected components, and how many triangles, an undirected graph has.
std::pair<int, int> components_and_triangles(const std::set<std::pair<int, int>>& edges) {
  std::map<int, int> root;
  for (const auto& [left, right] : edges) {
    root[left] = left;
    root[right] = right;
  }
  const auto find = [&](int node) {
    while (root[node] != node) {
      node = root[node];
    }
    return node;
  };
  int components = static_cast<int>(root.size());
  for (const auto& [left, right] : edges) {
    const int a = find(left);
    const int b = find(right);
    if (a != b) {
      root[a] = b;
      --components;
    }
  }
  int corners = 0;
  for (const auto& [a, b] : edges) {
    for (const auto& [node, unused] : root) {
      corners += edges.count({a, node}) > 0 && edges.count({b, node}) > 0 ? 1 : 0;
    }
  }
  return {components, corners / 6};
}

// Degrees, connectedness and triangles tell the six graphs from each other and from look-alikes.
TEST(MakeSynthetic, AnEdgeWeighsAsMuchAsPartsLieOnIt) {
  const Dataset dataset = make_synthetic(small_options(6));
  const GraphStore& graphs = dataset.graphs;
  const float* const feature = graphs.features.data_ptr<float>();
  std::int64_t edge = 0, doubled = 0;
  for (std::int64_t node = 0; node < graphs.num_nodes(); ++node) {
    for (std::int32_t left = graphs.in_degrees.data_ptr<std::int32_t>()[node]; left > 0; --left, ++edge) {
      const std::int32_t other = graphs.in_sources.data_ptr<std::int32_t>()[edge];
      const float entry = other == node % 15 ? 1.0F : feature[node * 15 + other];
      ASSERT_EQ(graphs.edge_weights.data_ptr<float>()[edge], entry) << "node " << node;
      doubled += entry > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(doubled, 0);
}

TEST(MakeSynthetic, PartsAreThePredefinedGraphs) {
  struct Expected {
    const char* name;
    std::vector<int> degrees;
    int triangles;
  };
  const std::vector<Expected> expected{
      {"turan-5-2", {2, 2, 2, 3, 3}, 0},
      {"house-x", {2, 3, 3, 4, 4}, 5},  // four in the square with its diagonals, one under the roof
      {"balanced-tree-3-2", {1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 4, 4, 4}, 0},
      {"grid-3x3", {2, 2, 2, 2, 3, 3, 3, 3, 4}, 0},
      {"cube", {3, 3, 3, 3, 3, 3, 3, 3}, 0},
      {"octahedron", {4, 4, 4, 4, 4, 4}, 8}};
  const Dataset dataset = make_synthetic(small_options(6));
  std::vector<int> met(6, 0);
  for (std::int64_t sample = 0; sample < dataset.graphs.num_graphs(); ++sample) {
    for (std::int64_t index = 0; index < dataset.truth.num_parts(sample); ++index) {
      const GroundTruth::Part part = dataset.truth.part(sample, index);
      const Expected& wanted = expected[static_cast<std::size_t>(part.type)];
      ASSERT_EQ(dataset.truth.type_names[static_cast<std::size_t>(part.type)], wanted.name);
      std::set<std::pair<int, int>> edges;
      std::map<int, int> degree;
      for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
        edges.insert({part.sources[entry], part.targets[entry]});
        ++degree[part.sources[entry]];
      }
      ASSERT_EQ(edges.size(), part.sources.size()) << "an entry twice in " << wanted.name;
      for (const auto& [source, target] : edges) {
        ASSERT_EQ(edges.count({target, source}), 1U) << "one direction alone in " << wanted.name;
        ASSERT_NE(source, target);
      }
      std::vector<int> degrees;
      for (const auto& [node, count] : degree) {
        degrees.push_back(count);
      }
      std::sort(degrees.begin(), degrees.end());
      ASSERT_EQ(degrees, wanted.degrees) << wanted.name;
      ASSERT_EQ(components_and_triangles(edges), std::pair(1, wanted.triangles)) << wanted.name;
      ++met[static_cast<std::size_t>(part.type)];
    }
  }
  EXPECT_GT(*std::min_element(met.begin(), met.end()), 0);
}

// Cycles of length four separate the cube and the grid from other graphs of the same degrees: count closed walks.
TEST(MakeSynthetic, GridAndCubeHaveTheirSquares) {
  const Dataset dataset = make_synthetic(small_options(6));
  bool grid_met = false;
  bool cube_met = false;
  for (std::int64_t sample = 0; sample < 100; ++sample) {
    for (std::int64_t index = 0; index < dataset.truth.num_parts(sample); ++index) {
      const GroundTruth::Part part = dataset.truth.part(sample, index);
      std::vector<std::vector<int>> common(15, std::vector<int>(15, 0));
      for (std::size_t first = 0; first < part.sources.size(); ++first) {
        for (std::size_t second = 0; second < part.sources.size(); ++second) {
          if (part.targets[first] == part.sources[second]) {
            ++common[static_cast<std::size_t>(part.sources[first])][static_cast<std::size_t>(part.targets[second])];
          }
        }
      }
      int squares = 0;  // each is seen from its two diagonals
      for (std::size_t left = 0; left < 15; ++left) {
        for (std::size_t right = left + 1; right < 15; ++right) {
          squares += common[left][right] * (common[left][right] - 1) / 2;
        }
      }
      if (part.type == 3) {
        grid_met = true;
        ASSERT_EQ(squares / 2, 4);
      } else if (part.type == 4) {
        cube_met = true;
        ASSERT_EQ(squares / 2, 6);
      }
    }
  }
  EXPECT_TRUE(grid_met && cube_met);
}

TEST(MakeSynthetic, ASampleDependsOnTheSeedAndItsIndexAlone) {
  const Dataset whole = make_synthetic(small_options(4, 5));
  SyntheticOptions options = small_options(4, 5);
  options.train = 7;
  options.validation = 0;
  options.test = 13;
  const Dataset part = make_synthetic(options);
  EXPECT_EQ(part.split.validation.size(), 0U);
  EXPECT_TRUE(part.graphs.features.equal(whole.graphs.features.narrow(0, 0, 20 * 15)));
  EXPECT_TRUE(part.targets.equal(whole.targets.narrow(0, 0, 20)));
  EXPECT_FALSE(make_synthetic(small_options(4, 6)).graphs.features.equal(whole.graphs.features));
}

TEST(MakeSynthetic, IsTheSameOnAnyNumberOfThreads) {
  SyntheticOptions options;
  options.train = 2500;  // several chunks, the last one short
  options.validation = 0;
  options.test = 1;
  const int before = num_threads();
  set_num_threads(1);
  const std::uint64_t alone = checksum(make_synthetic(options));
  set_num_threads(3);
  const std::uint64_t together = checksum(make_synthetic(options));
  set_num_threads(before);
  EXPECT_EQ(alone, together);
}

TEST(MakeSynthetic, PadsToAnyNumberOfNodes) {
  SyntheticOptions options = small_options(2);
  options.nodes = 5;  // no padding at all
  check_dataset(make_synthetic(options));
  options.nodes = 40;
  const Dataset dataset = make_synthetic(options);
  check_dataset(dataset);
  EXPECT_EQ(dataset.graphs.features.size(1), 40);
}

TEST(MakeSynthetic, RefusesBadOptions) {
  const auto message = [](auto change) {
    SyntheticOptions options = small_options(4);
    change(options);
    return usage_error_text([&] { make_synthetic(options); });
  };
  EXPECT_EQ(message([](SyntheticOptions& o) { o.factors = 1; }), "synthetic: 1 factors; choose 2 .. 6");
  EXPECT_EQ(message([](SyntheticOptions& o) { o.factors = 7; }), "synthetic: 7 factors; choose 2 .. 6");
  EXPECT_EQ(message([](SyntheticOptions& o) { o.train = -1; }), "synthetic: -1 train samples; choose 0 .. 10000000");
  EXPECT_EQ(message([](SyntheticOptions& o) { o.test = 10000001; }),
            "synthetic: 10000001 test samples; choose 0 .. 10000000");
  EXPECT_EQ(message([](SyntheticOptions& o) { o.train = o.validation = o.test = 0; }),
            "synthetic: no samples; ask for at least 1 in train, validation or test");
  EXPECT_EQ(message([](SyntheticOptions& o) { o.nodes = 12; }),
            "synthetic: 12 nodes per sample; with 4 factors choose 13 .. 1000");
  EXPECT_EQ(message([](SyntheticOptions& o) {
              o.factors = 2;
              o.nodes = 4;
            }),
            "synthetic: 4 nodes per sample; with 2 factors choose 5 .. 1000");
  EXPECT_EQ(message([](SyntheticOptions& o) { o.nodes = 1001; }),
            "synthetic: 1001 nodes per sample; with 4 factors choose 13 .. 1000");
}

}  // namespace
}  // namespace factorgcn
