// `factorgcn search`: settings chosen on the validation part.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/closing_page.h"
#include "cli/commands.h"
#include "cli/company.h"
#include "cli/output.h"
#include "cli/run_settings.h"
#include "cli/slow_blas.h"
#include "cli/train_seeds.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/report/page.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/progress.h"
#include "factorgcn/reproduce/search.h"
#include "factorgcn/reproduce/search_report.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn::cli {
namespace {

struct SearchFlags : RunSettings {
  using RunSettings::RunSettings;

  std::vector<std::string> over;
  std::string trials, seeds, jobs, rank_timeout;
  bool folds = false, quiet = false, no_page = false;
};

SearchPlan search_plan(const SearchFlags& flags, std::string& out) {
  require_usage(!flags.folds,
                "a search does not go with --folds: the tested folds would choose. Search on one fold (--fold N), then "
                "train --folds --config OUT/chosen.json");
  require_usage(!flags.over.empty(), "say what to search over, e.g. --over hidden=32,64 --over factors=4,8");
  SearchPlan plan;
  for (const std::string& text : flags.over) {
    plan.over.push_back(parse_searched_setting(text));
  }
  if (!flags.trials.empty()) {
    plan.trials = parse_whole("--trials", flags.trials);
    require_usage(plan.trials >= 1, "--trials ", plan.trials, ": give at least 1");
  }
  std::vector<nlohmann::json> layers = flags.layers();
  for (nlohmann::json& layer : layers) {
    plan.seed = layer.value("seed", plan.seed);
  }
  if (layers.size() > 1 && layers.front().contains("data")) {
    layers.front()["data"].erase("seed");  // another run's config.json: the data follow the seed
  }
  plan.typed = layers.back();
  plan.layer = merge_layers(layers);
  plan.layer.erase("seed");
  out = plan.layer.value("out", "");
  plan.layer.erase("out");
  require_usage(!out.empty(), "name a folder for the trials with --out; the same command goes on there after an end");
  plan.seeds = parse_seeds(flags.seeds.empty() ? "1" : flags.seeds, plan.seed);
  return plan;
}

int search(const SearchFlags& flags, const Program& program, const Company& company) {
  ExecuteOptions options;
  std::string out;
  const SearchPlan plan = search_plan(flags, out);
  options.out = out;
  options.program = {own_program()};
  options.jobs = parse_jobs(flags.jobs);
  options.threads = company.threads(flags.options.layer().value("threads", 0), options.jobs);
  options.group = company.group;
  options.pages = false;
  prepare_process(options.threads);
  const std::size_t trials = list_trials(plan).size();
  if (!flags.quiet && company.writes()) {
    warn_of_slow_blas();
    print(fmt::format("{} of {} combinations{}, {} at a time, in {}\n", trials, count_combinations(plan),
                      plan.seeds.size() > 1 ? fmt::format(", each with {} seeds", plan.seeds.size()) : "",
                      options.jobs * company.place.size,
                      shell_word(out)));
    std::fflush(stdout);  // hours may pass until more is printed
  }
  InterruptGuard guard;
  ReproduceProgress shown(
      [&](const RunOutcome& outcome) { return validation_in_words(run_folder(options.out, outcome.name)); });
  ExecuteObserver silent;
  const SearchResult result = run_search(plan, options, flags.quiet ? silent : shown);
  shown.finish();
  if (!company.writes()) {
    return silent_exit_code({});
  }
  if (interrupt_signal() != 0) {
    complain("interrupted; the same command goes on from here");
    return 128 + interrupt_signal();
  }
  print((flags.quiet ? "" : "\n") + search_report(result, plan, describe_terminal(STDOUT_FILENO)));
  print(fmt::format("\nEverything is in {}\n", shell_word(out)));
  const bool page_is_there =
      flags.no_page || write_closing_page(options.out, [&] { return search_page(options.out); }, program);
  if (!result.chosen) {
    complain(fmt::format("no trial came to a score; logs are in {}", shell_word((options.out / "logs").string())));
    return kFailure;
  }
  print(fmt::format("Next, the chosen settings with several seeds:\n  {} train --config {} --seeds 5\n",
                    program.invoked_as, shell_word((options.out / "chosen.json").string())));
  if (result.failed_runs > 0) {
    complain(fmt::format("{} runs failed, and the choice is among the others; logs are in {}; the same command tries "
                         "them again",
                         result.failed_runs, shell_word((options.out / "logs").string())));
    return kFailure;
  }
  return page_is_there ? kSuccess : kFailure;
}

}  // namespace

void add_search(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "search",
      "try settings and choose the best on the validation part\n\n"
      "Each --over names a setting and its values; every combination is a trial, or some drawn at random where there "
      "are many. The test part chooses nothing: the chosen trial's test score is shown once. After Ctrl-C, a crash or "
      "a failed trial the same command goes on; with more values or trials it keeps what is done.");
  auto flags = std::make_shared<SearchFlags>(app);
  const char* group = "Search";
  app.add_option("--over", flags->over,
                 "a setting and its values, e.g. hidden=32,64 or learning-rate=0.01,0.001; values that are lists are "
                 "parted by colons: factors=8,4:4,4. A dotted name reaches any key of config.json. May be repeated")
      ->type_name("NAME=VALUES")
      ->group(group)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--trials", flags->trials,
                 fmt::format("so many of the combinations, drawn with --seed (default: all, at most {})", kUsualTrials))
      ->type_name("N")
      ->group(group);
  app.add_option("--seeds", flags->seeds,
                 "train each trial with several seeds, whose mean counts: how many, or a list (default: 1)")
      ->type_name("N|LIST")
      ->group(group);
  app.add_option("--jobs", flags->jobs, "trainings at a time (default: 1)")->type_name("N")->group(group);
  app.add_flag("--folds", flags->folds, "not possible; search on one fold")->group("");
  add_run_settings(app, *flags);
  const char* run = "The run";
  app.add_flag("--no-page", flags->no_page, "do not write page.html")->group(run);
  app.add_flag("--quiet", flags->quiet, "no progress, only the table at the end")->group(run);
  add_rank_timeout(app, flags->rank_timeout, run);
  app.set_help_flag("-h,--help", "show this help")->group(run);
  app.footer(
      "Examples:\n"
      "  factorgcn search --dataset cora.safetensors --over hidden=32,64 \\\n"
      "    --over learning-rate=0.01,0.001 --out search\n"
      "  factorgcn search --over factors=8,4:4,4:2,2 --over lambda=0,0.2,0.5,1 \\\n"
      "    --trials 6 --seeds 3 --out search\n"
      "  factorgcn train --config search/chosen.json --seeds 5");
  app.callback([flags, &program] {
    program.action = [flags, &program] {
      return in_company(flags->rank_timeout, kRunsStand,
                        [&](const Company& company) { return search(*flags, program, company); });
    };
  });
}

}  // namespace factorgcn::cli
