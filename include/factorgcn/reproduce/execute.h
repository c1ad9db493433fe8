// Trains what a plan asks for, in processes of their own: one for each plain run, one for each fold of a
// cross-validation under each protocol, and one that puts its folds together.
//
// OUT/runs/NAME is the run's directory, OUT/logs/NAME.log what it printed (OUT/logs/NAME/PROTOCOL/fold-NN.log for a
// fold). A run or fold that is over is never repeated, an interrupted one goes on from its checkpoint, one that failed
// is tried again by the next call; the failure of one leaves the others alone. Whatever kills this process, calling
// again with the same plan continues. The folder of a cross-validation is the one that train/fold_run.h makes: either
// may continue what the other has begun.
//
// Several processes, on one machine or many, can share a plan's jobs; they all need to see OUT. Jobs are dealt out in
// the plan's order to whoever has the fewest. Where a process is lost the others save, end and name it, and the next
// call, by any number of processes, goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/folder_lock.h"
#include "factorgcn/reproduce/plan.h"

namespace factorgcn {

class Group;

struct FACTORGCN_API ExecuteOptions {
  std::filesystem::path out;
  std::vector<std::string> program;  ///< how `factorgcn` is called: its path, and words before the sub-command
  int jobs = 1;                      ///< processes at a time
  std::string device;                ///< handed to each run; empty: the run's own default
  int threads = 0;                   ///< of each process; 0: all cores shared evenly between the jobs
  std::vector<std::string> only;     ///< train runs alone whose name holds one of these; empty: all
  bool pages = true;                 ///< each run, but no fold, writes its page
  Group* group = nullptr;            ///< the processes that share the jobs, `jobs` of them each; null: this one alone

  /// Whether this process tells what happens and writes what the runs come to.
  bool speaks() const;
};

/// What became of a run, or of one job of it.
struct FACTORGCN_API RunOutcome {
  enum class State { kDone, kFailed, kInterrupted, kNotStarted };
  std::string name;  ///< of a fold: "mutag/gin/seed-0, corrected fold 3"
  State state = State::kNotStarted;
  bool was_done_before = false;
  double seconds = 0;   ///< of this call; of a cross-validation the sum over its jobs
  std::string message;  ///< of a failure: in which fold, and the last line that was printed
  std::filesystem::path log;
};

/// A whole run, a fold of a cross-validation, or what puts its folds together.
enum class JobKind { kRun, kFold, kClosing };

/// Where the whole stands.
struct FACTORGCN_API ExecuteProgress {
  std::int64_t done = 0, total = 0;  ///< jobs of the runs that are to be trained; failed ones count as done
  double seconds_left = -1;          ///< negative: not known yet
  std::vector<std::string> running;  ///< names
  std::vector<double> share;         ///< of each running one, 0 .. 1
};

class FACTORGCN_API ExecuteObserver {
 public:
  virtual ~ExecuteObserver() = default;
  virtual void on_job_start(const std::string& /*name*/, const ExecuteProgress& /*progress*/) {}
  /// Also called for what was done before; not for the folds of a cross-validation that is over as a whole.
  virtual void on_job_end(JobKind /*kind*/, const RunOutcome& /*outcome*/, const ExecuteProgress& /*progress*/) {}
  /// Some times a second while jobs are at work.
  virtual void on_wait(const ExecuteProgress& /*progress*/) {}
};

/// One outcome per planned run, in the plan's order, the same for all processes that share the plan; of those the first
/// alone calls the observer. Returns early after a signal (base/interrupt.h), when all running ones have saved and
/// stopped. UsageError where OUT holds a run of the same name with other settings, or where `only` names no run;
/// LostRank (collective/group.h) where a process that shares the plan is gone.
FACTORGCN_API std::vector<RunOutcome> execute_plan(const Plan& plan, const ExecuteOptions& options,
                                                   ExecuteObserver& observer);

/// Waits for rank 0, which has made the folder, and looks for what rank 0 leaves there. UsageError, at all of them,
/// where a rank does not see it. Nothing where `group` is null.
FACTORGCN_API void check_one_folder(Group* group, const std::filesystem::path& folder);

/// What execute_plan() refuses before it trains anything: folders below OUT with a run of the same name and other
/// settings, wrong settings, data that are not there. UsageError. An empty `out`: folders are not looked at.
FACTORGCN_API void check_plan(const Plan& plan, const std::filesystem::path& out);

/// Whether `only` asks for a run of that name.
FACTORGCN_API bool is_selected(const std::vector<std::string>& only, const std::string& name);

/// Held while the runs below `out` are begun, replaced or executed. Error where another process does that; the folder
/// must be there.
FACTORGCN_API FolderLock lock_runs(const std::filesystem::path& out);

FACTORGCN_API std::filesystem::path run_folder(const std::filesystem::path& out, const std::string& name);

/// Share of the work of a run or a fold that is done, 0 .. 1, from the files in its folder.
FACTORGCN_API double share_done(const std::filesystem::path& folder);

}  // namespace factorgcn
