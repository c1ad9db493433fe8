// A search, with a shell script in the program's place: which trials there are, what chooses, what is kept.
#include "factorgcn/reproduce/search.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "base/error_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/reproduce/search_report.h"
#include "factorgcn/train/seed_runs.h"
#include "reproduce/fake_program.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

SearchPlan small_search(const std::vector<std::string>& over) {
  SearchPlan plan;
  plan.layer = {{"dataset", "synthetic"},
                {"data", {{"train", 20}, {"validation", 10}, {"test", 10}}},
                {"model", "gcn"},
                {"epochs", 1}};
  for (const std::string& text : over) {
    plan.over.push_back(parse_searched_setting(text));
  }
  return plan;
}

std::vector<std::string> names_of(const std::vector<Trial>& trials) {
  std::vector<std::string> names;
  for (const Trial& trial : trials) {
    names.push_back(trial.name);
  }
  return names;
}

TEST(SearchedSetting, NamesAreThoseOfTrain) {
  EXPECT_EQ(parse_searched_setting("hidden=32,64").key, "model_settings.hidden");
  EXPECT_EQ(parse_searched_setting("learning-rate=0.1").key, "learning_rate");
  EXPECT_EQ(parse_searched_setting("schedule.kind=step,none").key, "schedule.kind");
  EXPECT_EQ(parse_searched_setting("model=gcn,gat").key, "model");
  EXPECT_EQ(parse_searched_setting("factors=8,4:4,4").values, (std::vector<std::string>{"8,4", "4,4"}));
  for (const char* wrong : {"hidden", "hidden=", "=3", "hidden=1,,2", "hidden=1,1", "seed=1,2", "data.factors=2,3",
                            "dataset=a,b", "threads=1,2", "protocol=published,corrected"}) {
    EXPECT_THROW(parse_searched_setting(wrong), UsageError) << wrong;
  }
}

TEST(Trials, AreTheWholeGridWhereItIsSmall) {
  const SearchPlan plan = small_search({"hidden=8,16", "lambda=0,0.5"});
  EXPECT_EQ(names_of(list_trials(plan)), (std::vector<std::string>{"hidden=8,lambda=0", "hidden=8,lambda=0.5",
                                                                   "hidden=16,lambda=0", "hidden=16,lambda=0.5"}));
  const Trial last = list_trials(plan).back();
  EXPECT_EQ(last.layer.at("model_settings").at("hidden"), 16);
  EXPECT_EQ(last.layer.at("lambda"), 0.5);
}

TEST(Trials, TheSameSettingTwiceIsRefused) {
  EXPECT_THROW(list_trials(small_search({"hidden=8,16", "model_settings.hidden=4"})), UsageError);
  EXPECT_THROW(list_trials(small_search({})), UsageError);
}

TEST(Trials, DrawnOnesDoNotRepeatAndMoreAddToFewer) {
  rc::check([] {
    SearchPlan plan = small_search({"hidden=1,2,3,4,5,6,7", "lambda=0,1,2,3,4", "epochs=1,2,3"});
    plan.seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
    plan.trials = *rc::gen::inRange<std::int64_t>(1, 104);
    const auto fewer = names_of(list_trials(plan));
    RC_ASSERT(fewer.size() == static_cast<std::size_t>(plan.trials));
    RC_ASSERT(std::set<std::string>(fewer.begin(), fewer.end()).size() == fewer.size());
    ++plan.trials;
    if (plan.trials < 105) {
      const auto more = names_of(list_trials(plan));
      RC_ASSERT(std::equal(fewer.begin(), fewer.end(), more.begin()));
    }
  });
}

TEST(Trials, OfAHugeGridAreAFew) {
  std::string values = "0";
  for (int value = 1; value < 1000; ++value) {
    values += "," + std::to_string(value);
  }
  const SearchPlan plan = small_search({"hidden=" + values, "lambda=" + values, "epochs=" + values});
  EXPECT_EQ(count_combinations(plan), 1'000'000'000);
  EXPECT_EQ(list_trials(plan).size(), static_cast<std::size_t>(kUsualTrials));
  EXPECT_THROW(list_trials(small_search({"a=" + values, "b=" + values, "c=" + values, "d=" + values, "e=" + values})),
               UsageError);
}

TEST(Trials, NamesAreFoldersWhateverTheValues) {
  const Trial trial = list_trials(small_search({"activation=../../x,y"})).front();
  EXPECT_EQ(trial.name.find('/'), std::string::npos) << trial.name;
  std::string long_value(400, 'v');
  EXPECT_LT(list_trials(small_search({"activation=" + long_value}))[0].name.size(), 255U);
}

class Search : public FakeProgram {
 protected:
  /// Validation scores by width; the test scores rank the other way round.
  void scores() const {
    program(
        "status=finished\n"
        "case \"$out\" in\n"
        "  *hidden=8*) v=0.5; t=0.9;;\n"
        "  *hidden=16*) v=0.7; t=0.6;;\n"
        "  *hidden=24*) echo no memory; exit 1;;\n"
        "  *hidden=32*) v=0.99; t=0.99; status=diverged;;\n"
        "esac\n"
        "echo \"{\\\"metric\\\": \\\"micro_f1\\\", \\\"status\\\": \\\"$status\\\", \\\"seconds\\\": 1,\"\\\n"
        "  \"\\\"validation\\\": {\\\"micro_f1\\\": $v, \\\"loss\\\": 0.3},\"\\\n"
        "  \"\\\"splits\\\": {\\\"micro_f1\\\": \\\"test\\\"},\"\\\n"
        "  \"\\\"test\\\": {\\\"micro_f1\\\": $t}}\" > \"$out/metrics.json\"");
  }
};

TEST_F(Search, ValidationAloneChooses) {
  scores();
  const SearchPlan plan = small_search({"hidden=8,16,24,32"});
  const SearchResult result = run_search(plan, options_, observer_);
  ASSERT_TRUE(result.chosen);
  EXPECT_EQ(result.trials[*result.chosen].trial.name, "hidden=16");
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.trials[0].validation.mean, 0.7);
  EXPECT_EQ(result.trials[1].trial.name, "hidden=8");
  std::set<TrialResult::State> others{result.trials[2].state, result.trials[3].state};
  EXPECT_EQ(others, (std::set{TrialResult::State::kDiverged, TrialResult::State::kFailed}));

  const auto json = nlohmann::json::parse(read_file(options_.out / "metrics.json"));
  EXPECT_EQ(json.at("chosen"), "hidden=16");
  EXPECT_EQ(json.at("test").at("micro_f1"), 0.6);
  EXPECT_EQ(nlohmann::json::parse(read_file(options_.out / "chosen.json")).at("model_settings").at("hidden"), 16);

  const std::string report = search_report(result, plan, {.utf8 = true});
  EXPECT_NE(report.find("0.6000"), std::string::npos) << report;
  EXPECT_EQ(report.find("0.9000"), std::string::npos) << "another trial's test score is shown:\n" << report;
  EXPECT_EQ(report.find("0.9900"), std::string::npos) << report;
  EXPECT_NE(report.find("no memory"), std::string::npos) << report;
  EXPECT_NE(report.find("diverged"), std::string::npos) << report;
  EXPECT_NO_THROW(check_page(search_page(options_.out)));
}

TEST_F(Search, ARepeatedSearchTrainsWhatIsMissing) {
  scores();
  run_search(small_search({"hidden=8"}), options_, observer_);
  EXPECT_EQ(calls().size(), 1U);
  const SearchResult wider = run_search(small_search({"hidden=8,16"}), options_, observer_);
  EXPECT_EQ(calls().size(), 2U);
  EXPECT_EQ(wider.trials[0].trial.name, "hidden=16");
  run_search(small_search({"hidden=8,16"}), options_, observer_);
  EXPECT_EQ(calls().size(), 2U) << "a finished trial was repeated";

  SearchPlan seeds = small_search({"hidden=8,16"});
  seeds.seeds = {0, 1, 2};
  const SearchResult several = run_search(seeds, options_, observer_);
  EXPECT_EQ(calls().size(), 6U);
  EXPECT_EQ(several.trials[0].validation.runs, 3);
  EXPECT_EQ(several.test_of_chosen.size(), 3U);
  EXPECT_TRUE(is_seed_folder(run_folder(options_.out, "hidden=16")));
}

TEST_F(Search, SmallerIsBetterWhereTheMetricSaysSo) {
  program(
      "case \"$out\" in *hidden=8*) v=0.5;; *) v=0.7;; esac\n"
      "echo \"{\\\"metric\\\": \\\"mae\\\", \\\"validation\\\": {\\\"mae\\\": $v}, \\\"test\\\": {\\\"mae\\\": 1}}\" > "
      "\"$out/metrics.json\"");
  EXPECT_EQ(run_search(small_search({"hidden=16,8"}), options_, observer_).trials[0].trial.name, "hidden=8");
}

TEST_F(Search, ANameNobodyKnowsIsSaidBeforeAnythingIsTrained) {
  scores();
  EXPECT_NE(error_text([&] { run_search(small_search({"hiden=8,16"}), options_, observer_); }).find("did you mean"),
            std::string::npos);
  EXPECT_TRUE(calls().empty());
  EXPECT_FALSE(fs::exists(options_.out));
}

TEST_F(Search, SettingsThatDoNotFitEachOtherStopNothing) {
  scores();
  SearchPlan plan = small_search({"hidden=8,16", "factors=2,3"});
  plan.layer["model"] = "factorgcn";
  const SearchResult result = run_search(plan, options_, observer_);
  EXPECT_TRUE(result.chosen);
  for (const TrialResult& each : result.trials) {
    if (each.state == TrialResult::State::kFailed) {
      EXPECT_NE(each.message, "");
    }
  }
}

TEST_F(Search, AFolderOfOtherThingsIsRefused) {
  scores();
  fs::create_directories(options_.out);
  write_file_atomically(options_.out / "thesis.txt", "years of work");
  EXPECT_THROW(run_search(small_search({"hidden=8"}), options_, observer_), UsageError);
  SearchPlan published = small_search({"hidden=8"});
  published.layer["protocol"] = "published";
  options_.out = folder_ / "other";
  EXPECT_NE(error_text([&] { run_search(published, options_, observer_); }).find("may choose on test"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
