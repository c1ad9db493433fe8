// Pages as files: the data come back as they went in, nothing escapes its element, bad pages are refused by name.
#include "factorgcn/report/page.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Page example() {
  Page page;
  page.title = "A title";
  page.subtitle = "and more";
  page.program = "factorgcn 1.2.3";
  page.created = "2026-01-02 03:04 UTC";
  page.facts = {{"seed", "0"}};
  page.notes = {"A note."};
  PageTable table;
  table.id = "table-1";
  table.title = "Scores";
  table.caption = "A caption.";
  table.protocol = "corrected";
  table.columns = {{"f1", "micro-F1", PageBetter::kHigher, 3, ""}, {"ged", "GED_E", PageBetter::kLower, 2, "graphs"}};
  PageRow row{"factorgcn", {}, true};
  row.cells["f1"] = {0.9969, 0.002, 5, 0.995, 0.004, "a footnote", ""};
  row.cells["ged"] = {kNan, std::nullopt, 0, std::nullopt, std::nullopt, "", "none"};
  table.rows = {row};
  page.tables = {table};
  page.curves = {{"curves", "Curves", "", "epoch", {{"seed 0", {{"validation", "loss", {1.5, kNan, 0.25}}}, 3}}}};
  page.heatmaps = {{"heat", "Heat", "", "correlation", {{"gcn", 2, {1, 0.5, 0.5, 1}, {1, 1}, "micro-F1", 0.9}}}};
  page.lines = {{"lambda", "Lambda", "", "lambda", "GED_E", true, {0, 0.5}, {{"ours", {1, 2}, {0.1, 0.2}, {kNan, 3}}}}};
  PageSample sample;
  sample.id = "16000";
  sample.label = "house + grid";
  sample.nodes = 3;
  sample.node_labels = {"a", "b", "c"};
  sample.edges = {0, 1, 1, 2};
  sample.layers = {{{0.25F, 0.1F, 1.0F, 0.99999994F}, {{0, 1, 4, {1}}}, 4}};
  sample.certainty = {0.5F, 1.0F};
  sample.directions = {0, 2};
  sample.colours = {{0, -1, 1}};
  sample.truth = {{1, {0}, 2}};
  sample.facts = {{"predicted", "correctly"}};
  PageFactorGraphs part;
  part.id = "graphs";
  part.title = "Graphs";
  part.layers = {{"layer 1", {"factor 1", "factor 2"}, {0, -1}}};
  part.types = {"house", "grid"};
  part.colourings = {{"class", {"red", "blue"}}};
  part.left_out = {"Some are left out."};
  part.samples = {sample};
  page.factor_graphs = {part};
  page.confusions = {{"confusion", "Confusion", "", {"red", "blue"}, {3, 1, 0, 2}}};
  page.reliabilities = {{"reliability", "Reliability", "", {{0.5, 0.6, 4, 0.55, 0.5, 0.15, 0.85}}, 0.05, 0.2}};
  return page;
}

std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t from = text.find(start);
  EXPECT_NE(from, std::string::npos) << start;
  const std::size_t begin = from + start.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

nlohmann::json data_of(const std::string& html) {
  return nlohmann::json::parse(between(html, "id=\"factorgcn-data\">", "</script>"));
}

TEST(Page, DataComeBackAsTheyWentIn) {
  const nlohmann::json data = data_of(page_html(example()));
  EXPECT_EQ(data, nlohmann::json::parse(to_json(example()).dump()));  // as text: NaN has become null
  EXPECT_EQ(data.at("format"), "factorgcn-page");
  EXPECT_EQ(data.at("version"), 2);
  const nlohmann::json& cells = data.at("tables").at(0).at("rows").at(0).at("cells");
  EXPECT_EQ(cells.at("f1"), (nlohmann::json{{"value", 0.9969},
                                            {"deviation", 0.002},
                                            {"count", 5},
                                            {"paper", 0.995},
                                            {"paper_deviation", 0.004},
                                            {"note", "a footnote"}}));
  EXPECT_EQ(cells.at("ged"), (nlohmann::json{{"text", "none"}}));  // not finite: as if it were not there
  EXPECT_EQ(data.at("tables").at(0).at("columns").at(1).at("better"), "lower");
  EXPECT_EQ(data.at("curves").at(0).at("runs").at(0).at("series").at(0).at("values").dump(), "[1.5,null,0.25]");
  EXPECT_EQ(data.at("lines").at(0).at("series").at(0).at("paper").dump(), "[null,3.0]");
  const nlohmann::json& sample = data.at("factor_graphs").at(0).at("samples").at(0);
  EXPECT_EQ(sample.at("layers").at(0).at("matches").at(0).dump(), R"({"factor":1,"ged":4.0,"kept":[1],"truth":0})");
  EXPECT_EQ(sample.at("truth").at(0).dump(), R"({"edges":[0],"missing":2,"type":1})");
}

TEST(Page, CoefficientsKeepTheirOrderAndFewDigits) {
  const nlohmann::json sample = to_json(example()).at("factor_graphs").at(0).at("samples").at(0);
  EXPECT_EQ(sample.at("layers").at(0).at("coefficients").dump(), "[0.25,0.1,1.0,0.99999994]");
}

TEST(Page, NothingLeavesItsElement) {
  Page page = example();
  const std::string nasty = "</script><script>alert(1)</script><!-- & \" ' \xE2\x80\xA8 \xE2\x80\xA9 </title>";
  page.title = nasty;
  page.tables[0].rows[0].label = nasty;
  page.factor_graphs[0].samples[0].label = nasty;
  page.factor_graphs[0].samples[0].node_labels[0] = nasty;
  page.factor_graphs[0].colourings[0].labels[0] = nasty;
  page.confusions[0].names[0] = nasty;
  const std::string html = page_html(page);
  const std::string data = between(html, "id=\"factorgcn-data\">", "</script>");
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(data.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(data).at("title"), nasty);
  EXPECT_EQ(nlohmann::json::parse(data).at("factor_graphs").at(0).at("samples").at(0).at("label"), nasty);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(between(html, "<title>", "</title>").find('<'), std::string::npos);
}

TEST(Page, BytesThatAreNotUtf8AreReplaced) {
  Page page = example();
  page.title = "bad \xFF byte";
  EXPECT_EQ(data_of(page_html(page)).at("title"), "bad \xEF\xBF\xBD byte");
}

TEST(Page, RefersToNoHost) {
  const std::string html = page_html(example());
  const std::regex address("(https?:)?//[A-Za-z0-9.-]+\\.[a-z]+");
  for (auto found = std::sregex_iterator(html.begin(), html.end(), address); found != std::sregex_iterator(); ++found) {
    EXPECT_EQ(found->str(), "http://www.w3.org") << "an XML namespace is no reference; this is";
  }
  EXPECT_EQ(html.find("src="), std::string::npos);
}

TEST(Page, TablesAreReadableWithoutScript) {
  const std::string html = page_html(example());
  EXPECT_NE(html.find("0.997 ± 0.002 (paper: 0.995 ± 0.004); a footnote"), std::string::npos);
  EXPECT_NE(html.find("<th>graphs, GED_E</th>"), std::string::npos);
  EXPECT_NE(html.find("Protocol: corrected"), std::string::npos);
}

TEST(Page, AnEmptyPageIsAPage) {
  const nlohmann::json data = data_of(page_html(Page{}));
  EXPECT_EQ(data.at("tables"), nlohmann::json::array());
  EXPECT_EQ(data.at("factor_graphs"), nlohmann::json::array());
}

TEST(Page, BadPagesAreRefusedByName) {
  const auto message = [](const std::function<void(Page&)>& change) {
    Page page = example();
    change(page);
    return error_text([&] { page_html(page); });
  };
  EXPECT_EQ(message([](Page& page) { page.curves[0].id = "table-1"; }), "page: two parts have the id 'table-1'");
  EXPECT_EQ(message([](Page& page) { page.tables[0].id = "a b"; }),
            "page: the id 'a b' of a table must be made of letters, digits, '-' and '_'");
  EXPECT_EQ(message([](Page& page) { page.tables[0].rows[0].cells["mae"].value = 1; }),
            "page: table table-1, row 'factorgcn': there is no column 'mae'");
  EXPECT_EQ(message([](Page& page) { page.heatmaps[0].panels[0].values.pop_back(); }),
            "page: heat map heat, panel 'gcn': 3 values for 2 rows and columns");
  EXPECT_EQ(message([](Page& page) {
              page.heatmaps[0].panels[0].blocks = {2, 1};
            }),
            "page: heat map heat, panel 'gcn': its blocks have 3 rows, the matrix has 2");
  EXPECT_EQ(message([](Page& page) { page.lines[0].series[0].y.push_back(1); }),
            "page: chart lambda, series 'ours': needs one value for each of 2 x");
  const auto sample = [&](const std::function<void(PageSample&)>& change) {
    return message([&](Page& page) { change(page.factor_graphs[0].samples[0]); });
  };
  const std::string where = "page: factor graphs graphs, sample 16000: ";
  EXPECT_EQ(sample([](PageSample& s) { s.layers[0].coefficients.pop_back(); }),
            where + "3 coefficients for 2 edges and 2 factors");
  EXPECT_EQ(sample([](PageSample& s) { s.layers[0].coefficients[0] = 1.5F; }),
            where + "a coefficient is 1.5; 0 to 1 can be shown");
  EXPECT_EQ(sample([](PageSample& s) { s.layers[0].coefficients[0] = std::numeric_limits<float>::quiet_NaN(); }),
            where + "a coefficient is nan; 0 to 1 can be shown");
  EXPECT_EQ(sample([](PageSample& s) { s.edges[1] = 3; }), where + "node 3 is not among 3");
  EXPECT_EQ(sample([](PageSample& s) { std::swap(s.edges[0], s.edges[1]); }),
            where + "edge 0 goes from 1 to 0; the smaller node comes first");
  EXPECT_EQ(sample([](PageSample& s) { s.truth[0].edges[0] = 2; }), where + "edge 2 is not among 2");
  EXPECT_EQ(sample([](PageSample& s) { s.truth[0].type = 2; }), where + "relation type 2 is not among 2");
  EXPECT_EQ(sample([](PageSample& s) { s.layers[0].matches[0].factor = 2; }), where + "factor 2 is not among 2");
  EXPECT_EQ(sample([](PageSample& s) { s.layers[0].matches[0].truth = 1; }), where + "true relation 1 is not among 1");
  EXPECT_EQ(sample([](PageSample& s) { s.node_labels.pop_back(); }), where + "2 names for 3 nodes");
  EXPECT_EQ(sample([](PageSample& s) {
              s.edges = {1, 2, 0, 1};
            }),
            where + "edge 1, 0 to 1, comes after 1 to 2; edges must ascend");
  EXPECT_EQ(sample([](PageSample& s) { s.directions[0] = 3; }), where + "a direction is 3; 0, 1 and 2 are known");
  EXPECT_EQ(sample([](PageSample& s) { s.certainty.pop_back(); }), where + "the certainty of 1 edges; there are 2");
  EXPECT_EQ(sample([](PageSample& s) { s.colours[0][0] = 2; }), where + "colour 2 of 'class' is not among 2");
  EXPECT_EQ(sample([](PageSample& s) { s.colours.clear(); }), where + "0 colours of nodes for 1 colourings");
  EXPECT_EQ(sample([](PageSample& s) { s.layers.clear(); }), where + "0 readings of 1 layers");
  EXPECT_EQ(message([](Page& page) { page.confusions[0].counts.pop_back(); }),
            "page: confusion confusion: 3 counts for 2 classes");
  EXPECT_EQ(message([](Page& page) { page.reliabilities[0].bins[0].said = 2; }),
            "page: reliability reliability: a value is 2; 0 to 1 can be shown");
  EXPECT_EQ(message([](Page& page) { page.factor_graphs[0].samples.push_back(page.factor_graphs[0].samples[0]); }),
            "page: factor graphs graphs: two samples have the id '16000'");
}

TEST(Page, IsWrittenWholeOrNotAtAll) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "page.html";
  write_page(file, example());
  EXPECT_EQ(read_file(file), page_html(example()));
  Page bad = example();
  bad.factor_graphs[0].layers[0].factors.clear();
  EXPECT_THROW(write_page(file, bad), Error);
  EXPECT_EQ(read_file(file), page_html(example()));  // the former page stays
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  const std::string text = error_text([&] { write_page(folder.path() / "absent" / "page.html", example()); });
  EXPECT_NE(text.find("absent"), std::string::npos) << text;
}

TEST(Page, TimeIsReadable) {
  EXPECT_TRUE(std::regex_match(page_time_now(), std::regex("2\\d{3}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC")));
}

}  // namespace
}  // namespace factorgcn
