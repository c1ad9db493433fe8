// A small table in each format, character by character where it matters.
#include "factorgcn/report/table_files.h"

#include <gtest/gtest.h>

#include <cmath>

namespace factorgcn {
namespace {

PageTable small_table() {
  PageTable table;
  table.id = "t";
  table.title = "A & B";
  table.caption = "50 % of it.";
  table.protocol = "corrected";
  table.columns = {{"f1", "micro-F1", PageBetter::kHigher, 3, ""}, {"ged", "GED_E", PageBetter::kLower, 2, ""}};
  PageRow first;
  first.label = "FactorGCN";
  first.emphasis = true;
  PageCell& f1 = first.cells["f1"];
  f1.value = 0.9937;
  f1.deviation = 0.0071;
  f1.count = 5;
  f1.paper = 0.995;
  f1.paper_deviation = 0.004;
  first.cells["ged"].value = 11.27;
  PageRow second;
  second.label = "MLP, \"plain\"";
  second.cells["f1"].paper = 0.94;
  second.cells["f1"].note = second.cells["ged"].note = "run failed";
  table.rows = {first, second};
  return table;
}

TEST(TableFiles, Markdown) {
  const std::string text = table_markdown(small_table());
  EXPECT_NE(text.find("## A & B\n"), std::string::npos) << text;
  EXPECT_NE(text.find("**FactorGCN**"), std::string::npos) << text;
  EXPECT_NE(text.find("0.994 ± 0.007 (paper 0.995 ± 0.004)"), std::string::npos) << text;
  EXPECT_NE(text.find("11.27"), std::string::npos) << text;
  EXPECT_NE(text.find("- (paper 0.940) [1]"), std::string::npos) << text;
  EXPECT_NE(text.find("Protocol: corrected. 50 % of it."), std::string::npos) << text;
  EXPECT_EQ(text.find("[2]"), std::string::npos) << "equal notes share a number";
  EXPECT_NE(text.find("\n[1] run failed\n"), std::string::npos) << text;
}

TEST(TableFiles, CsvHasOneRowPerCell) {
  EXPECT_EQ(table_csv(small_table()),
            "table,row,column,value,deviation,runs,paper,paper_deviation,note\n"
            "t,FactorGCN,f1,0.9937,0.0071,5,0.995,0.004,\n"
            "t,FactorGCN,ged,11.27,,,,,\n"
            "t,\"MLP, \"\"plain\"\"\",f1,,,,0.94,,run failed\n"
            "t,\"MLP, \"\"plain\"\"\",ged,,,,,,run failed\n");
}

TEST(TableFiles, LatexEscapesAndAligns) {
  const std::string text = table_latex(small_table());
  EXPECT_NE(text.find("\\caption{A \\& B. 50 \\% of it."), std::string::npos) << text;
  EXPECT_NE(text.find("\\begin{tabular}{lrr}"), std::string::npos) << text;
  EXPECT_NE(text.find(" & micro-F1 & GED\\_E \\\\"), std::string::npos) << text;
  EXPECT_NE(text.find("\\textbf{FactorGCN} & 0.994 $\\pm$ 0.007 & 11.27 \\\\"), std::string::npos) << text;
  EXPECT_NE(text.find(" & {\\footnotesize 0.995 $\\pm$ 0.004} &  \\\\"), std::string::npos) << text;
  EXPECT_NE(text.find("MLP, \"plain\" & -- & -- \\\\"), std::string::npos) << text;
}

TEST(TableFiles, LatexPassesNoSpecialCharacter) {
  PageTable table = small_table();
  table.title = "\\ ~ ^ { } # $ ±";
  const std::string text = table_latex(table);
  EXPECT_NE(text.find("\\textbackslash{} \\~{} \\^{} \\{ \\} \\# \\$ $\\pm$"), std::string::npos) << text;
}

TEST(TableFiles, NotFiniteIsMissing) {
  PageTable table = small_table();
  table.rows[0].cells["ged"].value = std::nan("");
  EXPECT_NE(table_csv(table).find("t,FactorGCN,ged,,,,,,\n"), std::string::npos);
  EXPECT_EQ(table_markdown(table).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
