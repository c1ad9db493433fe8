// Progress of a computation in steps: a redrawn line on a terminal, plain lines elsewhere, never too many.
#include "factorgcn/report/step_progress.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/holds.h"
#include "factorgcn/base/text.h"

namespace factorgcn {
namespace {

using factorgcn::testing::holds;

struct ShownSteps {
  explicit ShownSteps(Terminal given) : terminal(given) {}

  StepProgress progress() {
    return StepProgress([this](std::string_view text) { shown += text; }, [this] { return terminal; },
                        [this] { return now; });
  }

  Terminal terminal;
  std::string shown;
  double now = 100;
};

TEST(StepProgress, RedrawsOneLineAndTakesItAway) {
  ShownSteps steps({true, false, true, 60});
  {
    StepProgress progress = steps.progress();
    progress.at("start 1", 0);
    EXPECT_EQ(steps.shown, "");  // what is over at once needs no line
    steps.now += 0.05;
    progress.at("start 1", 0.1);
    EXPECT_EQ(steps.shown, "");
    steps.now += 9.95;
    progress.at("start 2", 0.5);
    EXPECT_TRUE(holds(steps.shown, "start 2  10 s left")) << steps.shown;
    EXPECT_LE(display_width(steps.shown.substr(steps.shown.find("K") + 1)), 60);
    steps.shown.clear();
  }
  EXPECT_EQ(steps.shown, "\r\x1b[K");
}

TEST(StepProgress, WritesPlainLinesNowAndThen) {
  ShownSteps steps({false, false, true, 80});
  StepProgress progress = steps.progress();
  for (int step = 0; step <= 100; ++step) {
    progress.at("resample", step / 100.0);
    steps.now += 0.5;
  }
  progress.finish();
  EXPECT_EQ(steps.shown.substr(0, steps.shown.find('\n')), "20 %  resample  40 s left");
  EXPECT_EQ(std::count(steps.shown.begin(), steps.shown.end(), '\n'), 5);
}

TEST(StepProgress, ANarrowTerminalIsNotOverrun) {
  ShownSteps steps({true, false, false, 20});
  StepProgress progress = steps.progress();
  progress.at("3 relations of 5 groups, start 2", 0);
  steps.now += 5;
  progress.at("3 relations of 5 groups, start 2", 0.4);
  EXPECT_LE(display_width(steps.shown.substr(steps.shown.find("K") + 1)), 20);
}

}  // namespace
}  // namespace factorgcn
