// `factorgcn train --seeds`: several runs that differ in their seed alone, side by side and put together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/company.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn::cli {

struct SeedsRequest {
  std::filesystem::path out;  ///< of new runs, or of the folder that is taken up
  SeedPlan plan;              ///< of new runs
  bool resume = false;        ///< the folder's own plan
  bool force = false, quiet = false, page = true;
  int jobs = 1;
  int threads = 0;
};

/// The exit code. Prints the table of the whole, and where it is.
int train_with_seeds(const SeedsRequest& request, const Program& program, const Company& company);

/// Of processes that share runs, those that do not speak: the exit code.
int silent_exit_code(const std::vector<RunOutcome>& outcomes);

/// "validation accuracy 81.20": what a run that has ended came to; of the validation part where there is one.
std::string validation_in_words(const std::filesystem::path& run);

/// --jobs as a number, 1 where it was not given.
int parse_jobs(const std::string& text);

/// The running program itself, wherever it lies: what it starts must not be another version of the same name.
std::string own_program();

}  // namespace factorgcn::cli
