// `factorgcn disentangle` as a user meets it: a file in, a folder out; interrupted, called again, misused.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

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

const std::string kLinks = " --method link-communities --relations 2 --bootstrap 0 ";

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

TEST(Disentangle, GoesOnAfterCtrlCAndEndsAsIfItHadNeverStopped) {
  const Workplace place;
  ASSERT_EQ(place.run("data make relations --nodes 250 --relations 3 --groups 5 --out m.safetensors").code, 0);
  const std::string how = "disentangle m.safetensors --relations 3 --groups 5 --bootstrap 4 --quiet --out ";
  Child child = place.start(how + "stopped");
  ASSERT_TRUE(child.wait_until([&] { return place.has("stopped/steps"); })) << child.wait().err;
  child.send(SIGINT);
  const Outcome stopped = child.wait();
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_TRUE(holds(stopped.err, "the same command goes on")) << stopped.err;
  EXPECT_FALSE(place.has("stopped/summary.json"));
  ASSERT_EQ(place.run(how + "stopped").code, 0);
  ASSERT_EQ(place.run(how + "whole --threads 1").code, 0);
  for (const std::string file : {"edges.csv", "groups.csv", "factors.graphml", "report.txt", "summary.json"}) {
    EXPECT_EQ(place.read("stopped/" + file), place.read("whole/" + file)) << file;
  }
  EXPECT_FALSE(place.has("stopped/steps"));
}

TEST(Disentangle, FindsPlantedRelationsAndSaysHowSure) {
  const Workplace place;
  ASSERT_EQ(place.run("data make relations --nodes 120 --relations 2 --groups 4 --inside 0.4 --out m.safetensors").code,
            0);
  const Outcome outcome = place.run("disentangle m.safetensors --relations 2 --groups 4 --bootstrap 4 --out r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = place.read_json("r/summary.json");
  EXPECT_GT(summary.at("truth").at("relation_auc"), 0.9) << outcome.out;
  EXPECT_LT(summary.at("truth").at("chance"), 0.6);
  EXPECT_EQ(summary.at("verdict"), "several relations") << outcome.out;
  EXPECT_GT(summary.at("relations").at(0).at("stability"), 0.8) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "are certain")) << outcome.out;
}

TEST(Disentangle, TakesItsQuestionsBackFilledIn) {
  const Workplace place;
  place.write("g.csv", two_relations_csv());
  const std::string how = "disentangle g.csv --truth kind --relations 2 --groups 7 --bootstrap 2 ";
  const Outcome first = place.run(how + "--ask 12 --out r");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_TRUE(
      holds(first.out, "disentangle g.csv --relations 2 --groups 7 --ask 12 --truth kind --bootstrap 2 --known "))
      << first.out;
  std::istringstream lines(place.read("r/ask.csv"));
  std::string filled;
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "source,target,relation,guess,certainty");
  filled = line + "\n";
  for (int number = 0; std::getline(lines, line); ++number) {
    const std::size_t first_comma = line.find(',');
    const std::size_t second = line.find(',', first_comma + 1);
    const int source = std::stoi(line.substr(1));
    const int target = std::stoi(line.substr(first_comma + 2));
    const std::string answer = number % 4 == 3 ? "" : source / 10 == target / 10 ? "tens" : "ones";
    filled += line.substr(0, second + 1) + answer + line.substr(second + 1) + "\n";
  }
  EXPECT_EQ(count_lines(filled), 13U);
  place.write("filled.csv", filled);
  const Outcome known = place.run(how + "--known filled.csv --out k");
  ASSERT_EQ(known.code, 0) << known.err;
  const std::string header = place.read("k/edges.csv").substr(0, 18);
  EXPECT_TRUE(header == "source,target,tens" || header == "source,target,ones") << header;
  EXPECT_TRUE(holds(known.out, "known ones left out")) << known.out;
  place.write("wrong.csv", "source,target,relation\nn1,n2,tens\nn1,n99,tens\n");
  const Outcome wrong = place.run(how + "--known wrong.csv --out w");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(holds(wrong.err, "wrong.csv, line 3: node 'n99' is not in the graph")) << wrong.err;
}

TEST(Disentangle, CsAarhusWithTheLayersOfAFewPairs) {
  const char* data = std::getenv("FACTORGCN_TEST_DATA");
  if (data == nullptr) {
    GTEST_SKIP() << "FACTORGCN_TEST_DATA is not set";
  }
  const Workplace place;
  const std::string folder = std::string(data) + "/multilayer/CS-Aarhus/CS-Aarhus_";
  const Outcome outcome =
      place.run("disentangle " + folder + "multiplex.edges --truth 1 --source 2 --target 3 --nodes " + folder +
                "nodes.txt --relation-names " + folder + "layers.txt --relations 5 --bootstrap 2 --out r");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"61 nodes, 353 edges", "lunch", "facebook", "Relation AUC"}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << " is missing in:\n" << outcome.out;
  }
  EXPECT_EQ(count_lines(place.read("r/edges.csv")), 354U);
  const auto truth = place.read_json("r/summary.json").at("truth");
  EXPECT_GT(truth.at("relation_auc"), truth.at("chance"));
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
