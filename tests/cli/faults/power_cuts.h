// The power fails while a command runs: writes that were not synced by then are gone (tests/preload/power_cut.cpp).
#pragma once

#include "cli/faults/watched_command.h"

namespace factorgcn::cli {

/// Cuts the power at every `step`-th system call of the command, in both orders in which a disk may have kept renames;
/// the next call must end in the results. Returns how often. Reports failures to GoogleTest.
int cut_power(const RehearsedCommand& rehearsed, int step);

}  // namespace factorgcn::cli
