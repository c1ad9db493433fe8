// Some of the system calls of each command refused; refused_calls_slow_test.cpp refuses all of them.
#include "cli/faults/refused_calls.h"

#include <gtest/gtest.h>

namespace factorgcn::cli {
namespace {

class SomeRefusedCalls : public ::testing::TestWithParam<WatchedCommand> {};

TEST_P(SomeRefusedCalls, LoseNothing) {
  if (!can_refuse_calls()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const Refusals counts = refuse_calls(GetParam(), Thoroughness::kSample);
  EXPECT_GT(counts.tried, 2);
}

INSTANTIATE_TEST_SUITE_P(Commands, SomeRefusedCalls, ::testing::ValuesIn(watched_commands()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace factorgcn::cli
