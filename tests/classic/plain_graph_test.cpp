// Plain graphs: what is dropped, and where labels come from.
#include "factorgcn/classic/plain_graph.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "classic/plain_graphs.h"
#include "data/tiny_dataset.h"

namespace factorgcn {
namespace {

using testing::plain;

std::vector<std::int32_t> around(const PlainGraph& graph, std::int64_t node) {
  const auto list = graph.around(node);
  return {list.begin(), list.end()};
}

TEST(PlainGraph, DropsLoopsDirectionsAndRepetitions) {
  const PlainGraph graph = plain(4, {{2, 0}, {0, 2}, {1, 1}, {0, 1}, {0, 1}});
  EXPECT_EQ(around(graph, 0), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(around(graph, 1), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(around(graph, 2), (std::vector<std::int32_t>{0}));
  EXPECT_EQ(graph.degree(3), 0);
}

TEST(PlainGraph, ComesFromADataSet) {
  const Dataset dataset = tiny_dataset();  // a path with a loop, a lonely node, an edge; float features
  EXPECT_EQ(usual_labels(dataset), NodeLabels::kDegree);
  const auto graphs = plain_graphs(dataset, NodeLabels::kDegree);
  ASSERT_EQ(graphs.size(), 3U);
  EXPECT_EQ(graphs[0].labels, (std::vector<std::int64_t>{1, 2, 1})) << "the loop does not count";
  EXPECT_EQ(graphs[1].labels, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(around(graphs[0], 1), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(plain_graphs(dataset, NodeLabels::kNone)[0].labels, (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_NE(usage_error_text([&] { plain_graphs(dataset, NodeLabels::kTypes); }).find("labels=degree"),
            std::string::npos);
}

TEST(PlainGraph, RefusesWhatIsNone) {
  EXPECT_NE(error_text([] { plain(2, {{0, 2}}); }).find("node 2; the graph has 2"), std::string::npos);
  EXPECT_NE(usage_error_text([] { node_labels_from_name("colour"); }).find("'colour'"), std::string::npos);
  for (const NodeLabels labels : {NodeLabels::kTypes, NodeLabels::kDegree, NodeLabels::kNone}) {
    EXPECT_EQ(node_labels_from_name(node_labels_name(labels)), labels);
  }
}

}  // namespace
}  // namespace factorgcn
