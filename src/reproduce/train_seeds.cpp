// A plan with one run per seed.
#include "factorgcn/reproduce/train_seeds.h"

#include <algorithm>

#include "base/folder_entries.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/folder_lock.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

void remove_former_runs(const fs::path& folder) {
  for (const std::uint64_t seed : read_seed_plan(folder).seeds) {
    remove_whole(seed_run_folder(folder, seed));
  }
  const RunPaths whole(folder);
  for (const fs::path& path : {whole.metrics, whole.page, folder / "seeds.json"}) {
    fs::remove(path);
  }
  remove_whole(folder / "logs");
}

}  // namespace

Plan plan_of_seeds(const SeedPlan& plan) {
  Plan whole;
  for (const std::uint64_t seed : plan.seeds) {
    PlannedRun run{seed_run_name(seed), plan.layer, plan.folds};
    run.layer["seed"] = seed;
    whole.runs.push_back(std::move(run));
  }
  return whole;
}

SeedPlan begin_seed_folder(const fs::path& folder, const SeedPlan& plan, bool force) {
  const bool exists = fs::exists(folder);
  require_usage(!exists || fs::is_directory(folder), folder.string(), " is a file; choose another --out");
  SeedPlan whole = plan;
  if (exists && is_seed_folder(folder)) {
    const FolderLock lock = lock_runs(folder);
    const SeedPlan former = read_seed_plan(folder);
    if (force) {
      check_plan(plan_of_seeds(plan), "");  // wrong settings must not cost the former runs their files
      remove_former_runs(folder);
    } else {
      require_usage(former.folds == plan.folds, folder.string(), " holds ",
                    former.folds ? "cross-validations" : "runs without --folds", "; choose another --out");
      whole.seeds = former.seeds;
      std::copy_if(plan.seeds.begin(), plan.seeds.end(), std::back_inserter(whole.seeds), [&](std::uint64_t seed) {
        return std::find(former.seeds.begin(), former.seeds.end(), seed) == former.seeds.end();
      });
    }
  } else {
    require_usage(!exists || !has_content(folder), folder.string(),
                  " is not empty and holds no runs of several seeds; choose another --out");
  }
  check_plan(plan_of_seeds(whole), folder);
  write_seed_plan(folder, whole);
  return whole;
}

SeedResult train_seeds(const ExecuteOptions& options, ExecuteObserver& observer) {
  const SeedPlan plan = read_seed_plan(options.out);
  SeedResult result;
  result.outcomes = execute_plan(plan_of_seeds(plan), options, observer);
  if (!options.speaks()) {
    return result;
  }
  result.metrics = gather_seed_runs(options.out);
  for (std::size_t index = 0; index < result.outcomes.size(); ++index) {
    result.metrics.runs[index].message = result.outcomes[index].message;
  }
  if (interrupt_signal() == 0) {
    write_file_atomically(RunPaths(options.out).metrics, to_json(result.metrics).dump(2) + "\n");
  }
  return result;
}

}  // namespace factorgcn
