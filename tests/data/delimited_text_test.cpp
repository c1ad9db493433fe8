// Delimited text: separators, headers, quotes, line ends, and that every wrong byte is answered with its line.
#include "data/delimited_text.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "data/shown_text.h"

namespace factorgcn {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Rows rows_of(const TextTable& table) {
  Rows rows(table.num_rows());
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    for (std::size_t column = 0; column < table.num_columns(); ++column) {
      rows[row].emplace_back(table.cell(row, column));
    }
  }
  return rows;
}

TextTable read(std::string_view text, DelimitedOptions options = {}) {
  options.known_names = {"source", "target", "id"};
  return read_delimited(text, "t.csv", options);
}

Rows rows_without_header(std::string_view text, Separator separator = Separator::kDetect) {
  DelimitedOptions options;
  options.separator = separator;
  options.header = Header::kNo;
  return rows_of(read(text, options));
}

TEST(DelimitedText, SeparatorsAreDetected) {
  const Rows expected{{"a", "b c"}, {"d", "e"}};
  EXPECT_EQ(rows_without_header("a,b c\nd,e\n"), expected);
  EXPECT_EQ(rows_without_header("a\tb c\nd\te\n"), expected);
  EXPECT_EQ(rows_without_header("a;b c\nd;e\n"), expected);
  EXPECT_EQ(rows_without_header("a \"b c\"\n  d   e  \n"), expected);
  EXPECT_EQ(rows_without_header("1;2,5\n3;4,5\n"), (Rows{{"1", "2.5"}, {"3", "4.5"}}));
  EXPECT_EQ(rows_without_header("\"x,y\" z\n"), (Rows{{"x,y", "z"}}));
  EXPECT_EQ(rows_without_header("a\tb, c\n"), (Rows{{"a", "b, c"}}));
}

TEST(DelimitedText, ChosenSeparatorWins) {
  EXPECT_EQ(rows_without_header("a,b;c\n", Separator::kComma), (Rows{{"a", "b;c"}}));
  EXPECT_EQ(rows_without_header("a,b;c\n", Separator::kSemicolon), (Rows{{"a,b", "c"}}));
  EXPECT_EQ(rows_without_header("a,b\tc d\n", Separator::kBlanks), (Rows{{"a,b", "c", "d"}}));
  EXPECT_EQ(rows_without_header("a,b\tc d\n", Separator::kTab), (Rows{{"a,b", "c d"}}));
}

TEST(DelimitedText, LineEndsCommentsAndByteOrderMark) {
  const Rows expected{{"1", "2"}, {"3", "4"}};
  EXPECT_EQ(rows_without_header("1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(rows_without_header("1,2\r3,4"), expected);
  EXPECT_EQ(rows_without_header("\xEF\xBB\xBF"
                                "1,2\n3,4"),
            expected);
  EXPECT_EQ(rows_without_header("# one\n\n1,2\n% two\n   \n  # three\n3,4\n\n"), expected);
}

TEST(DelimitedText, QuotedFields) {
  EXPECT_EQ(rows_without_header("\"a \"\"b\"\" c\",\"d,e\nf\" , g\n"), (Rows{{"a \"b\" c", "d,e\nf", "g"}}));
  EXPECT_EQ(rows_without_header("5\" disk,\"\"\n"), (Rows{{"5\" disk", ""}}));
  EXPECT_EQ(rows_without_header(",,\n a ,, b \n"), (Rows{{"", "", ""}, {"a", "", "b"}}));
  EXPECT_EQ(rows_without_header("\"# no comment\",1\n"), (Rows{{"# no comment", "1"}}));
}

TEST(DelimitedText, LinesAreCountedThroughCommentsAndQuotes) {
  const TextTable table = read("# c\r\nsource,target\r\n\"a\r\nb\",c\r\n\r\nd,e");
  EXPECT_TRUE(table.has_header);
  EXPECT_EQ(table.places, (std::vector<std::uint64_t>{3, 6}));
  EXPECT_EQ(table.where(1), "t.csv, line 6");
}

TEST(DelimitedText, HeadersAreDetected) {
  EXPECT_TRUE(read("Source,weight\na,b\n").has_header);          // a known name
  EXPECT_TRUE(read("person,age\nann,31\nbob,NA\n").has_header);  // numbers below words
  EXPECT_FALSE(read("ann,bob\nbob,carl\n").has_header);
  EXPECT_FALSE(read("1,2\n2,3\n").has_header);
  EXPECT_FALSE(read("ann,7\n7,bob\n").has_header);  // names and numbers mixed: all is data
  EXPECT_FALSE(read("ann,bob\n7,8\ncarl,dora\n").has_header);
  DelimitedOptions options;
  options.asked_names = {"who"};
  EXPECT_TRUE(read("who,whom\na,b\n", options).has_header);
  options.enough_known = 2;
  options.asked_names.clear();
  EXPECT_FALSE(read("source,x\na,b\n", options).has_header);
  EXPECT_FALSE(read("source,source\na,b\n", options).has_header);
  EXPECT_TRUE(read("source,target\na,b\n", options).has_header);
  options.header = Header::kNo;
  EXPECT_EQ(read("source,target\na,b\n", options).num_rows(), 2U);
  options.header = Header::kYes;
  EXPECT_EQ(read("1,2\n3,4\n", options).columns, (std::vector<std::string>{"1", "2"}));
}

TEST(DelimitedText, RowsWithoutHeaderKeepTheFirstInFront) {
  const TextTable table = read("a,bb\n,c\n");
  EXPECT_EQ(rows_of(table), (Rows{{"a", "bb"}, {"", "c"}}));
  EXPECT_EQ(table.columns, (std::vector<std::string>{"column 1", "column 2"}));
  EXPECT_EQ(table.places, (std::vector<std::uint64_t>{1, 2}));
}

TEST(DelimitedText, AFirstRowThatMayBeAHeaderIsSaidToBe) {
  const TextTable lonely = read_delimited("person,friend\nann,bob\nbob,cid\n", "edges.csv");
  EXPECT_EQ(lonely.num_rows(), 3U);
  ASSERT_EQ(lonely.notes.size(), 1U);
  EXPECT_NE(lonely.notes.front().find("edges.csv, line 1: "), std::string::npos) << lonely.notes.front();
  EXPECT_NE(lonely.notes.front().find("--header yes"), std::string::npos) << lonely.notes.front();

  EXPECT_TRUE(read_delimited("ann,bob\nbob,cid\n", "edges.csv").notes.empty());
  EXPECT_TRUE(read_delimited("1,2\n3,4\n", "edges.csv").notes.empty());
  EXPECT_TRUE(read_delimited("ann,bob\n", "edges.csv").notes.empty());
  DelimitedOptions sure;
  sure.header = Header::kNo;
  EXPECT_TRUE(read_delimited("person,friend\nann,bob\n", "edges.csv", sure).notes.empty());
}

TEST(DelimitedText, FurtherWordsJoinTheLastColumnWhereAsked) {
  DelimitedOptions options;
  options.words_join_last = true;
  const TextTable table = read("id role\n1 PhD (on visit)\n2 Admin\n", options);
  EXPECT_EQ(rows_of(table), (Rows{{"1", "PhD (on visit)"}, {"2", "Admin"}}));
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_NE(table.notes.front().find("line 2 has more words"), std::string::npos) << table.notes.front();
  const auto error = [&](std::string_view text) { return error_text([&] { read(text, options); }); };
  EXPECT_NE(error("a b\nc d e\n").find("t.csv, line 2: 3 fields"), std::string::npos);      // no header
  EXPECT_NE(error("id,role\n1,a,b\n").find("t.csv, line 2: 3 fields"), std::string::npos);  // no blanks
  options.words_join_last = false;
  EXPECT_NE(error("id role\n1 PhD x\n").find("t.csv, line 2: 3 fields"), std::string::npos);
}

TEST(DelimitedText, WrongTextIsAnsweredWithItsLine) {
  const auto error = [](std::string_view text) { return error_text([&] { read(text); }); };
  EXPECT_EQ(error(""), "t.csv: it holds no rows; at least one line was expected");
  EXPECT_EQ(error("# only\n\n"), "t.csv: it holds no rows; at least one line was expected");
  EXPECT_NE(error("a,b\nc\n").find("t.csv, line 2: 1 field separated by commas, but line 1 has 2"), std::string::npos);
  EXPECT_NE(error("a,b\n\nc,d,e\n").find("t.csv, line 3: 3 fields"), std::string::npos);
  EXPECT_NE(error("a,b\n\"c,d\n").find("t.csv, line 2: a quote is opened here"), std::string::npos);
  EXPECT_NE(error("a,\"b\"c\n").find("t.csv, line 1: after the closing quote of 'b' comes 'c'"), std::string::npos);
  EXPECT_NE(error("a,b\nc,\xFF\n").find("t.csv, line 2: the byte 255"), std::string::npos);
  EXPECT_NE(error("a,b\nc,\xC3").find("t.csv, line 2: the byte 195"), std::string::npos);
  EXPECT_NE(error(std::string("a\0b", 3)).find("t.csv, line 1: a zero byte"), std::string::npos);
}

TEST(DelimitedText, Numbers) {
  double value = 0;
  for (const auto& [text, expected] : {std::pair{"12", 12.0}, std::pair{"-0.5", -0.5}, std::pair{"+3", 3.0},
                                       std::pair{"1e-400", 0.0}, std::pair{"1E3", 1000.0}}) {
    EXPECT_TRUE(parse_decimal(text, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
  EXPECT_TRUE(parse_decimal("1e400", value));
  EXPECT_GT(value, 1e308);
  for (const char* text : {"", "+", "+-1", "1x", "x", " 1", "0x10", "1,5", "--1"}) {
    EXPECT_FALSE(parse_decimal(text, value)) << text;
  }
}

TEST(ShownText, IsOneShortLine) {
  EXPECT_EQ(shown_text("a\nb\xFF"), "'a?b?'");
  EXPECT_EQ(shown_text("\xC3\xA9"), "'\xC3\xA9'");
  EXPECT_EQ(shown_text(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
  // A character is not cut in two.
  EXPECT_EQ(shown_text(std::string(39, 'x') + "\xC3\xA9"), "'" + std::string(39, 'x') + "...'");
}

TEST(ShownText, Utf8IsCheckedToTheLetter) {
  for (const char* good : {"a", "\xC2\x80", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(utf8_length(good), std::string_view(good).size());
  }
  for (const char* bad : {"", "\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                          "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82", "\xC3("}) {
    EXPECT_EQ(utf8_length(bad), 0U) << shown_text(bad);
  }
}

TEST(MissingValues, AreFewWords) {
  for (const char* missing : {"", "NA", "N/A", "nan", "NaN", "NAN", "null", "NULL"}) {
    EXPECT_TRUE(is_missing_value(missing)) << missing;
  }
  for (const char* value : {"Na", "na", "0", "none", "None", "-", "name"}) {
    EXPECT_FALSE(is_missing_value(value)) << value;
  }
}

TEST(DelimitedText, DecimalCommasOfSpreadsheets) {
  const TextTable table = read("Name;Height (m);Income;Places;Note\nann;1,70;1.234,5;1,2,3;x\nbob;;900;4,5,6;1,5\n");
  EXPECT_TRUE(table.has_header) << "a column of numbers with commas below it";
  EXPECT_EQ(rows_of(table), (Rows{{"ann", "1.70", "1234.5", "1,2,3", "x"}, {"bob", "", "900", "4,5,6", "1,5"}}));
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0],
            "t.csv: commas in 'Height (m)' and 'Income' are decimal commas (a list of numbers is written with blanks)");
  EXPECT_EQ(rows_without_header("a\t-0,5e3\nb\t+1,0\n"), (Rows{{"a", "-0.5e3"}, {"b", "+1.0"}}));
  // Other columns stay as they are.
  EXPECT_EQ(rows_without_header("a;1,\nb;2,5\n"), (Rows{{"a", "1,"}, {"b", "2,5"}}));
  EXPECT_EQ(rows_without_header("a;12.34,5\nb;2,5\n"), (Rows{{"a", "12.34,5"}, {"b", "2,5"}}));
  EXPECT_EQ(rows_without_header("a,\"1,5\"\nb,\"2,5\"\n"), (Rows{{"a", "1,5"}, {"b", "2,5"}})) << "a list";
}

TEST(DelimitedText, TheSeparatorThatASpreadsheetNames) {
  EXPECT_EQ(rows_without_header("sep=;\r\na,b;c\r\nd;e\r\n"), (Rows{{"a,b", "c"}, {"d", "e"}}));
  EXPECT_EQ(rows_without_header("\xEF\xBB\xBFsep=\t\na\tb\n"), (Rows{{"a", "b"}}));
  EXPECT_EQ(rows_without_header("SEP=,\na,b;c\n", Separator::kSemicolon), (Rows{{"a,b", "c"}}));
  EXPECT_EQ(rows_without_header("sep=x y\n"), (Rows{{"sep=x", "y"}}));
  EXPECT_NE(error_text([] { read("sep=,\n"); }).find("it holds no rows"), std::string::npos);
}

TEST(DelimitedText, ATitleInFrontIsGuessed) {
  EXPECT_NE(error_text([] { read("Our friends 2024\n\nfrom,to\na,b\n"); }).find("if line 1 is a title, remove it"),
            std::string::npos);
  EXPECT_EQ(error_text([] { read("from,to\na,b\nc\n"); }).find("title"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
