// The download's progress, driven by a clock and a terminal of our own.
#include "factorgcn/report/download_progress.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "factorgcn/base/text.h"

namespace factorgcn {
namespace {

struct DownloadScreen {
  Terminal terminal;
  double time = 50;
  std::vector<std::string> writes;

  DownloadProgress display() {
    return {"A.zip", [this](std::string_view text) { writes.emplace_back(text); }, [this] { return terminal; },
            [this] { return time; }};
  }
};

TEST(DownloadProgress, DrawsBarSpeedAndTimeLeft) {
  DownloadScreen screen;
  screen.terminal = {true, false, false, 100};
  auto display = screen.display();
  display.update({1'000'000, 5'000'000});
  screen.time += 2;
  display.update({3'000'000, 5'000'000});
  // 2 MB in 2 s, 2 MB to go; three fifths of thirty.
  EXPECT_EQ(screen.writes.back(),
            "\r\x1b[KA.zip  ##################------------  3.0 MB of 5.0 MB  1.0 MB/s  2 s left");
  screen.time += 0.05;
  display.update({3'100'000, 5'000'000});
  EXPECT_EQ(screen.writes.size(), 2U) << "ten times a second is enough";
  display.message("a word");
  EXPECT_EQ(screen.writes[2], "\r\x1b[K");
  EXPECT_EQ(screen.writes[3], "a word\n");
}

TEST(DownloadProgress, CountsSpeedAnewWhenTheDownloadBeginsAgain) {
  DownloadScreen screen;
  screen.terminal = {true, false, false, 100};
  auto display = screen.display();
  display.update({1'000'000, 0});
  screen.time += 10;
  display.update({0, 0});
  screen.time += 1;
  display.update({500'000, 0});
  EXPECT_EQ(screen.writes.back(), "\r\x1b[KA.zip  500.0 kB  500.0 kB/s");
}

TEST(DownloadProgress, FitsAnyWidth) {
  for (int width = 1; width < 90; ++width) {
    DownloadScreen screen;
    screen.terminal = {true, false, true, width};
    auto display = screen.display();
    display.update({0, 5'000'000});
    screen.time += 1;
    display.update({1'234'567, 5'000'000});
    EXPECT_LT(display_width(screen.writes.back().substr(4)), width);
  }
}

TEST(DownloadProgress, PrintsPlainLinesRarely) {
  DownloadScreen screen;
  {
    auto display = screen.display();
    for (int i = 0; i <= 100; ++i) {
      display.update({static_cast<std::uint64_t>(i) * 10'000, 1'000'000});
      screen.time += 0.125;
    }
  }
  ASSERT_EQ(screen.writes.size(), 2U);
  EXPECT_EQ(screen.writes[0], "A.zip  400.0 kB of 1.0 MB  80.0 kB/s  8 s left\n");
}

}  // namespace
}  // namespace factorgcn
