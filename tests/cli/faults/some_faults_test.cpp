// Some of each command's system calls and requests for memory refused, the power cut once or twice;
// faults_slow_test.cpp tries many more.
#include <gtest/gtest.h>

#include "cli/faults/power_cuts.h"
#include "cli/faults/preloaded.h"
#include "cli/faults/refused_calls.h"
#include "cli/faults/refused_memory.h"

namespace factorgcn::cli {
namespace {

class SomeFaults : public ::testing::TestWithParam<WatchedCommand> {};

TEST_P(SomeFaults, LoseNothing) {
  if (!can_preload()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const RehearsedCommand rehearsed(GetParam());
  const Refusals counts = refuse_calls(rehearsed, Thoroughness::kSample);
  EXPECT_GE(counts.tried, 1);
  EXPECT_EQ(refuse_memory(rehearsed, 1, GetParam().name.size()).tried, 1);
  EXPECT_GE(cut_power(rehearsed, 60), 1);
}

INSTANTIATE_TEST_SUITE_P(Commands, SomeFaults, ::testing::ValuesIn(watched_commands()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace factorgcn::cli
