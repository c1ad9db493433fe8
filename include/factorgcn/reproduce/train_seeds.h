// Trains the runs of a folder of seeds (train/seed_runs.h), each in a process of its own, on the scheduler of
// reproduce/execute.h: what is over is never repeated, what was interrupted goes on, a failure leaves the others alone.
#pragma once

#include <filesystem>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/reproduce/plan.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn {

/// One run per seed. The layer's own seeds, of the run and of the data, are those of the run; data.seed stays where the
/// layer has one.
FACTORGCN_API Plan plan_of_seeds(const SeedPlan& plan);

/// Makes the folder, or takes up a former one: its seeds stay and those of `plan` are added. UsageError where it holds
/// something else, or runs with other settings unless `force`, which removes them. Returns what the folder now
/// asks for.
FACTORGCN_API SeedPlan begin_seed_folder(const std::filesystem::path& folder, const SeedPlan& plan, bool force);

struct FACTORGCN_API SeedResult {
  SeedMetrics metrics;               ///< of all that are over; of processes that share the runs the first has them
  std::vector<RunOutcome> outcomes;  ///< one per seed
};

/// Trains what is left to do of the folder's plan; metrics.json is written unless a signal came. `options.out` is the
/// folder.
FACTORGCN_API SeedResult train_seeds(const ExecuteOptions& options, ExecuteObserver& observer);

}  // namespace factorgcn
