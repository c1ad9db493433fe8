// Every system call of each command refused, for every reason there is, once and for good: some minutes a command.
#include <gtest/gtest.h>

#include <iostream>

#include "cli/faults/refused_calls.h"

namespace factorgcn::cli {
namespace {

class RefusedCalls : public ::testing::TestWithParam<WatchedCommand> {};

TEST_P(RefusedCalls, LoseNothing) {
  if (!can_refuse_calls()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const Refusals counts = refuse_calls(GetParam(), Thoroughness::kAll);
  std::cout << GetParam().name << ": " << counts.tried << " calls refused, " << counts.ended_well
            << " ended with all results, " << counts.said_why << " said why not\n";
}

INSTANTIATE_TEST_SUITE_P(Commands, RefusedCalls, ::testing::ValuesIn(watched_commands()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace factorgcn::cli
