// Runs side by side, from folders as training leaves them: what is paired, what is said, what is not compared.
#include "factorgcn/report/compare_runs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class CompareRuns : public ::testing::Test {
 protected:
  struct Made {
    double accuracy = 0.8, arm = 0.05;
    std::string dataset = "d", status = "finished", model = "gcn";
    std::int64_t best_epoch = 3, samples = 100;
  };

  void make(const fs::path& folder, std::uint64_t seed, const Made& made) const {
    fs::create_directories(folder);
    RunConfig config;
    config.model = made.model;
    config.seed = seed;
    config.dataset = made.dataset;
    write_file_atomically(folder / "config.json", to_json(config).dump());
    const json metrics{{"dataset", made.dataset},
                       {"model", made.model},
                       {"seed", seed},
                       {"status", made.status},
                       {"protocol", "corrected"},
                       {"best_epoch", made.best_epoch},
                       {"seconds", 1},
                       {"metric", "accuracy"},
                       {"splits", {{"accuracy", "test"}}},
                       {"samples", {{"test", made.samples}}},
                       {"validation", {{"accuracy", made.accuracy}}},
                       {"test", {{"accuracy", made.accuracy}}},
                       {"chance", {{"accuracy", 0.5}}},
                       {"intervals", {{"accuracy", {made.accuracy - made.arm, made.accuracy + made.arm}}}}};
    write_file_atomically(folder / "metrics.json", metrics.dump());
    write_file_atomically(folder / "history.jsonl",
                          R"({"epoch": 1, "loss": 1, "task_loss": 1, "regulariser": 0, "validation": {"loss": 1, )"
                          R"("accuracy": 0.5}, "learning_rate": 0.1, "best": true, "seconds": 0.1})"
                          "\n");
  }

  fs::path run(const std::string& name, const Made& made, std::uint64_t seed = 0) const {
    make(folder_ / name, seed, made);
    return folder_ / name;
  }

  fs::path seeds(const std::string& name, const std::vector<std::uint64_t>& numbers,
                 const std::vector<double>& accuracies) const {
    write_seed_plan(folder_ / name, {json::object(), numbers, false, true});
    for (std::size_t index = 0; index < numbers.size(); ++index) {
      make(seed_run_folder(folder_ / name, numbers[index]), numbers[index], {.accuracy = accuracies[index]});
    }
    return folder_ / name;
  }

  static RunComparison compare(std::vector<fs::path> folders) { return compare_runs(folders); }
  static const Difference& difference(const RunComparison& comparison, std::size_t side = 1) {
    for (const ComparedPair& pair : comparison.pairs) {
      if (pair.side == side && pair.metric == "accuracy") {
        return pair.difference;
      }
    }
    throw Error("there is no such pair");
  }

  TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(CompareRuns, TheSameSeedsArePaired) {
  const auto both = compare({seeds("a", {0, 1, 2}, {0.5, 0.7, 0.9}), seeds("b", {2, 0, 1}, {0.91, 0.512, 0.711})});
  const Difference& found = difference(both);
  EXPECT_EQ(found.how, Comparison::kPaired);
  EXPECT_EQ(found.pairs, 3);
  EXPECT_NEAR(found.value, 0.011, 1e-12);
  EXPECT_EQ(found.more_than_noise(), true);
  const std::string words = pair_in_words(both, both.pairs.front());
  EXPECT_NE(words.find("B is better than A in accuracy in % by 1.10"), std::string::npos) << words;
  EXPECT_NE(words.find("more than noise"), std::string::npos) << words;
}

TEST_F(CompareRuns, OtherSeedsAreTwoGroups) {
  const auto both = compare({seeds("a", {0, 1, 2}, {0.5, 0.7, 0.9}), seeds("b", {3, 4}, {0.8, 0.6})});
  EXPECT_EQ(difference(both).how, Comparison::kUnpaired);
  EXPECT_EQ(difference(both).more_than_noise(), false);
}

TEST_F(CompareRuns, OneRunAgainstSeveralAndOneAgainstOne) {
  const fs::path a = seeds("a", {0, 1, 2}, {0.50, 0.51, 0.52});
  EXPECT_EQ(difference(compare({a, run("b", {.accuracy = 0.9})})).how, Comparison::kOneToMany);
  const auto ones = compare({run("c", {.accuracy = 0.8}), run("d", {.accuracy = 0.85})});
  EXPECT_EQ(difference(ones).how, Comparison::kOneToOne);
  EXPECT_EQ(difference(ones).more_than_noise(), false);
  EXPECT_EQ(difference(compare({run("e", {.accuracy = 0.7}), run("f", {.accuracy = 0.85})})).more_than_noise(), true);
}

TEST_F(CompareRuns, SeedsThatChangeNothingSayNothingAboutChance) {
  const auto both = compare({seeds("a", {0, 1}, {0.80, 0.80}), seeds("b", {0, 1}, {0.82, 0.82})});
  EXPECT_EQ(difference(both).how, Comparison::kOneToOne);
  EXPECT_EQ(difference(both).more_than_noise(), false);
}

TEST_F(CompareRuns, MoreSidesMakeWiderIntervals) {
  const fs::path a = seeds("a", {0, 1, 2}, {0.5, 0.6, 0.7}), b = seeds("b", {0, 1, 2}, {0.55, 0.66, 0.78});
  const auto two = compare({a, b}), three = compare({a, b, seeds("c", {0, 1, 2}, {0.5, 0.6, 0.9})});
  EXPECT_EQ(two.level, 0.95);
  EXPECT_EQ(three.level, 0.975);
  EXPECT_GT(difference(three).interval->high, difference(two).interval->high);
}

TEST_F(CompareRuns, UnlikeThingsAreNotCompared) {
  const fs::path a = run("a", {});
  const auto other_data = compare({a, run("b", {.dataset = "e"})});
  EXPECT_EQ(other_data.pairs.front().not_comparable, "other data");
  EXPECT_NE(pair_in_words(other_data, other_data.pairs.front()).find("cannot be compared"), std::string::npos);
  EXPECT_NE(compare({a, run("c", {.samples = 90})}).pairs.front().not_comparable, "");
}

TEST_F(CompareRuns, SettingsThatDifferAreNamed) {
  const auto both = compare({run("a", {.model = "gcn"}), run("b", {.model = "gat"}, 4)});
  std::map<std::string, std::vector<std::string>> found(both.settings.begin(), both.settings.end());
  EXPECT_EQ(found.at("model"), (std::vector<std::string>{"gcn", "gat"}));
  EXPECT_EQ(found.at("seed"), (std::vector<std::string>{"0", "4"}));
  EXPECT_FALSE(found.contains("out"));
  EXPECT_TRUE(compare({seeds("c", {0, 1}, {0.5, 0.6}), seeds("d", {2, 3}, {0.5, 0.6})}).settings.empty());
}

TEST_F(CompareRuns, ARunThatDivergedAtOnceHasNoScore) {
  const auto both = compare({run("a", {}), run("b", {.status = "diverged", .best_epoch = 0})});
  EXPECT_TRUE(both.pairs.empty());
  EXPECT_NE(both.sides[1].note, "");
  const std::string report = comparison_report(both, {.utf8 = true});
  EXPECT_NE(report.find("diverged before any epoch"), std::string::npos) << report;
}

TEST_F(CompareRuns, WhatIsNoRunIsRefused) {
  const fs::path a = run("a", {});
  EXPECT_THROW(compare({a}), UsageError);
  EXPECT_THROW(compare({a, folder_ / "nothing"}), UsageError);
  fs::create_directories(folder_ / "begun");
  write_file_atomically(folder_ / "begun/config.json", to_json(RunConfig()).dump());
  EXPECT_NE(error_text([&] { compare({a, folder_ / "begun"}); }).find("no scores yet"), std::string::npos);
}

TEST_F(CompareRuns, PageAndJsonHoldWhatTheTextSays) {
  const auto both = compare({seeds("a", {0, 1, 2}, {0.5, 0.7, 0.9}), seeds("b", {0, 1, 2}, {0.51, 0.712, 0.911})});
  const Page page = comparison_page(both);
  EXPECT_NO_THROW(check_page(page));
  ASSERT_FALSE(page.lines.empty());
  EXPECT_EQ(page.lines.front().series.size(), 2U);
  const auto object = to_json(both);
  EXPECT_EQ(object.at("runs").size(), 2U);
  EXPECT_EQ(object.at("differences")[0].at("how"), "paired");
  EXPECT_EQ(object.at("differences")[0].at("more_than_noise"), true);
  EXPECT_NEAR(object.at("runs")[0].at("scores").at("accuracy").at("mean").get<double>(), 0.7, 1e-12);
}

}  // namespace
}  // namespace factorgcn
