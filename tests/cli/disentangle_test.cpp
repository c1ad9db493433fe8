// `factorgcn disentangle` as a user meets it: a file in, a folder out; interrupted, called again, misused.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/holds.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

/// Nodes i of two relations: the tens of i, and its ones, in rings so that groups are not too dense.
std::string two_relations_csv() {
  std::string text = "from,to,kind\n";
  for (int node = 0; node < 40; ++node) {
    for (int other = node + 1; other < 40; ++other) {
      if (node / 10 == other / 10) {
        text += "n" + std::to_string(node) + ",n" + std::to_string(other) + ",tens\n";
      }
      if (node % 10 == other % 10) {
        text += "n" + std::to_string(node) + ",n" + std::to_string(other) + ",ones\n";
      }
    }
  }
  return text;
}

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string kLinks = " --method link-communities --relations 2 ";

TEST(Disentangle, WritesAFolderAndSaysWhatIsInIt) {
  const Workplace place;
  place.write("g.csv", two_relations_csv());
  const Outcome outcome = place.run("disentangle g.csv" + kLinks + "--truth kind");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"40 nodes, 240 edges", "relation 1", "Relation AUC 1.000", "tens", "g-relations"}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << " is missing in:\n" << outcome.out;
  }
  EXPECT_EQ(count_lines(place.read("g-relations/edges.csv")), 241U);
  EXPECT_EQ(count_lines(place.read("g-relations/groups.csv")), 41U);
  EXPECT_EQ(place.read_json("g-relations/summary.json").at("truth").at("relation_auc"), 1.0);
  EXPECT_TRUE(place.has("g-relations/factors.graphml"));
  EXPECT_TRUE(place.has("g-relations/page.html"));
  EXPECT_TRUE(holds(outcome.out, place.read("g-relations/report.txt")));
}

TEST(Disentangle, TheSameAgainIsReadAndAnotherSeedIsRefused) {
  const Workplace place;
  place.write("g.csv", two_relations_csv());
  ASSERT_EQ(place.run("disentangle g.csv" + kLinks + "--out r").code, 0);
  const std::string before = place.read("r/edges.csv");
  const Outcome again = place.run("disentangle g.csv" + kLinks + "--out r --threads 1");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(holds(again.out, "This result was in r already"));
  expect_refused(place.run("disentangle g.csv" + kLinks + "--out r --seed 1"), {"seed is 1 instead of 0", "--force"});
  EXPECT_EQ(place.run("disentangle g.csv" + kLinks + "--out r --seed 1 --force").code, 0);
  EXPECT_EQ(place.read("r/edges.csv"), before);
}

TEST(Disentangle, TakesDataSetsAndRuns) {
  const Workplace place;
  ASSERT_EQ(place.run("data make relations --nodes 60 --relations 2 --groups 3 --out m.safetensors").code, 0);
  const Outcome outcome = place.run("disentangle m.safetensors" + kLinks);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "60 nodes"));
  EXPECT_TRUE(holds(outcome.out, "Relation AUC"));
  EXPECT_FALSE(holds(outcome.out, "self loops"));  // those added for training are no one's edges
  ASSERT_EQ(place.run("train" + kSmall + "--out run --no-page --quiet").code, 0);
  expect_refused(place.run("disentangle run" + kLinks), {"graphs; choose one with --graph-number"});
  EXPECT_EQ(place.run("disentangle run --graph-number 3" + kLinks + "--out one").code, 0);
}

TEST(Disentangle, SaysWhatIsWrong) {
  const Workplace place;
  place.write("g.csv", "from,to\na,b\nb,c\n");
  expect_refused(place.run("disentangle g.csv --method luvain"), {"--method 'luvain' is unknown"});
  expect_refused(place.run("disentangle g.csv --method factorgcn"), {"give --relations K"});
  expect_refused(place.run("disentangle g.csv --relations two"), {"--relations 'two': give a whole number"});
  expect_refused(place.run("disentangle g.csv --known nowhere.csv"), {"nowhere.csv", "no such file"});
  expect_refused(place.run("disentangle h.csv"), {"h.csv"});
  expect_refused(place.run("disentangle g.csv --nodes people.csv"), {"there is no file people.csv"});
  place.write("w.csv", "from,to,weight\na,b,-2\n");
  const Outcome outcome = place.run("disentangle w.csv" + kLinks);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(holds(outcome.err, "w.csv, line 2: the weight is -2")) << outcome.err;
}

TEST(Disentangle, TheSmallestGraphs) {
  const Workplace place;
  place.write("one.csv", "from,to\na,b\n");
  place.write("loop.csv", "from,to\na,a\n");
  EXPECT_EQ(place.run("disentangle one.csv" + kLinks).code, 0);
  const Outcome loop = place.run("disentangle loop.csv" + kLinks);
  EXPECT_EQ(loop.code, 0) << loop.err;
  EXPECT_TRUE(holds(loop.out, "nothing to take apart"));
}

}  // namespace
}  // namespace factorgcn::cli
