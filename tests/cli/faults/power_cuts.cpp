#include "cli/faults/power_cuts.h"

#include <gtest/gtest.h>

#include "cli/faults/preloaded.h"

namespace factorgcn::cli {

namespace {

constexpr int kPowerIsOff = 137;

/// Whether the command came to that call, and was cut off there; then it has gone on.
bool cut_power_at(const RehearsedCommand& rehearsed, int call, const std::string& order) {
  const Workplace place;
  rehearsed.fill(place);
  const Outcome outcome =
      run_preloaded(rehearsed, place, {"FACTORGCN_POWER_CUT=" + std::to_string(call) + " " + order});
  const std::string when =
      rehearsed.command().name + ", power cut at call " + std::to_string(call) + " (" + order + "): ";
  const bool over_before = outcome.code == 0;
  EXPECT_TRUE(over_before || outcome.code == kPowerIsOff)
      << when << "exit code " << outcome.code << ", " << outcome.err;
  rehearsed.go_on(place, when);
  return !over_before;
}

}  // namespace

int cut_power(const RehearsedCommand& rehearsed, int step) {
  const int calls = static_cast<int>(calls_of(rehearsed).size());
  int cuts = 0;
  for (int call = 1 + static_cast<int>(rehearsed.command().name.size()) % step; call <= calls; call += step) {
    for (const std::string order : {"keep", "undo"}) {
      // A command that waits for children makes more calls now and fewer then: it may be over before the call.
      int at = call;
      bool cut = cut_power_at(rehearsed, at, order);
      while (!cut && at > 1) {
        at /= 2;
        cut = cut_power_at(rehearsed, at, order);
      }
      EXPECT_TRUE(cut) << rehearsed.command().name << ": it makes no call that power could be cut at";
      ++cuts;
    }
  }
  return cuts;
}

}  // namespace factorgcn::cli
