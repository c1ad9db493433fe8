#include "cli/faults/refused_memory.h"

#include <gtest/gtest.h>

#include <random>

#include "cli/faults/preloaded.h"

namespace factorgcn::cli {

MemoryRefusals refuse_memory(const RehearsedCommand& rehearsed, int count, std::uint64_t seed) {
  MemoryRefusals counts;
  const std::string& name = rehearsed.command().name;
  {
    const Workplace place, beside;
    rehearsed.fill(place);
    const Outcome outcome = run_preloaded(rehearsed, place, {"FACTORGCN_MEMORY_LOG=" + beside.path("n").string()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    counts.requests = std::stol("0" + beside.read("n"));
    EXPECT_GT(counts.requests, 100) << name << ": hardly a request was seen";
  }
  std::mt19937_64 random(seed);
  for (; counts.tried < count && counts.requests > 0; ++counts.tried) {
    const Workplace place;
    rehearsed.fill(place);
    // One: the program's reserve helps. Several: it does not.
    const std::string order = std::to_string(1 + random() % counts.requests) + " " + (random() % 3 == 0 ? "1" : "9");
    const Outcome outcome = run_preloaded(rehearsed, place, {"FACTORGCN_REFUSE_MEMORY=" + order});
    const std::string when = name + ", requests for memory refused (first, how many: " + order + "): ";
    ++(ended_well(rehearsed, place, outcome, when) ? counts.ended_well : counts.said_why);
    rehearsed.go_on(place, when);
  }
  return counts;
}

}  // namespace factorgcn::cli
