// Plans: what they ask for, that runs are shared, and that each configuration is one the program accepts.
#include "factorgcn/reproduce/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "factorgcn/base/error.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {
namespace {

std::set<std::string> names_of(const Plan& plan) {
  std::set<std::string> names;
  for (const PlannedRun& run : plan.runs) {
    EXPECT_TRUE(names.insert(run.name).second) << run.name << " is planned twice";
  }
  return names;
}

TEST(Plan, TableOneHasNineRowsAndFiveSeeds) {
  const Plan plan = make_plan("table-1");
  EXPECT_EQ(names_of(plan).size(), 45U);
  ASSERT_EQ(plan.tables.size(), 1U);
  EXPECT_EQ(plan.tables[0].rows.size(), 9U);
  EXPECT_EQ(plan.tables[0].rows[5].label, "FactorGCN");
  EXPECT_EQ(plan.tables[0].rows[5].groups[0], "synthetic-4/factorgcn");
  const PlannedRun& first = plan.runs.front();
  EXPECT_EQ(first.name, "synthetic-4/mlp/seed-0");
  EXPECT_EQ(first.layer.at("data").at("factors"), 4);
  EXPECT_EQ(first.layer.at("seed"), 0);
  EXPECT_FALSE(first.folds);
}

TEST(Plan, TableOneHasARowOfSixFactors) {
  for (const bool quick : {false, true}) {
    const Plan plan = make_plan("table-1", {.quick = quick});
    const PlannedTable::Row& row = plan.tables.at(0).rows.at(6);
    EXPECT_EQ(row.label, "FactorGCN, 6 factors");
    const RunGroup& group = plan.group(row.groups.at(0));
    EXPECT_EQ(group.name, "synthetic-4/factorgcn-k6-hidden36");
    EXPECT_EQ(group.runs.size(), quick ? 1U : 5U);
    // These three find the paper's values: those of its FactorGCN.
    EXPECT_EQ(group.dataset, "synthetic");
    EXPECT_EQ(group.model, "factorgcn");
    EXPECT_EQ(group.factors, 4);
    EXPECT_NE(find_paper_value(group.dataset, group.factors, group.model, "ged_e"), nullptr);
    const auto run = std::find_if(plan.runs.begin(), plan.runs.end(),
                                  [&](const PlannedRun& each) { return each.name == group.runs.front(); });
    ASSERT_NE(run, plan.runs.end());
    const RunConfig config = resolve_config(std::array{run->layer});
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(config.model_settings.at("factors")),
              (std::vector<std::int64_t>{6, 3}));
    EXPECT_EQ(std::get<std::int64_t>(config.model_settings.at("hidden")), 36);
    // Nothing else differs from the published run.
    nlohmann::json layer = run->layer;
    layer.erase("model_settings");
    EXPECT_EQ(layer, (nlohmann::json{
                         {"dataset", "synthetic"}, {"model", "factorgcn"}, {"seed", 0}, {"data", {{"factors", 4}}}}));
    EXPECT_NE(plan.tables[0].caption.find("FactorGCN, 6 factors"), std::string::npos) << "the row is explained";
  }
}

TEST(Plan, OurOwnModelStandsApartAndSaysSo) {
  for (const char* target : {"table-1", "table-2"}) {
    for (const bool quick : {false, true}) {
      const Plan plan = make_plan(target, {.quick = quick});
      const PlannedTable& table = plan.tables.at(0);
      EXPECT_EQ(table.rows.back().label, "aligned (ours)");
      EXPECT_NE(table.caption.find("aligned (ours) is this library's own model"), std::string::npos);
      for (const std::string& name : table.rows.back().groups) {
        const RunGroup& group = plan.group(name);
        EXPECT_EQ(find_paper_value(group.dataset, group.factors, group.model, "micro_f1"), nullptr);
        const auto run = std::find_if(plan.runs.begin(), plan.runs.end(),
                                      [&](const PlannedRun& each) { return each.name == group.runs.front(); });
        ASSERT_NE(run, plan.runs.end());
        const RunConfig config = resolve_config(std::array{run->layer});
        EXPECT_EQ(config.preset, "ours");
        EXPECT_EQ(config.starts == 1, quick);
      }
    }
  }
  const Plan figure = make_plan("figure-factors");
  ASSERT_EQ(figure.factors.size(), 2U);
  EXPECT_EQ(figure.factors[1].group, "synthetic-4/aligned");
}

TEST(Plan, TableThreeHasARowOfSmallerBatches) {
  const Plan plan = make_plan("table-3");
  const PlannedTable::Row& row = plan.tables.at(0).rows.at(6);
  EXPECT_EQ(row.label, "FactorGCN, batches of 500");
  const RunGroup& group = plan.group(row.groups.at(0));
  EXPECT_EQ(group.name, "zinc/factorgcn-batch500");
  EXPECT_EQ(group.runs.size(), 3U);
  const auto run = std::find_if(plan.runs.begin(), plan.runs.end(),
                                [&](const PlannedRun& each) { return each.name == group.runs.front(); });
  ASSERT_NE(run, plan.runs.end());
  EXPECT_EQ(run->layer,
            (nlohmann::json{{"dataset", "zinc"}, {"model", "factorgcn"}, {"seed", 0}, {"batch_size", 500}}));
  EXPECT_NE(plan.tables[0].caption.find(row.label), std::string::npos) << "the row is explained";
}

TEST(Plan, SeedsAreAsAsked) {
  EXPECT_EQ(make_plan("table-1", {.seeds = 2}).runs.size(), 18U);
  EXPECT_EQ(make_plan("table-1", {.quick = true}).runs.size(), 9U);
  EXPECT_EQ(make_plan("table-1", {.seeds = 3, .quick = true}).runs.size(), 27U);
  EXPECT_THROW(make_plan("table-1", {.seeds = -1}), UsageError);
}

TEST(Plan, AllSharesRuns) {
  const Plan all = make_plan("all");
  const std::set<std::string> names = names_of(all);
  std::size_t separately = 0;
  for (const std::string& target : reproduction_targets()) {
    const Plan plan = make_plan(target);
    separately += plan.runs.size();
    for (const PlannedRun& run : plan.runs) {
      EXPECT_TRUE(names.count(run.name) > 0) << run.name << " of " << target;
    }
  }
  EXPECT_LT(all.runs.size(), separately);
  EXPECT_EQ(all.tables.size(), 5U);
  EXPECT_EQ(all.curves.size(), 2U);
}

TEST(Plan, EveryCellHasAGroupOfRuns) {
  const Plan plan = make_plan("all");
  for (const PlannedTable& table : plan.tables) {
    for (const PlannedTable::Row& row : table.rows) {
      ASSERT_EQ(row.groups.size(), table.columns.size()) << table.id << " " << row.label;
      for (const std::string& group : row.groups) {
        EXPECT_FALSE(plan.group(group).runs.empty());
      }
    }
  }
}

TEST(Plan, CoversEveryValueOfThePaper) {
  // Each number printed in the paper must have a cell that it stands beside.
  const Plan plan = make_plan("all");
  for (const PaperValue& value : paper_values()) {
    bool found = false;
    for (const PlannedTable& table : plan.tables) {
      if (table.id != "table-" + std::to_string(value.table)) {
        continue;
      }
      for (const PlannedTable::Row& row : table.rows) {
        for (std::size_t index = 0; index < table.columns.size(); ++index) {
          const RunGroup& group = plan.group(row.groups[index]);
          const std::string& metric = table.columns[index].metric;
          found = found || (group.dataset == value.dataset && group.model == value.model &&
                            (value.factors == 0 || group.factors == value.factors) && metric == value.metric);
        }
      }
    }
    EXPECT_TRUE(found) << "table " << value.table << ": " << value.dataset << " " << value.model << " " << value.metric;
  }
}

TEST(Plan, QuickSaysWhatItLeavesOut) {
  EXPECT_TRUE(make_plan("all").left_out.empty());
  for (const std::string& target : reproduction_targets()) {
    EXPECT_FALSE(make_plan(target, {.quick = true}).left_out.empty()) << target;
  }
  EXPECT_LT(make_plan("all", {.quick = true}).runs.size(), make_plan("all").runs.size());
}

TEST(Plan, LongCrossValidationsComeFirst) {
  const Plan plan = make_plan("table-4");
  std::vector<std::string> sets;
  for (const PlannedRun& run : plan.runs) {
    EXPECT_TRUE(run.folds) << run.name;
    const std::string set = run.layer.at("dataset");
    if (sets.empty() || sets.back() != set) {
      sets.push_back(set);
    }
  }
  EXPECT_EQ(sets, (std::vector<std::string>{"collab", "imdb-b", "mutag"}));
  EXPECT_EQ(plan.tables.at(0).columns.front().label, "IMDB-B, published") << "columns are in the paper's order";
}

TEST(Plan, SensitivityVariesOneThing) {
  const Plan plan = make_plan("figure-sensitivity", {.seeds = 1});
  ASSERT_EQ(plan.curves.size(), 2U);
  const PlannedCurve& lambda = plan.curves[0];
  for (std::size_t i = 0; i < lambda.x.size(); ++i) {
    const std::string run = plan.group(lambda.groups[i]).runs.front();
    for (const PlannedRun& each : plan.runs) {
      if (each.name == run) {
        EXPECT_EQ(each.layer.at("lambda").get<double>(), lambda.x[i]);
        EXPECT_EQ(each.layer.at("model_settings").at("factors").at(0), 8);
      }
    }
  }
  // lambda 0.2 with eight factors belongs to both curves and is trained once.
  EXPECT_EQ(plan.runs.size(), lambda.x.size() + plan.curves[1].x.size() - 1);
}

TEST(Plan, UnknownTargetNamesTheNearest) {
  try {
    make_plan("table-6");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'table-6'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("did you mean table-"), std::string::npos);
  }
}

}  // namespace
}  // namespace factorgcn
