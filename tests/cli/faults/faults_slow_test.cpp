// Every system call of each command refused, for every reason there is, once and for good, 100 requests for memory,
// and the power cut at every call: some minutes a command.
#include <gtest/gtest.h>

#include <iostream>

#include "cli/faults/power_cuts.h"
#include "cli/faults/preloaded.h"
#include "cli/faults/refused_calls.h"
#include "cli/faults/refused_memory.h"

namespace factorgcn::cli {
namespace {

class Faults : public ::testing::TestWithParam<WatchedCommand> {};

TEST_P(Faults, LoseNothing) {
  if (!can_preload()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const RehearsedCommand rehearsed(GetParam());
  const Refusals counts = refuse_calls(rehearsed, Thoroughness::kAll);
  std::cout << GetParam().name << ": " << counts.tried << " calls refused, " << counts.ended_well
            << " ended with all results, " << counts.said_why << " said why not" << std::endl;
  std::cout << GetParam().name << ": power cut " << cut_power(rehearsed, 1) << " times" << std::endl;
  const MemoryRefusals memory = refuse_memory(rehearsed, 100, 1);
  std::cout << GetParam().name << ": " << memory.tried << " of " << memory.requests << " requests for memory refused, "
            << memory.ended_well << " ended with all results, " << memory.said_why << " said why not" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Commands, Faults, ::testing::ValuesIn(watched_commands()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace factorgcn::cli
