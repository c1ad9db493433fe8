// Typed settings: what is accepted, and what the errors say.
#include "factorgcn/base/settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

template <class Action>
std::string usage_error(Action&& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

TEST(Settings, ValuesAndFallbacks) {
  const Settings settings{{"flag", true},
                          {"count", std::int64_t{3}},
                          {"rate", 0.5},
                          {"name", std::string("x")},
                          {"sizes", std::vector<std::int64_t>{4, 2}}};
  SettingsReader reader(settings, "model m");
  EXPECT_TRUE(reader.boolean("flag", false));
  EXPECT_EQ(reader.integer("count", 9, 0, 10), 3);
  EXPECT_EQ(reader.number("rate", 9, 0, 1), 0.5);
  EXPECT_EQ(reader.number("count", 9, 0, 10), 3.0);  // a whole number is a number
  EXPECT_EQ(reader.text("name", "y"), "x");
  EXPECT_EQ(reader.integers("sizes", {}), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(reader.integers("count", {}), (std::vector<std::int64_t>{3}));  // a list of one
  EXPECT_TRUE(reader.boolean("other flag", true));
  EXPECT_EQ(reader.integer("other count", 9, 0, 1), 9);
  EXPECT_EQ(reader.number("other rate", 0.25, 0, 1), 0.25);
  EXPECT_EQ(reader.text("other name", "y"), "y");
  EXPECT_EQ(reader.integers("other sizes", {1}), (std::vector<std::int64_t>{1}));
  EXPECT_NO_THROW(reader.finish());
}

TEST(Settings, WrongTypesAndRangesNameTheSettingAndItsValue) {
  const Settings settings{{"flag", std::int64_t{1}},
                          {"count", 2.5},
                          {"rate", std::numeric_limits<double>::quiet_NaN()},
                          {"name", false},
                          {"sizes", std::string("4,2")},
                          {"big", std::int64_t{11}}};
  SettingsReader reader(settings, "model m");
  EXPECT_EQ(usage_error([&] { reader.boolean("flag", false); }),
            "model m: setting 'flag' is 1; it must be true or false");
  EXPECT_EQ(usage_error([&] { reader.integer("count", 0, 0, 9); }),
            "model m: setting 'count' is 2.5; it must be an integer from 0 to 9");
  EXPECT_EQ(usage_error([&] { reader.integer("big", 0, 0, 9); }),
            "model m: setting 'big' is 11; it must be an integer from 0 to 9");
  EXPECT_EQ(usage_error([&] { reader.number("rate", 0, 0, 1); }),
            "model m: setting 'rate' is nan; it must be a number from 0 to 1");
  EXPECT_EQ(usage_error([&] { reader.number("flag", 0, 2, 3); }),
            "model m: setting 'flag' is 1; it must be a number from 2 to 3");
  EXPECT_EQ(usage_error([&] { reader.number("name", 0, 0, 1); }),
            "model m: setting 'name' is false; it must be a number from 0 to 1");
  EXPECT_EQ(usage_error([&] { reader.text("name", ""); }), "model m: setting 'name' is false; it must be a text");
  EXPECT_EQ(usage_error([&] { reader.integers("sizes", {}); }),
            "model m: setting 'sizes' is '4,2'; it must be a list of integers");
  EXPECT_EQ(usage_error([&] { reader.text("flag", ""); }), "model m: setting 'flag' is 1; it must be a text");
}

TEST(Settings, WhatNobodyTookIsAnErrorWithTheNearestName) {
  const Settings settings{{"hiden", std::int64_t{32}}};
  SettingsReader reader(settings, "model m");
  reader.integer("hidden", 16, 1, 64);
  reader.boolean("bias", true);
  EXPECT_EQ(usage_error([&] { reader.finish(); }),
            "model m: unknown setting 'hiden'; did you mean 'hidden'? Known: bias, hidden");
  const SettingsReader none(settings, "data set file x");
  EXPECT_EQ(usage_error([&] { none.finish(); }), "data set file x: unknown setting 'hiden'; it has no settings");
}

TEST(Settings, NearestName) {
  EXPECT_EQ(nearest_name("epoch", {"seed", "epochs", "out"}), "epochs");
  EXPECT_EQ(nearest_name("zzzzzz", {"seed", "epochs", "out"}), "");
}

}  // namespace
}  // namespace factorgcn
