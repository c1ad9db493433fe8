// Graphs of any size on a page: packed numbers, and what goes first where a graph is too large.
#include "factorgcn/report/page_graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "factorgcn/base/random.h"
#include "factorgcn/report/page.h"
#include "report/packed_numbers.h"

namespace factorgcn {
namespace {

TEST(PackedNumbers, AreTheBytesThatTheirFormsSay) {
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(base64(Bytes{}), "");
  EXPECT_EQ(base64(Bytes{'f'}), "Zg==");
  EXPECT_EQ(base64(Bytes{'f', 'o'}), "Zm8=");
  EXPECT_EQ(base64(Bytes{'f', 'o', 'o', 255}), "Zm9v/w==");
  EXPECT_EQ(pack_deltas(std::vector<std::int32_t>{5, 134, 135}), base64(Bytes{5, 0x81, 1, 1}));
  EXPECT_EQ(pack_edges(std::vector<std::int32_t>{0, 1, 0, 3, 2, 3}, 4), base64(Bytes{2, 1, 2, 0, 1, 1, 0}));
  EXPECT_EQ(pack_words(std::vector<std::int32_t>{-1, 258}), base64(Bytes{255, 255, 2, 1}));
  EXPECT_EQ(pack_bytes(std::vector<float>{0, 1, 0.5F, 2}), base64(Bytes{0, 255, 128, 255}));
  EXPECT_EQ(pack_nibbles(std::vector<float>{1, 0.2F, 0.4F}), base64(Bytes{0x3f, 0x06}));
}

/// A random graph with two layers of three factors, names, certainty, a colouring, one true relation.
PageFactorGraphs random_part(std::int32_t nodes, std::size_t edges, std::uint64_t seed) {
  RandomStream random(seed, "test/page");
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  while (pairs.size() < edges) {
    const auto a = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
    const auto b = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(nodes)));
    if (a != b) {
      pairs.insert(std::minmax(a, b));
    }
  }
  PageSample sample;
  sample.id = "0";
  sample.nodes = nodes;
  sample.layers.resize(2);
  sample.truth = {{0, {}, 0}};
  for (const auto& [s, t] : pairs) {
    if ((s + t) % 3 == 0) {
      sample.truth[0].edges.push_back(static_cast<std::int32_t>(sample.edges.size() / 2));
    }
    sample.edges.insert(sample.edges.end(), {s, t});
    for (PageReading& reading : sample.layers) {
      for (int factor = 0; factor < 3; ++factor) {
        reading.coefficients.push_back(static_cast<float>(random.uniform()));
      }
    }
    sample.certainty.push_back(static_cast<float>(random.uniform()));
  }
  sample.layers[1].matches = {{0, 1, 8, sample.truth[0].edges}};
  sample.colours.resize(1);
  for (std::int32_t node = 0; node < nodes; ++node) {
    sample.node_labels.push_back("node " + std::to_string(node));
    sample.colours[0].push_back(node % 4 - 1);
  }
  PageFactorGraphs part;
  part.id = "graphs";
  part.title = "Graphs";
  part.layers = {{"layer 1", numbered_names("factor", 3), {}}, {"layer 2", numbered_names("factor", 3), {}}};
  part.shown_layer = 1;
  part.types = {"a"};
  part.colourings = {{"c", {"x", "y", "z"}}};
  part.samples = {sample};
  return part;
}

Page page_of(const PageFactorGraphs& part) {
  Page page;
  page.factor_graphs = {part};
  return page;
}

std::int64_t written_bytes(const PageFactorGraphs& part) {
  return static_cast<std::int64_t>(to_json(page_of(part)).at("factor_graphs").dump().size());
}

TEST(FitToPage, KnowsHowManyBytesAPartTakes) {
  for (const std::size_t edges : {50U, 2000U, 20000U}) {
    const PageFactorGraphs part = random_part(static_cast<std::int32_t>(edges), edges, edges);
    const auto written = static_cast<double>(written_bytes(part));
    EXPECT_NEAR(static_cast<double>(page_bytes(part)), written, 0.1 * written + 600) << edges;
  }
}

TEST(FitToPage, LeavesAloneWhatFits) {
  PageFactorGraphs part = random_part(300, 1000, 1);
  const std::string before = to_json(page_of(part)).dump();
  fit_to_page(part);
  EXPECT_EQ(to_json(page_of(part)).dump(), before);
}

TEST(FitToPage, DropsLayersThenStepsThenFarNodesAndSaysSo) {
  const PageFactorGraphs whole = random_part(5000, 20000, 2);
  const std::int64_t bytes = page_bytes(whole);
  PageFactorGraphs part = whole;
  fit_to_page(part, bytes * 9 / 10);
  ASSERT_EQ(part.layers.size(), 1U);
  EXPECT_EQ(part.layers[0].name, "layer 2");
  EXPECT_EQ(part.samples[0].layers[0].coefficients, whole.samples[0].layers[1].coefficients);
  EXPECT_EQ(part.left_out.size(), 1U);
  EXPECT_FALSE(part.coarse);

  part = whole;
  const std::int64_t coarse = page_bytes(part) - 20000 * 3 * 4 / 3 * 5 / 4;
  fit_to_page(part, coarse);
  EXPECT_TRUE(part.coarse);
  EXPECT_EQ(part.samples[0].edges.size(), 40000U);
  EXPECT_EQ(part.left_out.size(), 2U);

  part = whole;
  fit_to_page(part, bytes / 5);
  const PageSample& sample = part.samples[0];
  EXPECT_LE(page_bytes(part), bytes / 5);
  EXPECT_GT(page_bytes(part), bytes / 8) << "no more than needed";
  EXPECT_EQ(part.left_out.size(), 3U);
  EXPECT_NE(part.left_out[2].find("of 20,000 edges are on this page"), std::string::npos) << part.left_out[2];
  EXPECT_NO_THROW(check_page(page_of(part)));
  // What is left is the whole's, edge by edge: by the names of the ends.
  const auto key = [](const PageSample& of, std::size_t edge) {
    return of.node_labels[static_cast<std::size_t>(of.edges[2 * edge])] + "/" +
           of.node_labels[static_cast<std::size_t>(of.edges[2 * edge + 1])];
  };
  std::map<std::string, std::size_t> places;
  for (std::size_t edge = 0; edge < 20000; ++edge) {
    places[key(whole.samples[0], edge)] = edge;
  }
  const std::set<std::int32_t> truth(whole.samples[0].truth[0].edges.begin(), whole.samples[0].truth[0].edges.end());
  const std::set<std::int32_t> left(sample.truth[0].edges.begin(), sample.truth[0].edges.end());
  for (std::size_t edge = 0; edge < sample.edges.size() / 2; ++edge) {
    const std::size_t place = places.at(key(sample, edge));
    EXPECT_EQ(sample.certainty[edge], whole.samples[0].certainty[place]);
    EXPECT_EQ(sample.layers[0].coefficients[3 * edge + 2], whole.samples[0].layers[1].coefficients[3 * place + 2]);
    EXPECT_EQ(left.count(static_cast<std::int32_t>(edge)), truth.count(static_cast<std::int32_t>(place)));
  }
  for (std::size_t node = 0; node < sample.node_labels.size(); ++node) {
    EXPECT_EQ(sample.colours[0][node], std::stoi(sample.node_labels[node].substr(5)) % 4 - 1);
  }
}

TEST(FitToPage, LeavesOutGraphsAtTheEnd) {
  PageFactorGraphs part = random_part(300, 1000, 3);
  for (int copy = 1; copy < 10; ++copy) {
    part.samples.push_back(part.samples[0]);
    part.samples.back().id = std::to_string(copy);
  }
  fit_to_page(part, page_bytes(part) / 5);
  EXPECT_GE(part.samples.size(), 3U);
  EXPECT_LT(part.samples.size(), 6U);
  EXPECT_NE(part.left_out.back().find("of 10 graphs are left out"), std::string::npos) << part.left_out.back();
}

TEST(FitToPage, HasNothingToCutFromANodeAlone) {
  PageFactorGraphs part = random_part(2, 1, 4);
  fit_to_page(part, 1);
  EXPECT_LE(part.samples.size(), 1U);
  EXPECT_NO_THROW(check_page(page_of(part)));
}

TEST(PageGraphs, LargeOnesArePackedAndSmallOnesListed) {
  const auto edges_of = [](const PageFactorGraphs& part) {
    return to_json(page_of(part)).at("factor_graphs").at(0).at("samples").at(0).at("edges");
  };
  EXPECT_TRUE(edges_of(random_part(100, 200, 5)).is_array());
  const PageFactorGraphs large = random_part(2000, 4000, 6);
  EXPECT_EQ(edges_of(large).at("edges"), pack_edges(large.samples[0].edges, 2000));
}

}  // namespace
}  // namespace factorgcn
