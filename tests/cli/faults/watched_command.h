// A command of the program that faults are tried on: what it needs, how to go on after a fault, and what must be the
// same in the end as if nothing had happened.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/faults/forked_program.h"
#include "cli/workplace.h"

namespace factorgcn::cli {

struct WatchedCommand {
  std::string name;                               ///< for messages, letters alone
  std::function<void(const Workplace&)> prepare;  ///< what lies in the folder before
  std::string arguments;
  std::vector<std::string> again;                       ///< how to go on; the first that is not wrong use counts
  std::function<std::string(const Workplace&)> result;  ///< what must be the same in the end; empty: not there
  bool has_children = false;                            ///< it starts processes, which may be killed as well
};

inline void PrintTo(const WatchedCommand& command, std::ostream* out) { *out << command.name; }

/// train, --resume, --seeds, data import, data fetch, factors, predict, disentangle and page, each small enough to be
/// run hundreds of times.
const std::vector<WatchedCommand>& watched_commands();

/// False under sanitizers, whose own library has to be the first one loaded.
bool can_preload();

/// A command whose folder was prepared and that was run once, left alone.
class RehearsedCommand {
 public:
  explicit RehearsedCommand(const WatchedCommand& command);

  const WatchedCommand& command() const { return command_; }
  double seconds() const { return seconds_; }

  /// Lays the prepared folder's content out in an empty one.
  void fill(const Workplace& place) const;

  static std::vector<std::string> environment(const Workplace& place);

  /// Reports a failure unless the results are those of the command that was left alone.
  void expect_result(const Workplace& place, const std::string& when) const;

  /// The next call after a fault, with nothing in its way, has to end in the results.
  void go_on(const Workplace& place, const std::string& when) const;

  /// As the program's own start, where it can be forked in a fraction of its time: `environment` beside environment().
  Outcome run(const Workplace& place, const std::string& arguments,
              const std::vector<std::string>& environment = {}) const;

 private:
  const WatchedCommand& command_;
  Workplace prepared_;
  std::string expected_;
  double seconds_ = 0;
  std::unique_ptr<ForkedProgram> forked_;
};

}  // namespace factorgcn::cli
