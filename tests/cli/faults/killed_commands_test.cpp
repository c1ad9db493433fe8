// Commands killed at random moments. FACTORGCN_KILLS=N sends N signals in all (`make crash`); by default 26.
#include "cli/faults/killed_commands.h"

#include <gtest/gtest.h>

#include <iostream>

#include "base/from_environment.h"
#include "cli/faults/commands_with_others.h"

namespace factorgcn::cli {
namespace {

using testing::from_environment;

TEST(KilledCommands, EndInTheSameResults) {
  const int signals = from_environment("FACTORGCN_KILLS", 26);
  const SlowMirror mirror;
  std::vector<WatchedCommand> commands = watched_commands();
  for (WatchedCommand& command : commands_with_others(mirror, signals > 100)) {
    commands.push_back(std::move(command));
  }
  const int seed = from_environment("FACTORGCN_KILL_SEED", 1);
  Kills all;
  int left = static_cast<int>(commands.size());
  for (const WatchedCommand& command : commands) {
    const RehearsedCommand rehearsed(command);
    const Kills kills = kill_command(rehearsed, (signals - all.sent + left - 1) / left, seed + left);
    --left;
    if (signals > 100) {
      std::cout << command.name << ": " << kills.sent << " signals, " << kills.in_repair << " of them in recovery, "
                << kills.to_child << " to a child alone, " << kills.came_late << " more came too late" << std::endl;
    }
    all.sent += kills.sent;
    all.in_repair += kills.in_repair;
    all.to_child += kills.to_child;
  }
  EXPECT_GE(all.sent, signals);
  if (signals > 100) {
    std::cout << "in all: " << all.sent << " signals, " << all.in_repair << " in recovery, " << all.to_child
              << " to a child alone" << std::endl;
  }
}

}  // namespace
}  // namespace factorgcn::cli
