// GraphML as networkx writes it, and as it must not be.
#include "factorgcn/io/graphml.h"
#include "base/holds.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

constexpr const char* kOpen =
    "<?xml version='1.0' encoding='utf-8'?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
    "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
    "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";

/// networkx.write_graphml of a small MultiGraph: keys are numbered from the last, each type has a key of its own.
const std::string kNetworkx = std::string(kOpen) +
                              R"(  <key id="d4" for="edge" attr.name="relation" attr.type="string" />
  <key id="d3" for="node" attr.name="split" attr.type="string" />
  <key id="d2" for="node" attr.name="label" attr.type="string" />
  <key id="d1" for="node" attr.name="age" attr.type="double" />
  <key id="d0" for="node" attr.name="age" attr.type="long" />
  <graph edgedefault="undirected">
    <node id="ann &amp; co">
      <data key="d0">31</data>
      <data key="d2">red</data>
      <data key="d3">train</data>
    </node>
    <node id="bob">
      <data key="d1">2.5</data>
      <data key="d2">blue</data>
      <data key="d3">val</data>
    </node>
    <node id="2">
      <data key="d0">7</data>
      <data key="d2">red</data>
      <data key="d3">test</data>
    </node>
    <edge source="ann &amp; co" target="bob" id="0">
      <data key="d4">work</data>
    </edge>
    <edge source="ann &amp; co" target="bob" id="1">
      <data key="d4">lunch</data>
    </edge>
  </graph>
</graphml>
)";

std::string error_of(const std::string& text) {
  return error_text([&] { read_graphml(text, "g.graphml"); });
}

using factorgcn::testing::expect_holds;

class Graphml : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_graphml()) {
      GTEST_SKIP() << "this build has no XML library";
    }
  }
};

TEST(GraphmlWithoutXml, SaysWhatIsMissing) {
  if (!can_read_graphml()) {
    expect_holds(error_of("<graphml/>"), "g.graphml: this build cannot read GraphML: build with expat");
  }
}

TEST_F(Graphml, NetworkxFilesAreReadWhole) {
  const GraphTables tables = read_graphml(kNetworkx, "g.graphml");
  ASSERT_TRUE(tables.nodes.has_value());
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "age", "label", "split"}));
  ASSERT_EQ(tables.nodes->num_rows(), 3U);
  EXPECT_EQ(tables.nodes->cell(0, 1), "ann & co");
  EXPECT_EQ(tables.nodes->cell(1, 2), "2.5");
  EXPECT_EQ(tables.nodes->where(1), "g.graphml, line 14");
  EXPECT_EQ(tables.edges.columns, (std::vector<std::string>{"graph", "source", "target", "id", "relation"}));
  EXPECT_EQ(tables.edge_is_directed, (std::vector<bool>{false, false}));

  const Imported imported = import_graphs(tables, {});
  EXPECT_EQ(imported.dataset.task, Task::kNodeClass);
  EXPECT_EQ(imported.dataset.node_names, (std::vector<std::string>{"ann & co", "bob", "2"}));
  EXPECT_EQ(imported.dataset.truth.type_names, (std::vector<std::string>{"work", "lunch"}));
  EXPECT_EQ(imported.dataset.graphs.num_edges(), 2 + 3);
  EXPECT_EQ(imported.dataset.graphs.features.size(1), 1);
  EXPECT_EQ(imported.dataset.split.validation, (std::vector<std::int64_t>{1}));
  EXPECT_TRUE(imported.dataset.node_split);
}

TEST_F(Graphml, SeveralGraphsDefaultsAndDirections) {
  const std::string text = std::string(kOpen) +
                           R"(<key id="w" for="node" attr.name="size" attr.type="int"><default> 4 </default></key>
<key id="c" for="graph" attr.name="class" attr.type="string"/>
<graph id="A" edgedefault="directed"><data key="c">yes</data>
 <node id="1"/><node id="2"><data key="w">5</data></node>
 <edge source="1" target="2"/><edge source="2" target="2" directed="false"/></graph>
<graph id="B" edgedefault="undirected"><data key="c">no</data><node id="1"><desc>x<y/></desc></node></graph>
</graphml>)";
  const GraphTables tables = read_graphml(text, "g.graphml");
  EXPECT_EQ(tables.edge_is_directed, (std::vector<bool>{true, false}));
  EXPECT_EQ(tables.nodes->cell(0, 2), "4");
  EXPECT_EQ(tables.nodes->cell(1, 2), "5");
  EXPECT_EQ(tables.nodes->cell(2, 0), "B");
  EXPECT_EQ(tables.graphs->cell(1, 1), "no");
  const Dataset dataset = import_graphs(tables, {}).dataset;
  EXPECT_EQ(dataset.graph_names, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(dataset.task, Task::kGraphClass);
}

TEST_F(Graphml, GraphsWithoutNamesAreNumbered) {
  const std::string graph = R"(<graph edgedefault="undirected"><node id="n"/></graph>)";
  const GraphTables tables = read_graphml("<graphml>" + graph + graph + "</graphml>", "g.graphml");
  EXPECT_EQ(tables.nodes->cell(0, 0), "1");
  EXPECT_EQ(tables.nodes->cell(1, 0), "2");
}

TEST_F(Graphml, EntitiesAreRefused) {
  const std::string laughs =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n"
      "<graphml><graph edgedefault=\"undirected\"><node id=\"&b;\"/></graph></graphml>";
  expect_holds(error_of(laughs), "g.graphml, line 2: a document type declaration");
  expect_holds(error_of("<graphml>&x;</graphml>"), "g.graphml, line 1: not valid XML: undefined entity");
}

TEST_F(Graphml, WrongFilesAreAnsweredWithTheirLine) {
  expect_holds(error_of(""), "g.graphml, line 1: not valid XML: no element found");
  expect_holds(error_of("source,target\na,b\n"), "not valid XML");
  expect_holds(error_of("<graphml>\n<graph>"), "line 2: <graph> has no edgedefault");
  expect_holds(error_of("<graphml>\n<graph edgedefault='maybe'>"), "edgedefault is 'maybe'");
  expect_holds(error_of("<html/>"), "the document starts with <'html'>; <graphml> was expected");
  expect_holds(error_of("<graphml/>"), "g.graphml: it holds no <graph>");
  const std::string open = "<graphml><graph edgedefault='directed'>\n";
  expect_holds(error_of(open + "<node/>"), "line 2: <node> has no id");
  expect_holds(error_of(open + "<edge source='a'/>"), "line 2: <edge> has no target");
  expect_holds(error_of(open + "<edge source='a' target='b' directed='x'/>"), "directed is 'x'");
  expect_holds(error_of(open + "<node id='a'><data key='k'>1</data></node>"), "line 2: the key 'k' is not declared");
  expect_holds(error_of(open + "<node id='a'><graph edgedefault='directed'/></node>"), "a graph inside a node");
  expect_holds(error_of(open + "<hyperedge/>"), "a hyperedge is not understood");
  expect_holds(error_of("<graphml><key id='a'/><key id='a'/></graphml>"), "the key 'a' is declared twice");
  for (std::size_t length = 0; length < kNetworkx.size() - 12; length += 7) {
    EXPECT_NE(error_of(kNetworkx.substr(0, length)), "no error") << length;
  }
}

TEST_F(Graphml, DepthAndKeysOfTheirOwnCostNoMoreThanTheFile) {
  std::string deep = "<graphml>";
  for (int level = 0; level < 200'000; ++level) {
    deep += "<x>";
  }
  EXPECT_NE(error_of(deep), "no error");

  std::string wide = "<graphml>";
  std::string nodes;
  for (int index = 0; index < 8'000; ++index) {
    const std::string number = std::to_string(index);
    wide += "<key id='" + number + "'/>";
    nodes += "<node id='" + number + "'><data key='" + number + "'>1</data></node>";
  }
  expect_holds(error_of(wide + "<graph edgedefault='directed'>" + nodes + "</graph></graphml>"), "different keys");

  const std::string bomb = "<graphml><key id='k' for='node'><default>" + std::string(100'000, 'x') +
                           "</default></key><graph edgedefault='directed'>";
  std::string many;
  for (int index = 0; index < 8'000; ++index) {
    many += "<node id='a'/>";
  }
  expect_holds(error_of(bomb + many), "<default> values");
}

}  // namespace
}  // namespace factorgcn
