// A command killed or stopped at random moments, also while it recovers, until it is left alone. Where it has children,
// the signal meets the command, one of them, or all.
#pragma once

#include <cstdint>

#include "cli/faults/watched_command.h"

namespace factorgcn::cli {

struct Kills {
  int sent = 0;       ///< signals that reached the program while it ran: SIGKILL, SIGTERM, SIGSTOP with SIGCONT
  int in_repair = 0;  ///< of these, sent to a call that went on after an earlier one
  int to_child = 0;   ///< of these, sent to a child alone
  int came_late = 0;  ///< the program had ended before
};

/// Sends at least `signals` signals, at moments drawn from `seed`. Reports to GoogleTest where the results differ in
/// the end from those of a command that was left alone, or an end is neither the signal's nor one with the right exit
/// code.
Kills kill_command(const RehearsedCommand& rehearsed, int signals, std::uint64_t seed);

}  // namespace factorgcn::cli
