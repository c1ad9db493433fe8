// Tables, compared with layouts written by hand.
#include "factorgcn/report/table.h"

#include <gtest/gtest.h>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

Table example_table() {
  Table table({{"metric"}, {"paper", Align::kPoint}, {"n", Align::kRight}});
  table.add_row({"micro-F1", "0.995 ± 0.004", "5"});
  table.add_row({"GED_E", "10.59 ± 4.37", "400"});
  table.add_row({"none", "-", ""});
  return table;
}

TEST(Table, AlignsColumnsOnDecimalPoints) {
  EXPECT_EQ(example_table().to_text(),
            "  metric     paper              n\n"
            "  ────────   ──────────────   ───\n"
            "  micro-F1    0.995 ± 0.004     5\n"
            "  GED_E      10.59 ± 4.37     400\n"
            "  none        -\n");
}

TEST(Table, HasAnAsciiForm) {
  EXPECT_EQ(example_table().to_text(false, 0),
            "metric     paper                n\n"
            "--------   ----------------   ---\n"
            "micro-F1    0.995 +/- 0.004     5\n"
            "GED_E      10.59 +/- 4.37     400\n"
            "none        -\n");
}

TEST(Table, WritesMarkdown) {
  Table table({{"a|b"}, {"value", Align::kPoint}});
  table.add_row({"x|y", "1.5"});
  EXPECT_EQ(table.to_markdown(),
            "| a\\|b | value |\n"
            "| --- | ---: |\n"
            "| x\\|y | 1.5 |\n");
}

TEST(Table, MeasuresWideCharacters) {
  Table table({{"name"}, {"n"}});
  table.add_row({"\u56fe\u8868\u56fe", "1"});
  table.add_row({"ab", "2"});
  EXPECT_EQ(table.to_text(true, 0), "name     n\n──────   ─\n\u56fe\u8868\u56fe   1\nab       2\n");
}

TEST(Table, RefusesRowsOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_TRUE(table.empty());
  try {
    table.add_row({"only one"});
    FAIL() << "a short row was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a table row has 1 cells, the table 2 columns");
  }
  EXPECT_THROW(Table({}), Error);
}

}  // namespace
}  // namespace factorgcn
