// GEXF as Gephi and networkx write it, and as it must not be.
#include "factorgcn/io/gexf.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "base/holds.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

using factorgcn::testing::expect_holds;

const std::string kGexfText = R"(<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.3" xmlns:viz="http://www.gexf.net/1.3/viz" version="1.3">
  <meta lastmodifieddate="2024-01-01"><creator>Gephi 0.10</creator></meta>
  <graph defaultedgetype="directed" mode="static" name="team">
    <attributes class="node">
      <attribute id="0" title="age" type="double"><default> 40 </default></attribute>
      <attribute id="c" title="team" type="string"/>
    </attributes>
    <attributes class="edge"><attribute id="0" title="since" type="long"/></attributes>
    <nodes>
      <node id="n1" label="Ann &amp; Co">
        <attvalues><attvalue for="0" value="31"/><attvalue for="c" value="red"/></attvalues>
        <viz:size value="10"/>
      </node>
      <node id="n2" label="Bob"><attvalues><attvalue for="c" value="blue"/></attvalues>
        <nodes><node id="n3" label="Cyd"/></nodes>
      </node>
    </nodes>
    <edges>
      <edge id="0" source="n1" target="n2" weight="2.5" kind="work">
        <attvalues><attvalue for="0" value="1999"/></attvalues>
      </edge>
      <edge source="n3" target="n2" type="undirected"/>
      <edge source="n1" target="n3" type="mutual"/>
    </edges>
  </graph>
</gexf>
)";

std::string gexf_error(const std::string& text) {
  return error_text([&] { read_gexf(text, "g.gexf"); });
}

class Gexf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_gexf()) {
      GTEST_SKIP() << "this build has no expat";
    }
  }
};

TEST(GexfWithoutXml, SaysWhatIsMissing) {
  if (!can_read_gexf()) {
    expect_holds(gexf_error("<gexf/>"), "g.gexf: this build cannot read GEXF: build with expat");
  }
}

TEST_F(Gexf, FilesAreReadWhole) {
  const GraphTables tables = read_gexf(kGexfText, "g.gexf");
  EXPECT_EQ(tables.nodes->columns, (std::vector<std::string>{"graph", "node", "age", "team"}));
  ASSERT_EQ(tables.nodes->num_rows(), 3U);
  EXPECT_EQ(tables.nodes->cell(0, 0), "team");
  EXPECT_EQ(tables.nodes->cell(0, 1), "Ann & Co");
  EXPECT_EQ(tables.nodes->cell(0, 2), "31");
  EXPECT_EQ(tables.nodes->cell(1, 2), "40");
  EXPECT_EQ(tables.nodes->cell(2, 1), "Cyd");
  EXPECT_EQ(tables.nodes->cell(2, 3), "");
  EXPECT_EQ(tables.edges.columns,
            (std::vector<std::string>{"graph", "source", "target", "weight", "relation", "since"}));
  EXPECT_EQ(tables.edges.cell(0, 1), "Ann & Co");
  EXPECT_EQ(tables.edges.cell(0, 3), "2.5");
  EXPECT_EQ(tables.edges.cell(1, 3), "1");
  expect_holds(tables.edges.notes.at(0), "2 edges have no weight; it counts as 1");
  EXPECT_EQ(tables.edges.cell(0, 4), "work");
  EXPECT_EQ(tables.edges.cell(0, 5), "1999");
  EXPECT_EQ(tables.edges.where(1), "g.gexf, line 23");
  EXPECT_EQ(tables.edge_is_directed, (std::vector<bool>{true, false, false}));
  ImportOptions options;
  options.label = "team";
  EXPECT_EQ(import_graphs(tables, options).dataset.node_names, (std::vector<std::string>{"Ann & Co", "Bob", "Cyd"}));
}

TEST_F(Gexf, WrongFilesAreAnsweredWithTheirLine) {
  const auto body = [](const std::string& inside) { return "<gexf>\n<graph>\n" + inside + "</graph></gexf>"; };
  expect_holds(gexf_error(""), "not valid XML");
  expect_holds(gexf_error("<graphml/>"), "the document starts with <'graphml'>; <gexf> was expected");
  expect_holds(gexf_error("<gexf/>"), "g.gexf: it holds no <graph>");
  expect_holds(gexf_error("<!DOCTYPE gexf><gexf/>"), "document type declaration");
  expect_holds(gexf_error(body("<nodes><node/></nodes>")), "g.gexf, line 3: <node> has no id");
  expect_holds(gexf_error(body("<edges><edge source=\"a\"/></edges>")), "line 3: <edge> has no target");
  expect_holds(gexf_error(body("<edges><edge source=\"a\" target=\"b\" type=\"odd\"/></edges>")), "edges is 'odd'");
  expect_holds(gexf_error("<gexf><graph defaultedgetype=\"odd\"/></gexf>"), "edges is 'odd'");
  expect_holds(gexf_error(body("<nodes><node id=\"a\"><attvalues><attvalue for=\"0\"/></attvalues></node></nodes>")),
               "the attribute '0' is not declared");
  expect_holds(gexf_error(body("<attributes class=\"node\"><attribute id=\"0\"/><attribute id=\"0\"/></attributes>")),
               "'0' is declared twice");
  expect_holds(gexf_error(body("<nodes><node id=\"a\"><nodes><node id=\"b\"/></nodes>\n<attvalues><attvalue for=\"x\"/>"
                               "</attvalues></node></nodes>")),
               "line 4: the values of a node stand behind the nodes inside it");
  for (std::size_t length = 0; length + 2 < kGexfText.size(); length += 3) {
    EXPECT_NE(gexf_error(kGexfText.substr(0, length)), "no error") << length;
  }
}

TEST_F(Gexf, DefaultsTakeNoMoreMemoryThanTheFileAllows) {
  std::string text = "<gexf><graph><attributes class=\"node\">";
  for (int key = 0; key < 1000; ++key) {
    text += "<attribute id=\"" + std::to_string(key) + "\"><default>" + std::string(50, 'x') + "</default></attribute>";
  }
  text += "</attributes><nodes>";
  for (int node = 0; node < 5000; ++node) {
    text += "<node id=\"" + std::to_string(node) + "\"/>";
  }
  expect_holds(gexf_error(text + "</nodes></graph></gexf>"), "<default> values take far more memory than the file");
}

}  // namespace
}  // namespace factorgcn
