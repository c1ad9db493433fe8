// A command whose requests for memory are refused, one in each run.
#pragma once

#include <cstdint>

#include "cli/faults/watched_command.h"

namespace factorgcn::cli {

struct MemoryRefusals {
  int tried = 0, ended_well = 0, said_why = 0;
  long requests = 0;  ///< that the command makes when it is left alone
};

/// Refuses `count` requests drawn from `seed`: the command must end in all its results or in exit code 1 and a line
/// that says why, and the next call in the results. Reports failures to GoogleTest.
MemoryRefusals refuse_memory(const RehearsedCommand& rehearsed, int count, std::uint64_t seed);

}  // namespace factorgcn::cli
