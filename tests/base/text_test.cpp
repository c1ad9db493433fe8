// Widths, wrapping, durations: values written down by hand.
#include "factorgcn/base/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace factorgcn {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("micro-F1"), 8);
  EXPECT_EQ(display_width("0.995 ± 0.004"), 13);
  EXPECT_EQ(display_width("──"), 2);
  EXPECT_EQ(display_width("e\u0301"), 1);       // combining acute accent
  EXPECT_EQ(display_width("\u56fe\u8868"), 4);  // two wide characters
  EXPECT_EQ(display_width("\U0001F600"), 2);    // beyond the basic plane
}

TEST(DisplayWidth, TakesInvalidBytesOneByOne) {
  EXPECT_EQ(display_width("a\xff\xfe"
                          "b"),
            4);
  EXPECT_EQ(display_width("\xe2\x94"), 2);  // cut in the middle of a character
  EXPECT_EQ(display_width("\xc2"
                          "a"),
            2);  // lead byte without its continuation
}

TEST(PadToWidth, AlignsByColumns) {
  EXPECT_EQ(pad_to_width("±1", 4), "±1  ");
  EXPECT_EQ(pad_to_width("±1", 4, Align::kRight), "  ±1");
  EXPECT_EQ(pad_to_width("too long", 3), "too long");
}

TEST(CutToWidth, NeverSplitsACharacter) {
  EXPECT_EQ(cut_to_width("a±b", 2), "a±");
  EXPECT_EQ(cut_to_width("\u56fe\u8868", 3), "\u56fe");
  EXPECT_EQ(cut_to_width("abc", 0), "");
  EXPECT_EQ(cut_to_width("abc", 10), "abc");
}

TEST(WrapText, FillsLinesAndKeepsNewlines) {
  EXPECT_EQ(wrap_text("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap_text("one two three", 9, 2), "  one two\n  three");
  EXPECT_EQ(wrap_text("one\n\ntwo", 20), "one\n\ntwo");
  EXPECT_EQ(wrap_text("unbreakable a", 4), "unbreakable\na");
  EXPECT_EQ(wrap_text("", 10), "");
}

TEST(ToAscii, ReplacesWhatThisProgramPrints) {
  EXPECT_EQ(to_ascii("0.995 ± 0.004"), "0.995 +/- 0.004");
  EXPECT_EQ(to_ascii("█░─…"), "#--...");
  EXPECT_EQ(to_ascii("caf\u00e9/run \xff"), "caf\u00e9/run \xff") << "names of files must stay what they are";
}

TEST(FormatDuration, ChoosesUnits) {
  EXPECT_EQ(format_duration(0.44), "0.4 s");
  EXPECT_EQ(format_duration(8.2), "8 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(65), "1 min 05 s");
  EXPECT_EQ(format_duration(7380), "2 h 03 min");
  EXPECT_EQ(format_duration(3 * 86400 + 4 * 3600), "3 d 04 h");
  EXPECT_EQ(format_duration(-1), "?");
  EXPECT_EQ(format_duration(NAN), "?");
  EXPECT_EQ(format_duration(INFINITY), "?");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
  EXPECT_EQ(format_count(-123), "-123");
}

TEST(FormatBytes, RoundsToThreeOrFourDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(999'949), "999.9 kB");
  EXPECT_EQ(format_bytes(999'950), "1.0 MB");
  EXPECT_EQ(format_bytes(12'345'678), "12.3 MB");
  EXPECT_EQ(format_bytes(8ULL << 30), "8.6 GB");
  EXPECT_EQ(format_bytes(~0ULL), "18446744.1 TB");
}

TEST(FormatFixed, RoundsToDecimals) {
  EXPECT_EQ(format_fixed(0.99546, 4), "0.9955");
  EXPECT_EQ(format_fixed(10.5, 2), "10.50");
  EXPECT_EQ(format_fixed(-0.5, 0), "-0");
  EXPECT_EQ(format_fixed(2e20, 1), "200000000000000000000.0");
  EXPECT_EQ(format_fixed(NAN, 2), "nan");
  EXPECT_EQ(format_fixed(-INFINITY, 2), "-inf");
}

}  // namespace
}  // namespace factorgcn
