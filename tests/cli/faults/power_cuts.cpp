#include "cli/faults/power_cuts.h"

#include <gtest/gtest.h>

#include "cli/faults/preloaded.h"

namespace factorgcn::cli {

int cut_power(const RehearsedCommand& rehearsed, int step) {
  constexpr int kPowerIsOff = 137;
  const std::string& name = rehearsed.command().name;
  const int calls = static_cast<int>(calls_of(rehearsed).size());
  int cuts = 0;
  for (int call = 1 + static_cast<int>(name.size()) % step; call <= calls; call += step) {
    for (const std::string order : {"keep", "undo"}) {
      const Workplace place;
      rehearsed.fill(place);
      const Outcome outcome =
          run_preloaded(rehearsed, place, {"FACTORGCN_POWER_CUT=" + std::to_string(call) + " " + order});
      const std::string when = name + ", power cut at call " + std::to_string(call) + " (" + order + "): ";
      EXPECT_EQ(outcome.code, kPowerIsOff) << when << outcome.err;
      rehearsed.go_on(place, when);
      ++cuts;
    }
  }
  return cuts;
}

}  // namespace factorgcn::cli
