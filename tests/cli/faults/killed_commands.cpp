#include "cli/faults/killed_commands.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

namespace factorgcn::cli {
namespace {

constexpr int kLongestRepair = 4;  // calls killed one after the other before one is left alone

class Killer {
 public:
  Killer(const RehearsedCommand& rehearsed, std::uint64_t seed)
      : rehearsed_(rehearsed), random_(seed), longest_(1.1 * rehearsed.seconds()) {}

  /// One command and its repairs, each disturbed, and one that is not.
  void try_once(Kills& kills) {
    const Workplace place;
    rehearsed_.fill(place);
    const WatchedCommand& command = rehearsed_.command();
    std::string when = command.name;
    const int repairs = static_cast<int>(random_() % kLongestRepair);
    bool done = disturb(place, command.arguments, false, kills, when);
    for (int i = 0; i < repairs && !done; ++i) {
      for (const std::string& arguments : command.again) {
        refused_ = false;
        done = disturb(place, arguments, true, kills, when);
        if (!refused_) {
          break;
        }
      }
    }
    if (done) {
      rehearsed_.expect_result(place, when + ": ");
    } else {
      rehearsed_.go_on(place, when + ": ");
    }
  }

 private:
  /// True where the call came to its end with everything done.
  bool disturb(const Workplace& place, const std::string& arguments, bool repair, Kills& kills, std::string& when) {
    constexpr std::array<int, 4> signals{SIGKILL, SIGKILL, SIGTERM, SIGSTOP};
    const int signal = signals[random_() % signals.size()];
    const double moment = std::uniform_real_distribution<double>(0, longest_)(random_);
    Child child = place.start(arguments, RehearsedCommand::environment(place));
    std::this_thread::sleep_for(std::chrono::duration<double>(moment));
    const bool running = child.running();
    const Targets targets = choose_targets(child);
    kills.sent += running;
    kills.in_repair += running && repair;
    kills.to_child += running && !targets.program;
    kills.came_late += !running;
    longest_ *= running ? 1 : 0.9;  // the machine may have been busier at the rehearsal
    send(child, targets, signal);
    if (signal == SIGSTOP) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      send(child, targets, SIGCONT);
    }
    const Outcome outcome = child.wait();
    when += ", signal " + std::to_string(signal) + (targets.program ? "" : " to a child") + " after " +
            std::to_string(moment) + " s" + (running ? "" : " (too late)") + ", exit code " +
            std::to_string(outcome.code);
    refused_ = outcome.code == 2;
    const bool by_signal =
        running && signal != SIGSTOP && targets.program && (outcome.signal == signal || outcome.code == 128 + signal);
    const bool by_child = running && signal != SIGSTOP && !targets.children.empty() && outcome.code == 1;
    EXPECT_TRUE(by_signal || by_child || outcome.code == 0 || (repair && refused_)) << when << '\n' << outcome.err;
    return outcome.code == 0;
  }

  /// Whom a signal meets.
  struct Targets {
    bool program = true;
    std::vector<pid_t> children;
  };

  Targets choose_targets(const Child& child) {
    Targets targets;
    if (!rehearsed_.command().has_children) {
      return targets;
    }
    targets.children = child.children();
    const auto choice = random_() % 3;
    if (choice == 0 || targets.children.empty()) {
      targets.children.clear();
    } else if (choice == 1) {
      targets.program = false;
      targets.children = {targets.children[random_() % targets.children.size()]};
    }
    return targets;
  }

  static void send(const Child& child, const Targets& targets, int signal) {
    for (const pid_t each : targets.children) {
      ::kill(each, signal);
    }
    if (targets.program) {
      child.send(signal);
    }
  }

  const RehearsedCommand& rehearsed_;
  std::mt19937_64 random_;
  double longest_;  // seconds until a signal
  bool refused_ = false;
};

}  // namespace

Kills kill_command(const RehearsedCommand& rehearsed, int signals, std::uint64_t seed) {
  Kills kills;
  Killer killer(rehearsed, seed);
  while (kills.sent < signals && !::testing::Test::HasFailure()) {
    killer.try_once(kills);
  }
  return kills;
}

}  // namespace factorgcn::cli
