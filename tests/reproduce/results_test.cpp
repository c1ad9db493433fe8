// Tables from the files of finished runs: means, deviations, units, the paper's values, what is missing and why.
#include "factorgcn/reproduce/results.h"

#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/temporary_folder.h"
#include "factorgcn/base/files.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

class Results : public ::testing::Test {
 protected:
  void finish_run(const std::string& name, const std::map<std::string, double>& test) const {
    RunMetrics metrics;
    metrics.dataset = "synthetic";
    metrics.model = "factorgcn";
    metrics.seconds = 30;
    metrics.test = test;
    const fs::path folder = run_folder(out_, name);
    fs::create_directories(folder);
    write_file_atomically(RunPaths(folder).metrics, to_json(metrics).dump());
  }

  static Plan plan_of(const RunGroup& group, const std::vector<PlannedColumn>& columns) {
    Plan plan;
    plan.groups = {group};
    for (const std::string& run : group.runs) {
      plan.runs.push_back({run, nlohmann::json::object(), false});
    }
    PlannedTable table;
    table.id = "table-1";
    table.title = "A table";
    table.columns = columns;
    table.rows = {{"FactorGCN", std::vector<std::string>(columns.size(), group.name)}};
    plan.tables = {table};
    return plan;
  }

  TemporaryFolder temporary_;
  const fs::path out_ = temporary_.path();
};

const RunGroup kFactorGcn{"synthetic-4/factorgcn",
                          "synthetic",
                          "factorgcn",
                          4,
                          {"synthetic-4/factorgcn/seed-0", "synthetic-4/factorgcn/seed-1"}};
const std::vector<PlannedColumn> kColumns{{"f1", "micro-F1", "micro_f1", "", 3}, {"ged", "GED_E", "ged_e", "", 2}};

TEST_F(Results, MeansAndDeviationsOverSeeds) {
  finish_run("synthetic-4/factorgcn/seed-0", {{"micro_f1", 0.98}, {"ged_e", 10.0}, {"ged_e_std", 4.0}});
  finish_run("synthetic-4/factorgcn/seed-1", {{"micro_f1", 1.0}, {"ged_e", 12.0}, {"ged_e_std", 5.0}});
  const Page page = reproduction_page(plan_of(kFactorGcn, kColumns), out_, "table-1", {});
  const PageCell& f1 = page.tables.at(0).rows.at(0).cells.at("f1");
  EXPECT_NEAR(*f1.value, 0.99, 1e-12);
  EXPECT_NEAR(*f1.deviation, 0.01, 1e-12);
  EXPECT_EQ(f1.count, 2);
  EXPECT_EQ(*f1.paper, 0.995);
  EXPECT_EQ(f1.note, "");
  const PageCell& ged = page.tables[0].rows[0].cells.at("ged");
  EXPECT_NEAR(*ged.value, 11, 1e-12);
  EXPECT_NEAR(*ged.deviation, 4.5, 1e-12) << "over samples, as the paper has it";
  EXPECT_EQ(page.facts.at(0).value, "2 of 2");
  EXPECT_EQ(page.tables[0].columns[1].better, PageBetter::kLower);
}

TEST_F(Results, ALoneSeedHasNoDeviationAndSaysSo) {
  finish_run("synthetic-4/factorgcn/seed-1", {{"micro_f1", 0.97}});
  const Page page = reproduction_page(plan_of(kFactorGcn, kColumns), out_, "table-1", {});
  const PageCell& f1 = page.tables.at(0).rows.at(0).cells.at("f1");
  EXPECT_EQ(*f1.value, 0.97);
  EXPECT_FALSE(f1.deviation.has_value());
  EXPECT_EQ(f1.note, "1 of 2 runs");
  EXPECT_FALSE(page.tables[0].rows[0].cells.at("ged").value.has_value());
}

TEST_F(Results, WhatFailedIsToldWhereItIsMissing) {
  RunOutcome failed;
  failed.name = "synthetic-4/factorgcn/seed-0";
  failed.state = RunOutcome::State::kFailed;
  failed.message = "exit code 1: no disk";
  const Page page = reproduction_page(plan_of(kFactorGcn, kColumns), out_, "table-1", {failed});
  const PageCell& f1 = page.tables.at(0).rows.at(0).cells.at("f1");
  EXPECT_FALSE(f1.value.has_value());
  EXPECT_EQ(f1.note, "synthetic-4/factorgcn/seed-0 failed: exit code 1: no disk");
  EXPECT_EQ(*f1.paper, 0.995) << "the paper's value stands there anyway";
}

TEST_F(Results, FoldsAreInPercentAndThePaperStandsBesideItsOwnProtocol) {
  const RunGroup group{"mutag/gin", "mutag", "gin", 0, {"mutag/gin/seed-0"}};
  FoldMetrics metrics;
  metrics.shared.dataset = "mutag";
  metrics.shared.model = "gin";
  metrics.protocols = {{"published", 0.9, 0.05, {0.85, 0.95}, {3, 3}}, {"corrected", 0.8, 0.1, {0.7, 0.9}, {1, 2}}};
  const fs::path folder = run_folder(out_, "mutag/gin/seed-0");
  fs::create_directories(folder);
  write_file_atomically(RunPaths(folder).metrics, to_json(metrics).dump());
  write_file_atomically(folder / "folds.json", std::string_view("{}"));
  const Page page = reproduction_page(
      plan_of(group, {{"p", "published", "accuracy", "published", 1}, {"c", "corrected", "accuracy", "corrected", 1}}),
      out_, "table-4", {});
  const PageRow& row = page.tables.at(0).rows.at(0);
  EXPECT_NEAR(*row.cells.at("p").value, 90, 1e-9);
  EXPECT_NEAR(*row.cells.at("p").deviation, 5, 1e-9);
  EXPECT_EQ(*row.cells.at("p").paper, 89.4);
  EXPECT_NEAR(*row.cells.at("c").value, 80, 1e-9);
  EXPECT_FALSE(row.cells.at("c").paper.has_value());
}

TEST_F(Results, LinesLeaveGapsWhereRunsAreMissing) {
  Plan plan = plan_of(kFactorGcn, kColumns);
  plan.groups.push_back({"synthetic-4/none", "synthetic", "factorgcn", 4, {"synthetic-4/none/seed-0"}});
  plan.curves = {{"figure-x", "X", "lambda", {0, 1}, {kFactorGcn.name, "synthetic-4/none"}, {"micro_f1"}}};
  finish_run("synthetic-4/factorgcn/seed-0", {{"micro_f1", 0.98}});
  const Page page = reproduction_page(plan, out_, "figure", {});
  ASSERT_EQ(page.lines.size(), 1U);
  EXPECT_EQ(page.lines[0].series.at(0).y.at(0), 0.98);
  EXPECT_TRUE(std::isnan(page.lines[0].series[0].y.at(1)));
}

TEST_F(Results, EveryTableAndFigureBecomesFiles) {
  Plan plan = plan_of(kFactorGcn, kColumns);
  plan.curves = {{"figure-x", "X", "lambda", {0}, {kFactorGcn.name}, {"micro_f1", "ged_e"}}};
  finish_run("synthetic-4/factorgcn/seed-0", {{"micro_f1", 0.98}, {"ged_e", 10.0}});
  const auto files = write_reproduction(reproduction_page(plan, out_, "table-1", {}), out_, "table-1");
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(files.front(), out_ / "table-1.html");
  for (const char* name : {"table-1.md", "table-1.csv", "table-1.tex", "figure-x-micro-f1.svg", "figure-x-ged-e.svg"}) {
    EXPECT_TRUE(fs::exists(out_ / name)) << name;
  }
  EXPECT_NE(read_file(out_ / "table-1.md").find("0.980 (paper 0.995 ± 0.004)"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
