// The progress display, driven by a clock and a terminal of our own.
#include "factorgcn/report/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "factorgcn/base/text.h"

namespace factorgcn {
namespace {

struct Screen {
  explicit Screen(const Terminal& shown = {}) : terminal(shown) {}

  Terminal terminal;
  double time = 100;
  std::vector<std::string> writes;

  ProgressDisplay display() {
    return {[this](std::string_view text) { writes.emplace_back(text); }, [this] { return terminal; },
            [this] { return time; }};
  }
  /// The line a person sees after the last write: what follows the erasing escape, without colours.
  std::string line() const {
    std::string text = writes.empty() ? "" : writes.back();
    const std::string erase = "\r\x1b[K";
    EXPECT_EQ(text.rfind(erase, 0), 0U) << text;
    text = text.substr(erase.size());
    for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;) {
      text.erase(at, text.find('m', at) - at + 1);
    }
    return text;
  }
};

ProgressState state(std::int64_t done, double loss = 0.5) {
  ProgressState state;
  state.epoch = done / 100 + 1;
  state.epochs = 10;
  state.graphs_done = done;
  state.graphs_total = 1000;
  state.loss = loss;
  state.metric_name = "micro-F1";
  return state;
}

Terminal screen_of(int width, bool utf8 = false, bool color = false) { return {true, color, utf8, width}; }

TEST(Progress, ShowsBarNumbersRateAndTimeLeft) {
  Screen screen{screen_of(120)};
  auto display = screen.display();
  display.update(state(0));
  screen.time += 2;
  auto later = state(250, 0.12345);
  later.validation = 0.98765;
  display.update(later);
  // 250 graphs in 2 s: 125 per second, 750 to go in 6 s.
  EXPECT_EQ(
      screen.line(),
      "#######-----------------------  epoch 3/10  loss 0.1235  validation micro-F1 0.9877  125 graphs/s  6 s left");
}

TEST(Progress, RedrawsAtMostTenTimesASecond) {
  Screen screen{screen_of(100)};
  auto display = screen.display();
  for (int step = 0; step < 100; ++step) {
    display.update(state(step));
    screen.time += 0.01;
  }
  EXPECT_GE(screen.writes.size(), 9U);
  EXPECT_LE(screen.writes.size(), 11U);
}

TEST(Progress, FitsEveryWidth) {
  for (int width = 1; width <= 130; ++width) {
    Screen screen{screen_of(width, true, true)};
    auto display = screen.display();
    display.update(state(0));
    screen.time += 1;
    auto later = state(500);
    later.validation = 0.5;
    display.update(later);
    EXPECT_LT(display_width(screen.line()), width == 1 ? 2 : width) << screen.line();
    if (width >= 30) {
      EXPECT_NE(screen.line().find("epoch 6/10"), std::string::npos) << screen.line();
    }
  }
}

TEST(Progress, KeepsWhatMattersInANarrowWindow) {
  Screen screen{screen_of(42)};
  auto display = screen.display();
  display.update(state(0));
  screen.time += 1;
  display.update(state(500));
  EXPECT_EQ(screen.line().find("graphs/s"), std::string::npos);
  EXPECT_NE(screen.line().find("1 s left"), std::string::npos);
}

TEST(Progress, UsesColoursAndBlocksOnlyWhereWelcome) {
  Screen plain{screen_of(100, false, false)};
  auto first = plain.display();
  first.update(state(500));
  EXPECT_EQ(plain.writes.back().find("\x1b[32m"), std::string::npos);
  EXPECT_NE(plain.writes.back().find("###"), std::string::npos);

  Screen rich{screen_of(100, true, true)};
  auto second = rich.display();
  second.update(state(500));
  EXPECT_NE(rich.writes.back().find("\x1b[32m█"), std::string::npos);
  EXPECT_NE(rich.writes.back().find("\x1b[0m"), std::string::npos);
}

TEST(Progress, RemovesTheLineWhenDoneOrInterruptedByAMessage) {
  Screen screen{screen_of(100)};
  {
    auto display = screen.display();
    display.update(state(10));
    display.message("warning: something");
    ASSERT_EQ(screen.writes.size(), 3U);
    EXPECT_EQ(screen.writes[1], "\r\x1b[K");
    EXPECT_EQ(screen.writes[2], "warning: something\n");
    screen.time += 1;
    display.update(state(20));
  }
  EXPECT_EQ(screen.writes.back(), "\r\x1b[K");
}

TEST(Progress, WritesPlainLinesPerTenthElsewhere) {
  Screen screen;
  auto display = screen.display();
  for (int done = 0; done <= 1000; done += 10) {
    display.update(state(done));
    screen.time += 0.1;
  }
  display.finish();
  ASSERT_EQ(screen.writes.size(), 10U);
  // 100 graphs after ten steps of 0.1 s; the rest takes nine times as long.
  EXPECT_EQ(screen.writes.front(), "epoch 2/10  loss 0.5000  100 graphs/s  9 s left\n");
  EXPECT_EQ(screen.writes.back(), "epoch 11/10  loss 0.5000  100 graphs/s\n");
  for (const auto& line : screen.writes) {
    EXPECT_EQ(line.find_first_of("\r\x1b"), std::string::npos);
  }
}

TEST(Progress, WritesAPlainLineNowAndThenInALongRun) {
  Screen screen;
  auto display = screen.display();
  for (int second = 0; second < 61; ++second) {
    display.update(state(second));
    screen.time += 1;
  }
  EXPECT_EQ(screen.writes.size(), 4U);
  display.finish();
  EXPECT_EQ(screen.writes.size(), 4U) << "the last state was already shown";
}

TEST(Progress, FinishPrintsAStateNotYetShown) {
  Screen screen;
  auto display = screen.display();
  display.update(state(0));
  display.update(state(50));
  EXPECT_TRUE(screen.writes.empty());
  display.finish();
  ASSERT_EQ(screen.writes.size(), 1U);
  EXPECT_EQ(screen.writes[0], "epoch 1/10  loss 0.5000\n") << "no time has passed, so there is no rate";
}

TEST(Progress, CountsSpeedFromWhereAResumedRunStarted) {
  Screen screen;
  auto display = screen.display();
  display.update(state(800));
  screen.time += 10;
  display.update(state(900));
  ASSERT_EQ(screen.writes.size(), 1U);
  EXPECT_EQ(screen.writes[0], "epoch 10/10  loss 0.5000  10 graphs/s  10 s left\n");
}

}  // namespace
}  // namespace factorgcn
