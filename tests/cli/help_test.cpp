// Help texts and --version: that they name what there is, fit a terminal, and leave with 0.
#include <gtest/gtest.h>

#include <sstream>

#include "base/holds.h"
#include "cli/workplace.h"
#include "factorgcn/base/text.h"
#include "factorgcn/ops/instruction_set.h"
#include "factorgcn/version.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

class Help : public ::testing::TestWithParam<std::pair<const char*, std::vector<const char*>>> {};

TEST_P(Help, NamesEverythingAndFitsEightyColumns) {
  const auto& [arguments, expected] = GetParam();
  const Workplace place;
  const Outcome outcome = place.run(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(holds(outcome.out, "Usage: factorgcn")) << outcome.out;
  for (const char* part : expected) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << " is missing in:\n" << outcome.out;
  }
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(display_width(line), 80) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << "'" << line << "'";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Help,
    ::testing::Values(
        std::pair{"--help", std::vector{"train", "evaluate", "page", "data", "disentangle", "models", "reproduce",
                                        "--version", "Start here:", "Exit codes:"}},
        std::pair{"-h", std::vector{"Start here:"}},
        std::pair{"train --help", std::vector{"--dataset",        "--factors",
                                              "--train-size",     "--validation-size",
                                              "--test-size",      "--model",
                                              "--preset",         "--set",
                                              "--seed",           "--epochs",
                                              "synthetic: 80)",   "--batch-size",
                                              "--learning-rate",  "synthetic: 0.005)",
                                              "--weight-decay",   "--lambda",
                                              "--protocol",       "--out",
                                              "--force",          "--config",
                                              "--resume",         "--checkpoint-seconds",
                                              "--threads",        "--device",
                                              "--data-on-device", "--score-test-each-epoch",
                                              "--no-page",        "--quiet",
                                              "Examples:",        "Data:",
                                              "Training:"}},
        std::pair{"evaluate --help", std::vector{"RUN", "--split", "--protocol", "--device", "--json", "Examples:"}},
        std::pair{"disentangle --help",
                  std::vector{"FILE", "--relations", "--groups", "--known", "--ask", "--truth", "--method", "--nodes",
                              "--out", "--force", "--seed", "--threads", "link-communities", "Examples:"}},
        std::pair{"compare --help", std::vector{"RUN", "--out", "--json", "Examples:"}},
        std::pair{"search --help", std::vector{"--over", "--trials", "--seeds", "--jobs", "--dataset", "Examples:"}},
        std::pair{"page --help", std::vector{"RUN", "--out", "--samples", "Examples:"}},
        std::pair{"reproduce --help", std::vector{"TARGET", "--seeds", "--quick", "--jobs", "--device", "--out",
                                                  "table-5", "figure-sensitivity", "Examples:"}},
        std::pair{"data --help", std::vector{"make", "info", "Examples:"}},
        std::pair{"data make --help", std::vector{"NAME", "--factors", "--seed", "--out", "--force", "Examples:"}},
        std::pair{"data info --help", std::vector{"NAME-or-FILE", "--json", "synthetic", "Examples:"}},
        std::pair{"models --help", std::vector{"--json", "Example"}}));

TEST(Version, NamesWhatResultsDependOn) {
  const Workplace place;
  const Outcome outcome = place.run("--version");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("factorgcn " FACTORGCN_VERSION "\n", 0), 0U) << outcome.out;
  for (const char* part : {"libtorch ", "instruction set ", "BLAS ", "cores "}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << " is missing in:\n" << outcome.out;
  }
}

TEST(Version, FollowsTheForcedInstructionSet) {
  const Workplace place;
  const std::string slowest = usable_instruction_sets().front();
  const Outcome outcome = place.run("--version", {"FACTORGCN_CPU=" + slowest});
  EXPECT_TRUE(holds(outcome.out, "instruction set " + slowest + "\n")) << outcome.out << outcome.err;
}

TEST(Models, AreListedWithTheirPresets) {
  const Workplace place;
  const Outcome text = place.run("models");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(holds(text.out, "factorgcn"));
  EXPECT_TRUE(holds(text.out, "published"));

  const Outcome json = place.run("models --json");
  ASSERT_EQ(json.code, 0) << json.err;
  bool found = false;
  for (const auto& model : nlohmann::json::parse(json.out)) {
    if (model.at("name") == "factorgcn") {
      found = true;
      EXPECT_FALSE(model.at("summary").get<std::string>().empty());
      EXPECT_FALSE(model.at("tasks").empty());
      ASSERT_FALSE(model.at("presets").empty());
      EXPECT_EQ(model.at("presets")[0].at("preset"), "published");
    }
  }
  EXPECT_TRUE(found) << json.out;
}

TEST(Output, IsAsciiInAPlainLocale) {
  const Workplace place;
  const Outcome outcome = place.run("models", {"LC_ALL=C"});
  EXPECT_EQ(outcome.code, 0);
  for (const char c : outcome.out) {
    ASSERT_GT(c, 0) << outcome.out;
  }
}

}  // namespace
}  // namespace factorgcn::cli
