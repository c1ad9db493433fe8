// The page of a run from the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/holds.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

nlohmann::json page_data(const std::string& html) {
  const std::string start = "id=\"factorgcn-data\">";
  const std::size_t from = html.find(start) + start.size();
  return nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(PageCommand, ARunWritesItsPageAndSaysSo) {
  const Workplace place;
  const Outcome outcome = place.run("train --quiet --out x" + kSmall);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "The page, for a browser: x/page.html\n")) << outcome.out;
  const nlohmann::json data = page_data(place.read("x/page.html"));
  const nlohmann::json metrics = place.read_json("x/metrics.json");
  const nlohmann::json& table = data.at("tables").at(0);
  EXPECT_EQ(table.at("protocol"), "corrected");
  const nlohmann::json& cells = table.at("rows").at(0).at("cells");
  for (const char* metric : {"micro_f1", "ged_e", "c_score"}) {
    EXPECT_EQ(cells.at(metric).at("value"), metrics.at("test").at(metric)) << metric;
  }
  EXPECT_EQ(cells.at("ged_e").at("paper"), 10.59);
  EXPECT_EQ(cells.at("ged_e").at("deviation"), metrics.at("test").at("ged_e_std"));
  EXPECT_EQ(data.at("factor_graphs").at(0).at("samples").size(), 40U);
  const nlohmann::json& run = data.at("curves").at(0).at("runs").at(0);
  EXPECT_EQ(run.at("best"), metrics.at("best_epoch"));
  EXPECT_EQ(run.at("series").at(0).at("values").size(), 3U);
  EXPECT_EQ(run.at("series").at(0).at("values").at(2), place.read_lines("x/history.jsonl").at(2).at("loss"));
  EXPECT_TRUE(holds(data.at("notes").dump(), "Not the paper's setting: ")) << data.at("notes").dump();
}

TEST(PageCommand, CanBeLeftOutAndWrittenLater) {
  const Workplace place;
  const Outcome outcome = place.run("train --quiet --no-page --out x" + kSmall);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(holds(outcome.out, "page.html"));
  EXPECT_FALSE(place.has("x/page.html"));
  const Outcome later = place.run("page x --samples 7");
  EXPECT_EQ(later.code, 0) << later.err;
  EXPECT_EQ(later.out, "The page is x/page.html\n");
  EXPECT_EQ(page_data(place.read("x/page.html")).at("factor_graphs").at(0).at("samples").size(), 7U);
  EXPECT_EQ(place.run("page x --samples 0 --out y.html").code, 0);
  EXPECT_TRUE(page_data(place.read("y.html")).at("factor_graphs").empty());
}

TEST(PageCommand, RefusesWhatIsNoRun) {
  const Workplace place;
  expect_refused(place.run("page nowhere"), {"nowhere", "does not exist"});
  expect_refused(place.run("page"), {"RUN"});
  expect_refused(place.run("page nowhere --samples -3"), {"--samples"});
}

}  // namespace
}  // namespace factorgcn::cli
