// The program with tests/preload in front of the system's library.
#pragma once

#include <string>
#include <vector>

#include "cli/faults/watched_command.h"

namespace factorgcn::cli {

/// False under sanitizers, whose own library has to be the first one loaded.
bool can_preload();

/// Runs the command in `place`, whose files are watched; `orders` are variables of tests/preload.
Outcome run_preloaded(const RehearsedCommand& rehearsed, const Workplace& place,
                      const std::vector<std::string>& orders);

/// How many lines of standard error are the program's complaints.
int complaints(const std::string& text);

}  // namespace factorgcn::cli
