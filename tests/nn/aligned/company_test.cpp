// Sizes of parts and where they lie: true parts are left alone, mixed ones are noticed.
#include "nn/aligned/company.h"

#include <ATen/ops/randint.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <vector>

#include "nn/aligned/namer.h"
#include "nn/aligned/planted.h"
#include "nn/aligned/swap.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using aligned::PairGraphs;
using aligned::PartSizes;

/// Graphs of two of three parts that lie over each other by chance.
struct Overlaid {
  PairGraphs graphs;
  at::Tensor parts, labels;  ///< float [P, K] and [G, K]
};

Overlaid overlay(int count, std::uint64_t seed) {
  RandomStream random(seed, "test/company");
  std::vector<std::vector<std::int64_t>> lists;
  for (int g = 0; g < count; ++g) {
    lists.push_back({g % 3, (g + 1) % 3});
  }
  const testing::PlantedGraphs planted = testing::plant(lists, random);
  const aligned::NewGraphs made = aligned::exchange_parts(planted.graphs, planted.parts.gt(0),
                                                          aligned::usual_names(count, 3).names, planted.labels, seed);
  at::Tensor labels = at::zeros_like(planted.labels);
  for (std::int64_t g = 0; g < count; ++g) {
    const auto first = made.graphs.pair_offsets[g].item<std::int64_t>();
    const auto end = made.graphs.pair_offsets[g + 1].item<std::int64_t>();
    labels[g] = made.parts.slice(0, first, end).sum(0).gt(0);
  }
  return {made.graphs, made.parts, labels};
}

/// Each part's edges are worth 1, 2 and 3, so that the parts are of size 3, 6 and 9.
Overlaid overlay_of_sizes(int count, std::uint64_t seed) {
  Overlaid data = overlay(count, seed);
  data.parts = data.parts * (at::arange(3, data.parts.options()) + 1);
  data.graphs.multiplicity = data.parts.sum(1);
  return data;
}

/// Every edge spread alike over the labels of its graph: what labels alone are content with.
at::Tensor spread_alike(const Overlaid& data) {
  const at::Tensor present = data.labels.index_select(0, data.graphs.graph_of_pair);
  return data.graphs.multiplicity.unsqueeze(1) * present / present.sum(1, true);
}

TEST(PartSizes, AreThoseOfTheParts) {
  Overlaid data = overlay_of_sizes(60, 1);
  const PartSizes found = aligned::part_sizes(data.graphs, data.labels);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.sizes[k].item<double>(), 3 * (k + 1), 1e-3);
  }
  EXPECT_LT(found.slack, 1e-2);
  // Parts of no fixed size: the slack is as wide as they vary.
  RandomStream random(2, "test/company");
  for (std::int64_t pair = 0; pair < data.graphs.num_pairs(); ++pair) {
    data.graphs.multiplicity[pair] *= random.chance(0.5) ? 2 : 1;
  }
  EXPECT_GT(aligned::part_sizes(data.graphs, data.labels).slack, 2);
}

TEST(PartSizes, FewerGraphsThanLabelsSayNothing) {
  const Overlaid data = overlay_of_sizes(3, 1);
  const PartSizes found = aligned::part_sizes(data.graphs, data.labels);
  EXPECT_TRUE(std::isinf(found.slack));
  EXPECT_EQ(aligned::size_loss(data.graphs, data.parts * 7, data.labels, found).item<double>(), 0);
}

TEST(Size, TrueSizesAreLeftAloneAndEqualOnesAreNot) {
  const Overlaid data = overlay_of_sizes(60, 3);
  const PartSizes sizes = aligned::part_sizes(data.graphs, data.labels);
  const auto loss = [&](const at::Tensor& c) {
    return aligned::size_loss(data.graphs, c, data.labels, sizes).item<double>();
  };
  EXPECT_LT(loss(data.parts), 1e-6);
  EXPECT_GT(loss(spread_alike(data)), 0.05);
  // By hand: one graph's first present part is 2 too large, of a mean size of 6.
  at::Tensor one = data.parts.clone();
  const auto label = data.labels[0].argmax().item<std::int64_t>();
  one[0][label] += 2;
  EXPECT_NEAR(loss(one), 4.0 / 36 / data.labels.sum().item<double>(), 2e-5);
}

TEST(Apart, TruePartsLieByChanceAndMixedOnesDoNot) {
  const Overlaid data = overlay(600, 4);
  const auto loss = [&](const at::Tensor& c) {
    return aligned::apart_loss(data.graphs, c, data.labels).item<double>();
  };
  const double of_truth = loss(data.parts);
  EXPECT_LT(of_truth, 0.05);
  EXPECT_GT(loss(spread_alike(data)), 1);
  // A third of all edges lie in the factor of the graph's other label.
  at::Tensor mixed = data.parts.clone();
  for (std::int64_t pair = 0; pair < data.graphs.num_pairs(); pair += 3) {
    const at::Tensor present = data.labels[data.graphs.graph_of_pair[pair].item<std::int64_t>()];
    mixed[pair] = (present - data.parts[pair]).clamp_min(0);
  }
  EXPECT_GT(loss(mixed), 4 * of_truth + 0.05);
}

TEST(Apart, PushesOutWhatLeaksIntoAnotherFactor) {
  const Overlaid data = overlay(300, 5);
  at::Tensor c = data.parts * 0.8 + 0.1;
  c = c * data.labels.index_select(0, data.graphs.graph_of_pair);
  std::vector<std::pair<std::int64_t, std::int64_t>> leaked, own;
  for (std::int64_t pair = 0; pair < data.graphs.num_pairs(); ++pair) {
    const at::Tensor present = data.labels[data.graphs.graph_of_pair[pair].item<std::int64_t>()];
    const auto part = data.parts[pair].argmax().item<std::int64_t>();
    const auto other = (present - data.parts[pair]).argmax().item<std::int64_t>();
    if (data.parts[pair].sum().item<double>() > 1) {
      continue;
    }
    if (pair % 3 == 0) {
      c[pair][other] = 0.6;
      leaked.emplace_back(pair, other);
    } else {
      own.emplace_back(pair, part);
    }
  }
  c.requires_grad_();
  aligned::apart_loss(data.graphs, c, data.labels).backward();
  const auto mean = [&](const auto& places) {
    double sum = 0;
    for (const auto& [pair, factor] : places) {
      sum += c.grad()[pair][factor].template item<double>();
    }
    return sum / static_cast<double>(places.size());
  };
  EXPECT_GT(mean(leaked), 0);
  EXPECT_GT(mean(leaked), 2 * mean(own));
}

/// The correlations once more, graph by graph with dense matrices.
at::Tensor dense_apart(const Overlaid& data, const at::Tensor& c) {
  const std::int64_t factors = c.size(1);
  std::vector<std::vector<at::Tensor>> looks;  // [G][K]: [nodes, 3], centred
  for (std::int64_t g = 0; g < data.labels.size(0); ++g) {
    const auto first = data.graphs.graph_offsets[g].item<std::int64_t>();
    const auto nodes = data.graphs.graph_offsets[g + 1].item<std::int64_t>() - first;
    std::vector<at::Tensor> own;
    for (std::int64_t k = 0; k < factors; ++k) {
      at::Tensor matrix = at::zeros({nodes, nodes}, c.options());
      const auto end = data.graphs.pair_offsets[g + 1].item<std::int64_t>();
      for (std::int64_t pair = data.graphs.pair_offsets[g].item<std::int64_t>(); pair < end; ++pair) {
        at::Tensor place = at::zeros({nodes, nodes}, c.options());
        const auto i = data.graphs.left[pair].item<std::int64_t>() - first;
        const auto j = data.graphs.right[pair].item<std::int64_t>() - first;
        place[i][j] = place[j][i] = 1;
        matrix = matrix + place * c[pair][k];
      }
      const at::Tensor degrees = matrix.sum(1);
      const at::Tensor all = at::stack({degrees, degrees.tanh(), matrix.mv(degrees)}, 1);
      own.push_back(all - all.mean(0, true));
    }
    looks.push_back(own);
  }
  const auto nodes = static_cast<double>(data.graphs.num_nodes());
  at::Tensor sum = at::zeros({}, c.options());
  for (std::int64_t k = 0; k < factors; ++k) {
    for (std::int64_t l = 0; l < factors; ++l) {
      at::Tensor products = at::zeros({3, 3}, c.options()), of_k = at::zeros({3}, c.options()), of_l = of_k;
      for (std::int64_t g = 0; g < data.labels.size(0) && k != l; ++g) {
        if (data.labels[g][k].item<double>() > 0 && data.labels[g][l].item<double>() > 0) {
          const auto &a = looks[static_cast<std::size_t>(g)][static_cast<std::size_t>(k)],
                     &b = looks[static_cast<std::size_t>(g)][static_cast<std::size_t>(l)];
          products = products + a.t().matmul(b) / nodes;
          of_k = of_k + a.square().sum(0) / nodes;
          of_l = of_l + b.square().sum(0) / nodes;
        }
      }
      sum = sum + (products.square() / ((of_k + 0.01).unsqueeze(1) * (of_l + 0.01).unsqueeze(0))).sum();
    }
  }
  return sum / static_cast<double>(factors * (factors - 1));
}

TEST(Apart, EqualsItsDenseTwinInValueAndGradient) {
  const Overlaid data = overlay(8, 6);
  RandomStream random(7, "test/company");
  const at::Tensor c = testing::random_tensor(data.parts.sizes(), random).to(at::kDouble).sigmoid().requires_grad_();
  const at::Tensor actual = aligned::apart_loss(data.graphs, c, data.labels.to(at::kDouble));
  const at::Tensor expected = dense_apart(data, c);
  EXPECT_LT(testing::difference(actual, expected), 1e-12);
  const auto gradient = torch::autograd::grad({actual}, {c})[0], twin = torch::autograd::grad({expected}, {c})[0];
  EXPECT_LT(testing::difference(gradient, twin), 1e-12);
  EXPECT_GT(gradient.abs().max().item<double>(), 1e-4);
}

}  // namespace
}  // namespace factorgcn
