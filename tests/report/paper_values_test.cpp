// The paper's numbers: spot checks against the printed tables and consistency of the whole.
#include "factorgcn/report/paper_values.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

namespace factorgcn {
namespace {

std::string printed(std::string_view dataset, int factors, std::string_view model, std::string_view metric) {
  const PaperValue* value = find_paper_value(dataset, factors, model, metric);
  return value == nullptr ? "none" : value->text();
}

TEST(PaperValues, AreThoseOfTheTables) {
  EXPECT_EQ(printed("synthetic", 4, "factorgcn", "micro_f1"), "0.995 ± 0.004");
  EXPECT_EQ(printed("synthetic", 4, "factorgcn", "ged_e"), "10.59 ± 4.37");
  EXPECT_EQ(printed("synthetic", 4, "factorgcn", "c_score"), "0.532 ± 0.044");
  EXPECT_EQ(printed("synthetic", 4, "gat", "ged_e"), "12.59 ± 3.00");
  EXPECT_EQ(printed("synthetic", 2, "factorgcn", "micro_f1"), "1.000 ± 0.000");
  EXPECT_EQ(printed("synthetic", 5, "factorgcn", "micro_f1"), "0.893 ± 0.021");
  EXPECT_EQ(printed("synthetic", 6, "factorgcn", "micro_f1"), "0.813 ± 0.049");
  EXPECT_EQ(printed("zinc", 0, "factorgcn", "mae"), "0.366 ± 0.014");
  EXPECT_EQ(printed("zinc", 4, "gatedgcn_e", "mae"), "0.363 ± 0.009");
  EXPECT_EQ(printed("mutag", 0, "factorgcn", "accuracy"), "89.9 ± 6.5");
  EXPECT_EQ(printed("pattern", 0, "factorgcn", "mean_recall"), "86.57 ± 0.02");
}

TEST(PaperValues, AreMissingWhereThePaperHasNone) {
  EXPECT_EQ(printed("synthetic", 5, "factorgcn", "ged_e"), "none");
  EXPECT_EQ(printed("synthetic", 7, "factorgcn", "micro_f1"), "none");
  EXPECT_EQ(printed("synthetic", 4, "mlp", "c_score"), "none");
  EXPECT_EQ(printed("mine", 4, "factorgcn", "micro_f1"), "none");
}

TEST(PaperValues, AreCompleteAndAgreeBetweenTables) {
  std::map<int, int> per_table;
  std::map<std::tuple<std::string_view, int, std::string_view, std::string_view>, double> means;
  for (const auto& value : paper_values()) {
    ++per_table[value.table];
    const auto [at, fresh] =
        means.emplace(std::tuple(value.dataset, value.factors, value.model, value.metric), value.mean);
    EXPECT_TRUE(fresh || at->second == value.mean) << value.model << " " << value.metric;
    EXPECT_GE(value.deviation, 0);
  }
  // 7 + 5 + 5 cells; 4 models by 5 sizes; 7 + 3 + 3; 7 systems on 3 sets; 7 systems.
  EXPECT_EQ(per_table, (std::map<int, int>{{1, 17}, {2, 20}, {3, 13}, {4, 21}, {5, 7}}));
}

TEST(PaperValues, FactorGcnLeadsOnTheSyntheticData) {
  for (int factors = 2; factors <= 6; ++factors) {
    const double own = find_paper_value("synthetic", factors, "factorgcn", "micro_f1")->mean;
    for (const auto* model : {"mlp", "gcn", "gat"}) {
      EXPECT_GE(own, find_paper_value("synthetic", factors, model, "micro_f1")->mean);
    }
  }
}

}  // namespace
}  // namespace factorgcn
