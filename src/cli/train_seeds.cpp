// The runs are processes of their own, on the scheduler of the paper's reproduction.
#include "cli/train_seeds.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/closing_page.h"
#include "cli/options.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/seed_report.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/progress.h"
#include "factorgcn/reproduce/train_seeds.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {
namespace {

void introduce_seeds(const SeedsRequest& request, const SeedPlan& plan, const Company& company) {
  if (!request.quiet) {
    print(fmt::format("{} run{} that differ in their seed alone, {} at a time, in {}\n", plan.seeds.size(),
                      plan.seeds.size() == 1 ? "" : "s", request.jobs * company.place.size,
                      shell_word(request.out.string())));
    std::fflush(stdout);  // much time may pass until more is printed
  }
}

}  // namespace

std::string validation_in_words(const std::filesystem::path& run) {
  const RunPaths paths(run);
  if (!std::filesystem::exists(paths.metrics)) {
    return "";
  }
  const RunMetrics metrics = is_fold_run(run) ? read_fold_metrics(run).shared : read_metrics(paths.metrics.string());
  if (metrics.status == RunStatus::kDiverged) {
    return "but training diverged";
  }
  const std::string name = task_metric(metrics);
  const auto validation = metrics.validation.find(name);
  const auto test = metrics.test.find(name);
  return validation != metrics.validation.end()
             ? fmt::format("validation {} {}", metric_label(name), metric_text(name, validation->second))
         : test != metrics.test.end()
             ? fmt::format("{} {} {}", metric_split(metrics, name), metric_label(name), metric_text(name, test->second))
             : "";
}

int parse_jobs(const std::string& text) {
  const std::int64_t jobs = text.empty() ? 1 : parse_whole("--jobs", text);
  require_usage(jobs >= 1 && jobs <= 256, "--jobs ", jobs, ": give a number from 1 to 256");
  return static_cast<int>(jobs);
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

int silent_exit_code(const std::vector<RunOutcome>& outcomes) {
  const bool failed = std::any_of(outcomes.begin(), outcomes.end(), [](const RunOutcome& outcome) {
    return outcome.state == RunOutcome::State::kFailed;
  });
  return interrupt_signal() != 0 ? 128 + interrupt_signal() : failed ? kFailure : kSuccess;
}

int train_with_seeds(const SeedsRequest& request, const Program& program, const Company& company) {
  ExecuteOptions options;
  options.out = company.first(request.out.string());
  options.program = {own_program()};
  options.jobs = request.jobs;
  options.threads = company.threads(request.threads, request.jobs);
  options.group = company.group;
  prepare_process(options.threads);
  if (company.writes() && !request.resume) {
    begin_seed_folder(options.out, request.plan, request.force);
  }
  check_one_folder(company.group, options.out);
  const SeedPlan plan = read_seed_plan(options.out);
  options.pages = plan.pages;
  if (company.writes()) {
    introduce_seeds(request, plan, company);
  }
  InterruptGuard guard;
  ReproduceProgress shown(
      [&](const RunOutcome& outcome) { return validation_in_words(run_folder(options.out, outcome.name)); });
  ExecuteObserver silent;
  const SeedResult result = train_seeds(options, request.quiet ? silent : shown);
  shown.finish();
  if (!company.writes()) {
    return silent_exit_code(result.outcomes);
  }
  const auto failed = result.metrics.without_metrics();
  if (interrupt_signal() != 0) {
    complain(fmt::format("interrupted with {} of {} runs done; continue with: {} train --resume {}",
                         plan.seeds.size() - failed.size(), plan.seeds.size(), program.invoked_as,
                         shell_word(options.out.string())));
    return 128 + interrupt_signal();
  }
  bool page_is_there = true;
  if (const RunMetrics* const example = result.metrics.example()) {
    const RunConfig config = read_run_config(seed_run_folder(options.out, example->seed));
    print((request.quiet ? "" : "\n") +
          seed_report(result.metrics, departures_from_preset(config), describe_terminal(STDOUT_FILENO)));
    print(fmt::format("\nEverything is in {}\n", shell_word(options.out.string())));
    page_is_there = !request.page || write_closing_page(
                                         options.out, [&] { return seed_page(options.out); }, program);
    print(fmt::format("Next, beside another model's or other settings' runs:\n  {} compare {} OTHER\n",
                      program.invoked_as, shell_word(options.out.string())));
  }
  if (!failed.empty()) {
    const auto first = std::find_if(result.outcomes.begin(), result.outcomes.end(), [](const RunOutcome& outcome) {
      return outcome.state == RunOutcome::State::kFailed;
    });
    complain(fmt::format("{} of {} runs failed{}; their logs are in {}; the same command tries them again",
                         failed.size(), plan.seeds.size(),
                         first == result.outcomes.end() ? "" : fmt::format(" ({}: {})", first->name, first->message),
                         shell_word((options.out / "logs").string())));
    return kFailure;
  }
  if (!result.metrics.diverged().empty()) {
    complain(fmt::format("training diverged in {} of {} runs; they are not in the means",
                         result.metrics.diverged().size(), plan.seeds.size()));
    return kDiverged;
  }
  return page_is_there ? kSuccess : kFailure;
}

}  // namespace factorgcn::cli
