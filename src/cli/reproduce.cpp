// `factorgcn reproduce TARGET`: the paper's tables and figures from one command.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/company.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/slow_blas.h"
#include "cli/train_seeds.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/base/text.h"
#include "factorgcn/report/table_files.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/reproduce/plan.h"
#include "factorgcn/reproduce/progress.h"
#include "factorgcn/reproduce/results.h"

namespace factorgcn::cli {
namespace {

struct ReproduceFlags {
  std::string target, seeds, out, device, jobs, threads, rank_timeout;
  std::vector<std::string> only;
  bool quick = false, dry_run = false;
};

int small_number(const char* option, const std::string& text, int otherwise, std::int64_t least, std::int64_t most) {
  if (text.empty()) {
    return otherwise;
  }
  const std::int64_t value = parse_whole(option, text);
  require_usage(value >= least && value <= most, option, " ", value, ": give a number from ", least, " to ", most);
  return static_cast<int>(value);
}

void list_runs(const Plan& plan, const std::vector<std::string>& only) {
  for (const PlannedRun& run : plan.runs) {
    if (is_selected(only, run.name)) {
      print(fmt::format("{}{}\n", run.name, run.folds ? " (ten folds, both protocols)" : ""));
    }
  }
}

/// What is to be done, said before it begins.
void introduce(const ReproduceFlags& flags, const Plan& plan, const ExecuteOptions& options, int processes) {
  const bool folds = std::any_of(plan.runs.begin(), plan.runs.end(), [](const PlannedRun& run) { return run.folds; });
  print(fmt::format("{}: {}{} runs, {} {}at a time, in {}\n", flags.target, options.only.empty() ? "" : "some of ",
                    plan.runs.size(), options.jobs * processes, folds ? "trainings (runs or single folds) " : "",
                    shell_word(options.out.string())));
  for (const std::string& sentence : plan.left_out) {
    print(fmt::format("quick leaves out: {}\n", sentence));
  }
  std::fflush(stdout);  // hours may pass until more is printed
}

int reproduce(const ReproduceFlags& flags, const Company& company) {
  PlanOptions wanted;
  wanted.seeds = small_number("--seeds", flags.seeds, 0, 1, 1000);
  wanted.quick = flags.quick;
  const Plan plan = make_plan(flags.target, wanted);
  if (flags.dry_run) {
    if (company.writes()) {
      list_runs(plan, flags.only);
    }
    return kSuccess;
  }
  ExecuteOptions options;
  options.out = !flags.out.empty() ? flags.out : flags.quick ? "reproduction-quick" : "reproduction";
  options.program = {own_program()};
  options.jobs = small_number("--jobs", flags.jobs, 1, 1, 256);
  options.threads = company.threads(small_number("--threads", flags.threads, 0, 0, 4096), options.jobs);
  options.group = company.group;
  options.device = flags.device;
  options.only = flags.only;
  prepare_process(options.threads);
  if (company.writes()) {
    warn_of_slow_blas();
    introduce(flags, plan, options, company.place.size);
  }

  InterruptGuard guard;
  ReproduceProgress shown;
  const std::vector<RunOutcome> outcomes = execute_plan(plan, options, shown);
  shown.finish();
  if (!company.writes()) {
    return silent_exit_code(outcomes);
  }
  const auto count = [&](RunOutcome::State state) {
    return std::count_if(outcomes.begin(), outcomes.end(), [&](const RunOutcome& each) { return each.state == state; });
  };
  if (interrupt_signal() != 0) {
    complain(fmt::format("interrupted with {} of {} runs done; the same command goes on from here",
                         count(RunOutcome::State::kDone), outcomes.size()));
    return 128 + interrupt_signal();
  }
  const Page page = reproduction_page(plan, options.out, flags.target, outcomes);
  const auto files = write_reproduction(page, options.out, flags.target);
  const Terminal terminal = describe_terminal(STDOUT_FILENO);
  for (const PageTable& table : page.tables) {
    const std::string text = "\n" + table_markdown(table);
    print(terminal.utf8 ? text : to_ascii(text));
  }
  print(fmt::format("\nThe page: {}\nTables and figures beside it: {} files\n", shell_word(files.front().string()),
                    files.size() - 1));
  if (const auto failed = count(RunOutcome::State::kFailed); failed > 0) {
    complain(fmt::format("{} of {} runs failed; their logs are in {}/logs; the same command tries them again", failed,
                         outcomes.size(), options.out.string()));
    return kFailure;
  }
  return kSuccess;
}

std::string targets_text() {
  std::string text = "Targets:\n";
  for (const std::string& name : reproduction_targets()) {
    text += fmt::format("  {:<20}{}\n", name, target_summary(name));
  }
  return text + fmt::format("  {:<20}{}\n", "all", "everything above; shared runs are trained once");
}

}  // namespace

void add_reproduce(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "reproduce",
      "train what a table or figure of the paper needs and set it beside the paper's values\n\n"
      "Runs and folds that are over are never repeated and interrupted ones go on where they stopped: after Ctrl-C, a "
      "crash or a failed run the same command continues. Writes one HTML page, tables as Markdown, CSV and LaTeX, "
      "figures as SVG.");
  auto flags = std::make_shared<ReproduceFlags>();
  app.add_option("TARGET", flags->target, "a table or figure, or all; see below")->required();
  app.add_option("--seeds", flags->seeds,
                 "runs per system (default: 5 for tables 1 and 2, 3 for ZINC and sensitivity, 1 elsewhere)")
      ->type_name("N");
  app.add_flag("--quick", flags->quick, "a small version for two cores; it says what it leaves out");
  app.add_option("--jobs", flags->jobs, "trainings at a time; folds are single ones (default: 1)")->type_name("N");
  app.add_option("--device", flags->device, "auto, cpu, cuda or cuda:N, for each run (default: auto)")
      ->type_name("NAME");
  app.add_option("--only", flags->only,
                 "train only runs with TEXT in their name, such as zinc/ or /gin/ or mutag/gcn; the others are shown "
                 "where they are done; may be given several times")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  app.add_option("--threads", flags->threads, "of each training; 0: all cores, shared by the jobs (default: 0)")
      ->type_name("N");
  app.add_option("--out", flags->out, "where all of it goes (default: reproduction, or reproduction-quick)")
      ->type_name("FOLDER");
  app.add_flag("--dry-run", flags->dry_run, "only list the runs");
  add_rank_timeout(app, flags->rank_timeout, "Options");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(targets_text() +
             "\nExamples:\n"
             "  factorgcn reproduce table-1 --quick\n"
             "  factorgcn reproduce all --device cuda --jobs 4\n"
             "  factorgcn reproduce table-4 --only mutag --only /gin/\n"
             "  factorgcn reproduce table-4 --dry-run");
  app.callback([flags, &program] {
    program.action = [flags] {
      return in_company(flags->rank_timeout, kRunsStand,
                        [&](const Company& company) { return reproduce(*flags, company); });
    };
  });
}

}  // namespace factorgcn::cli
