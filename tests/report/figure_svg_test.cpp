// Figures: well-formed, with everything in them that was given.
#include "factorgcn/report/figure_svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "report/graph_layout.h"

namespace factorgcn {
namespace {

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST(HeatmapsSvg, OneSquarePerValue) {
  PageHeatmaps figure;
  figure.title = "a < b";
  figure.panels = {{"MLP", 2, {1, 0, 0, 1}, {}, "micro-F1", 0.94}, {"FactorGCN", 2, {1, 0.5, 0.5, 1}, {1, 1}, "", {}}};
  const std::string text = heatmaps_svg(figure);
  EXPECT_EQ(text.rfind("<?xml", 0), 0U);
  EXPECT_NE(text.find("a &lt; b"), std::string::npos);
  EXPECT_NE(text.find("MLP (micro-F1 0.940)"), std::string::npos);
  // Per panel: its values and its border; beside them the background and the scale's 32 steps.
  EXPECT_EQ(count_of(text, "<rect"), 2 * (4 + 1) + 1 + 32);
  EXPECT_EQ(count_of(text, "<line"), 2) << "borders of blocks";
  EXPECT_NE(text.find("#08306b"), std::string::npos) << "full correlation is darkest";
}

TEST(LinesSvg, SkipsWhatIsMissing) {
  PageLines figure;
  figure.title = "t";
  figure.x = {0, 0.5, 1};
  figure.series = {{"one", {0.5, std::nan(""), 0.7}, {0.1, 0, 0.1}, {}}, {"two", {0.1, 0.2, 0.3}, {}, {}}};
  const std::string text = lines_svg(figure);
  EXPECT_EQ(count_of(text, "<circle"), 5);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_NE(text.find(">one</text>"), std::string::npos);
  EXPECT_NE(text.find(">0.5</text>"), std::string::npos);
}

TEST(LinesSvg, SurvivesNothingToShow) {
  PageLines figure;
  EXPECT_NE(lines_svg(figure).find("</svg>"), std::string::npos);
  figure.x = {1};
  figure.series = {{"flat", {2}, {}, {}}};
  EXPECT_EQ(lines_svg(figure).find("inf"), std::string::npos);
}

PageFactorGraphs two_parts() {
  PageFactorGraphs figure;
  figure.title = "samples";
  figure.layers = {{"layer 1", {"factor 1", "factor 2"}, {}}};
  figure.types = {"path", "edge"};
  PageSample sample;
  sample.id = "7";
  sample.nodes = 4;
  sample.edges = {0, 1, 1, 2, 0, 2};
  sample.truth = {{0, {0, 1}, 0}, {1, {2}, 0}};
  sample.layers = {{{}, {{0, 1, 2, {0, 2}}, {1, -1, 2, {}}}, {}}};
  figure.samples = {sample, sample};
  return figure;
}

TEST(FactorGraphsSvg, DrawsPartsAndFactors) {
  const std::string text = factor_graphs_svg(two_parts(), 1);
  // Input 3, part 2, its factor 2, part 1, no factor.
  EXPECT_EQ(count_of(text, "<line"), 8);
  EXPECT_EQ(count_of(text, "stroke-dasharray"), 3) << "one missed, one invented, one without a factor";
  EXPECT_NE(text.find("factor 2, GED_E 2"), std::string::npos);
  EXPECT_NE(text.find("no factor left"), std::string::npos);
  // Node 3 has no edge: it is nowhere. 3 + 3 + 3 + 2 nodes.
  EXPECT_EQ(count_of(text, "<circle"), 11);
  EXPECT_EQ(count_of(factor_graphs_svg(two_parts(), 5), "input graph 7"), 2);
}

TEST(SpringLayout, IsTheSameEachTimeAndFillsTheSquare) {
  const std::vector<std::int32_t> edges{0, 1, 1, 2, 2, 3, 3, 0};
  const auto first = spring_layout(6, edges), second = spring_layout(6, edges);
  ASSERT_EQ(first.size(), 6U);
  double least = 1, most = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].x, second[i].x);
    EXPECT_EQ(first[i].y, second[i].y);
    EXPECT_TRUE(first[i].x >= 0 && first[i].x <= 1 && first[i].y >= 0 && first[i].y <= 1);
    least = std::min(least, first[i].x);
    most = std::max(most, first[i].x);
  }
  EXPECT_EQ(least, 0);
  EXPECT_EQ(most, 1);
  EXPECT_TRUE(spring_layout(0, {}).empty());
  EXPECT_EQ(spring_layout(1, {})[0].x, 0.5);
}

}  // namespace
}  // namespace factorgcn
