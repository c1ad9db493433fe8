// Files and words of an outcome made by hand.
#include "factorgcn/disentangle/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/holds.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/data/known_edges.h"
#include "factorgcn/disentangle/page.h"
#include "factorgcn/disentangle/summary.h"
#include "factorgcn/disentangle/words.h"
#include "factorgcn/io/graphml.h"

namespace factorgcn {
namespace {

using factorgcn::testing::holds;
namespace fs = std::filesystem;

NamedGraph friends() {
  NamedGraph graph;
  graph.name = "friends.csv";
  graph.nodes = {"ann", "bob, the elder", "cyd", "<dan>"};
  graph.sources = {0, 1, 2};
  graph.targets = {1, 2, 0};
  graph.self_loops = {2};
  graph.notes = {"a note about the file"};
  graph.truth_names = {"work", "club"};
  graph.truth = {1, 0, 1, 0, 0, 1};
  return graph;
}

DisentangleOutcome outcome_by_hand() {
  DisentangleOutcome outcome;
  outcome.method = "groups";
  outcome.relations.resize(2);
  outcome.relations[0] = {"work", "work: same team", 0, 0, 2, {1, 1, 2, 0}, {1, 0.75F, 1, 0}, 0.95, "team", 0.91, 0.1};
  outcome.relations[1] = {"source", "source", 0, 0, 1, {1, 1, 1, 0}, {1, 1, 1, 0}, 0.5, "", kNotKnown, kNotKnown};
  outcome.shares = {0.75F, 0.25F, 0.5F, 0.5F, 0.125F, 0.875F};
  count_shares(outcome);
  outcome.certainty = {1, 0.5F, 0.95F};
  outcome.ask = {1, 0};
  outcome.candidates = {{0, 0, 9.5, kNotKnown, false}, {2, 2, 8.25, kNotKnown, true}};
  outcome.evidence = RelationsEvidence{RelationsVerdict::kUnstable, 0.5, 0.25, 0.01, 4};
  outcome.truth = RelationAuc{0.9, 0.55, 0.02, {0.8, 1.0}, {0, 1}, {2, 1}, 3};
  return outcome;
}

class DisentangleFiles : public ::testing::Test {
 protected:
  DisentangleFiles() : folder_(fs::temp_directory_path() / concat("factorgcn-files-", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~DisentangleFiles() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(DisentangleFiles, EveryEdgeOfTheInputStandsInTheTableOnce) {
  write_edges_file(folder_ / "edges.csv", friends(), outcome_by_hand());
  EXPECT_EQ(read_file(folder_ / "edges.csv"),
            "source,target,work,relation source,strongest,certainty\n"
            "ann,\"bob, the elder\",0.75,0.25,work,1\n"
            "\"bob, the elder\",cyd,0.5,0.5,work,0.5\n"
            "cyd,ann,0.125,0.875,source,0.95\n"
            "cyd,cyd,,,,\n");
}

TEST_F(DisentangleFiles, NodesWithoutEdgesHaveNoGroup) {
  write_groups_file(folder_ / "groups.csv", friends(), outcome_by_hand());
  EXPECT_EQ(read_file(folder_ / "groups.csv"),
            "node,work,work_membership,relation source,relation source_membership\n"
            "ann,1,1,1,1\n"
            "\"bob, the elder\",1,0.75,1,1\n"
            "cyd,2,1,1,1\n"
            "<dan>,,,,\n");
}

TEST_F(DisentangleFiles, TheGraphComesBackAsItWas) {
  if (!can_read_graphml()) {
    GTEST_SKIP() << "this build reads no GraphML";
  }
  write_graph_file(folder_ / "factors.graphml", friends(), outcome_by_hand());
  const GraphTables tables = read_graphml(read_file(folder_ / "factors.graphml"), "factors.graphml");
  EXPECT_EQ(tables.edges.num_rows(), 4U);
  ASSERT_TRUE(tables.nodes.has_value());
  EXPECT_EQ(tables.nodes->num_rows(), 4U);
  const auto& columns = tables.nodes->columns;
  const auto named = std::find_if(columns.begin(), columns.end(), [&](const std::string& column) {
    return tables.nodes->cell(3, static_cast<std::size_t>(&column - columns.data())) == "<dan>";
  });
  EXPECT_NE(named, columns.end());
}

TEST_F(DisentangleFiles, QuestionsAreTakenBackOnceFilledIn) {
  const NamedGraph graph = friends();
  write_ask_file(folder_ / "ask.csv", graph, outcome_by_hand());
  const std::string asked = read_file(folder_ / "ask.csv");
  EXPECT_EQ(asked,
            "source,target,relation,guess,certainty\n"
            "\"bob, the elder\",cyd,,work,0.5\n"
            "ann,\"bob, the elder\",,work,1\n");
  EXPECT_THROW(read_known(asked, "ask.csv", graph), Error);  // nothing is filled in yet
  std::string answered = asked;
  answered.replace(answered.find("cyd,,"), 5, "cyd,club;work,");
  const KnownRelations known = read_known(answered, "ask.csv", graph);
  EXPECT_EQ(known.names, (std::vector<std::string>{"club", "work"}));
  EXPECT_EQ(known.edges, (std::vector<std::int64_t>{1}));
}

TEST(DisentangleWords, TheReportSaysWhatIsKnownAndHowSure) {
  const std::string report = outcome_report(friends(), outcome_by_hand(), true, 100);
  for (const char* part :
       {"4 nodes, 3 edges", "repeated attempts disagree", "work: same team (0.91, chance 0.10)", "0.95 stable",
        "0.50 shaky", "group 1, 2 nodes: ann, bob, the elder", "Of 3 edges, 2 are certain", "1 are doubtful", "8.250",
        "chosen", "Relation AUC 0.900; shuffled edges reach 0.550 ± 0.020 (3 edges)", "a note about the file"}) {
    EXPECT_TRUE(holds(report, part)) << part << " is missing in:\n" << report;
  }
}

TEST(DisentangleWords, NamesCannotBreakLines) {
  NamedGraph graph = friends();
  graph.nodes[0] = "ann\nBEWARE\x1b[31m";
  EXPECT_EQ(members_words(graph, {1, 3, {0, 2}}), "ann?BEWARE?[31m, cyd and 1 more");
}

TEST(DisentangleWords, WhatIsNotMeasuredIsNotMadeUp) {
  DisentangleOutcome outcome = outcome_by_hand();
  outcome.evidence.reset();
  outcome.certainty.clear();
  outcome.candidates.clear();
  outcome.truth.reset();
  outcome.relations[0].stability = kNotKnown;
  EXPECT_EQ(verdict_words(outcome), "");
  EXPECT_EQ(certainty_words(outcome), "");
  EXPECT_EQ(truth_words(outcome), "");
  EXPECT_TRUE(holds(outcome_report(friends(), outcome, true, 100), "not measured"));
  const auto summary = summary_json(friends(), outcome, {{"seed", 0}});
  EXPECT_FALSE(summary.contains("verdict"));
  EXPECT_FALSE(summary.contains("truth"));
  EXPECT_TRUE(summary["relations"][0]["stability"].is_null());
}

TEST(DisentangleWords, ThePageHoldsTogether) {
  const Page page = disentangle_page(friends(), outcome_by_hand(), {{"seed", 0}});
  EXPECT_NO_THROW(check_page(page));
  EXPECT_EQ(page.tables.size(), 4U);
}

}  // namespace
}  // namespace factorgcn
