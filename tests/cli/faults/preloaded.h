// The program with tests/preload in front of the system's library.
#pragma once

#include <string>
#include <vector>

#include "cli/faults/watched_command.h"

namespace factorgcn::cli {

/// Runs the command in `place`, whose files are watched; `orders` are variables of tests/preload.
Outcome run_preloaded(const RehearsedCommand& rehearsed, const Workplace& place,
                      const std::vector<std::string>& orders);

struct SeenCall {
  std::string kind;
  std::string name;  ///< as the command gave it; "-" where it named none
};

/// The command's system calls on files of its folder when it is left alone, in their order.
std::vector<SeenCall> calls_of(const RehearsedCommand& rehearsed);

/// A command that met a fault has ended by itself, with all its results (true) or with exit code 1 and one line, the
/// last of standard error, that says why. Anything else is reported to GoogleTest.
bool ended_well(const RehearsedCommand& rehearsed, const Workplace& place, const Outcome& outcome,
                const std::string& when);

}  // namespace factorgcn::cli
