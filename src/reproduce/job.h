// The processes that a plan comes to: one for each plain run; for a cross-validation one for each protocol and fold, so
// that they fill a machine, and one that puts them together when all are over.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/reproduce/execute.h"
#include "factorgcn/reproduce/plan.h"

namespace factorgcn {

struct Job {
  JobKind kind = JobKind::kRun;
  std::size_t run = 0;   // in the plan
  std::string name;      // the run's; of a fold with ", corrected fold 3" behind it
  std::string part;      // of a fold: "corrected fold 3"
  std::string protocol;  // of a fold
  int fold = 0;          // of a fold, from 1
  std::filesystem::path folder, log;
};

/// All jobs of a plan, those of a run beside each other and its closing one last. UsageError where a folder holds a run
/// or a fold with other settings: it must be neither used as if it were this one nor overwritten.
std::vector<Job> list_jobs(const Plan& plan, const std::filesystem::path& out);

/// The folder of a cross-validation, where it is missing. Error where that cannot be.
void make_shared_folder(const PlannedRun& run, const ExecuteOptions& options);

/// The words that start a job: a new run from a configuration file, written here, or the rest of one. The first fold of
/// a cross-validation also makes the folder of the whole; Error where that cannot be.
std::vector<std::string> job_command(const Job& job, const PlannedRun& run, const ExecuteOptions& options);

}  // namespace factorgcn
