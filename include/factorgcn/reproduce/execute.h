// Trains what a plan asks for, each run in a process of its own.
//
// OUT/runs/NAME is the run's directory, OUT/logs/NAME.log what it printed. A run that is over is never repeated, an
// interrupted one goes on from its checkpoint, one that failed is tried again by the next call; the failure of one run
// leaves the others alone. Whatever kills this process, calling again with the same plan continues.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/reproduce/plan.h"

namespace factorgcn {

struct FACTORGCN_API ExecuteOptions {
  std::filesystem::path out;
  std::vector<std::string> program;  ///< how `factorgcn` is called: its path, and words before the sub-command
  int jobs = 1;                      ///< runs at a time
  std::string device;                ///< handed to each run; empty: the run's own default
  int threads = 0;                   ///< of each run; 0: all cores shared evenly between the jobs
  std::vector<std::string> only;     ///< train runs alone whose name holds one of these; empty: all
};

struct FACTORGCN_API RunOutcome {
  enum class State { kDone, kFailed, kInterrupted, kNotStarted };
  std::string name;
  State state = State::kNotStarted;
  bool was_done_before = false;
  double seconds = 0;   ///< of this call
  std::string message;  ///< of a failure: the last line the run printed
  std::filesystem::path log;
};

/// Where the whole stands.
struct FACTORGCN_API ExecuteProgress {
  std::int64_t done = 0, total = 0;  ///< of the runs that are to be trained; failed ones count as done
  double seconds_left = -1;          ///< negative: not known yet
  std::vector<std::string> running;  ///< names
  std::vector<double> share;         ///< of each running one, 0 .. 1
};

class FACTORGCN_API ExecuteObserver {
 public:
  virtual ~ExecuteObserver() = default;
  virtual void on_run_start(const PlannedRun& /*run*/, const ExecuteProgress& /*progress*/) {}
  virtual void on_run_end(const PlannedRun& /*run*/, const RunOutcome& /*outcome*/,
                          const ExecuteProgress& /*progress*/) {}
  /// Some times a second while runs are at work.
  virtual void on_wait(const ExecuteProgress& /*progress*/) {}
};

/// One outcome per planned run, in the plan's order. Returns early after a signal (train/interrupt.h), when all running
/// ones have saved and stopped. UsageError where OUT holds a run of the same name with other settings, or where `only`
/// names no run.
FACTORGCN_API std::vector<RunOutcome> execute_plan(const Plan& plan, const ExecuteOptions& options,
                                                   ExecuteObserver& observer);

/// Whether `only` asks for a run of that name.
FACTORGCN_API bool is_selected(const std::vector<std::string>& only, const std::string& name);

FACTORGCN_API std::filesystem::path run_folder(const std::filesystem::path& out, const std::string& name);

/// Share of a run's work that is done, 0 .. 1, from the files in its folder.
FACTORGCN_API double share_done(const std::filesystem::path& folder, bool folds);

}  // namespace factorgcn
