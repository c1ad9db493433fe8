// `factorgcn train`: from flags and a config file to a run directory and a table.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/closing_page.h"
#include "cli/commands.h"
#include "cli/company.h"
#include "cli/fold_progress.h"
#include "cli/output.h"
#include "cli/random_factors.h"
#include "cli/run_observer.h"
#include "cli/run_settings.h"
#include "cli/slow_blas.h"
#include "cli/train_seeds.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/report/fold_report.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/reproduce/progress.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/idle_settings.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  factorgcn train\n"
    "      the paper's setting: synthetic data of 4 factor graphs, 80 epochs\n"
    "  factorgcn train --factors 6 --seed 1 --out runs/six\n"
    "  factorgcn train --epochs 20 --set hidden=64 --set factors=8,4\n"
    "  factorgcn train --dataset zinc --epochs 20\n"
    "  factorgcn train --dataset mutag --folds --epochs 350\n"
    "      all ten folds, under the published and the corrected protocol\n"
    "  factorgcn train --dataset cora.safetensors --seeds 10 --jobs 2\n"
    "      ten runs: mean, deviation and a 95 % interval\n"
    "  factorgcn train --resume runs/six\n"
    "      continue an interrupted run; it ends as if it had never stopped\n"
    "  factorgcn train --config runs/six/config.json --seed 2 --out runs/six-again\n"
    "  torchrun --no_python --nproc_per_node 2 factorgcn train --shards 2\n"
    "      several processes, or machines, train one run: docs/machines.md";

struct TrainFlags : RunSettings {
  using RunSettings::RunSettings;

  std::string resume, fold_protocols, seeds, jobs, rank_timeout;
  bool folds = false, force = false, quiet = false, no_page = false, changed_data = false;
};

/// runs/synthetic-factorgcn-seed0, or the next free name after it; `last`: "seed0".
std::string default_out(const RunConfig& config, const std::string& last) {
  std::filesystem::path path(config.dataset);
  if (!path.has_filename() || path.stem() == "." || path.stem() == "..") {  // folder/, or a folder by dots
    path = std::filesystem::weakly_canonical(path);
    path = path.has_filename() ? path : path.parent_path();
  }
  const std::string data = path.stem().string();
  const std::string first = fmt::format("runs/{}-{}-{}", data, config.model, last);
  std::string name = first;
  for (int number = 2; std::filesystem::exists(name); ++number) {
    name = fmt::format("{}-{}", first, number);
  }
  return name;
}

RunConfig configure(const TrainFlags& flags, const OpenedData& data) {
  std::vector<nlohmann::json> layers = flags.layers();
  nlohmann::json& given = layers.back();
  if (given.contains("seed") && !given["data"].contains("seed")) {
    given["data"]["seed"] = given["seed"];  // also where the config file has chosen the data's
  }
  RunConfig config = resolve_config(layers, data);
  refuse_idle_settings(given, config, data);
  if (config.out.empty()) {
    config.out = default_out(config, fmt::format("seed{}", config.seed));
  }
  return config;
}

void prepare(const TrainFlags& flags, const RunConfig& config, const Company& company = {}) {
  prepare_process(company.threads(config.threads));
  if (!flags.quiet) {
    warn_of_slow_blas();
  }
}

/// The first flag given that an earlier call has settled for good; empty where there is none.
std::string settled_flag(const TrainFlags& flags) {
  return !flags.config.empty()     ? "--config"
         : !flags.settings.empty() ? "--set"
         : flags.force             ? "--force"
         : flags.folds             ? "--folds"
         : flags.score_test        ? "--score-test-each-epoch"
         : flags.edge_weights      ? "--edge-weights"
                                   : "";
}

/// What may change when a run goes on; the rest is refused.
ResumeOptions resume_options(const TrainFlags& flags, RunConfig& config) {
  const std::string beside =
      flags.options.given_beside({"--epochs", "--threads", "--checkpoint-seconds", "--device", "--data-on-device"});
  const std::string refused = beside.empty() ? settled_flag(flags) : beside;
  require_usage(
      refused.empty(), refused,
      " does not go with --resume: a run continues as it was configured; only "
      "--epochs, --threads, --checkpoint-seconds, --device and --data-on-device may change, and --changed-data "
      "takes data that have");
  config = read_run_config(flags.resume);
  const nlohmann::json given = flags.options.layer();
  ResumeOptions changed;
  if (given.contains("epochs")) {
    changed.epochs = given.at("epochs").get<std::int64_t>();
  }
  if (given.contains("threads")) {
    changed.threads = given.at("threads").get<int>();
  }
  if (given.contains("checkpoint_seconds")) {
    changed.checkpoint_seconds = given.at("checkpoint_seconds").get<double>();
  }
  if (given.contains("device")) {
    changed.device = given.at("device").get<std::string>();
  }
  if (given.contains("data_on_device")) {
    changed.data_on_device = given.at("data_on_device").get<std::string>();
  }
  apply(changed, config);
  return changed;
}

void accept_data(const TrainFlags& flags, OpenedData& data) {
  if (flags.changed_data) {
    data.accept_changed_data();
  }
}

/// False for a model that only draws at random.
bool has_network_to_train(const std::string& model) {
  return std::none_of(models().begin(), models().end(),
                      [&](const ModelEntry& entry) { return entry.name == model && !entry.trained; });
}

RunResult start_or_resume(const TrainFlags& flags, Observer& observer, const RunConfig& config,
                          const ResumeOptions& changed, const OpenedData& data, const Company& company) {
  prepare(flags, config, company);
  if (!flags.resume.empty()) {
    return resume_training(flags.resume, observer, changed, data, company.group);
  }
  if (company.place.started_again && std::filesystem::exists(RunPaths(config.out).config)) {
    observer.on_message("the processes were started again: the run goes on");
    return resume_training(config.out, observer, {}, data, company.group);
  }
  return run_training(config, observer, flags.force, data, company.group);
}

/// For a RunResult or a FoldResult that a signal ended.
template <class Result>
int interrupted(const TrainFlags& flags, const Result& result, const Program& program) {
  complain(fmt::format("{}; continue with: {} train --resume {}{}{}", result.message, program.invoked_as,
                       shell_word(result.folder.string()), flags.no_page ? " --no-page" : "",
                       flags.quiet ? " --quiet" : ""));
  return 128 + result.signal;
}

std::vector<std::string> chosen_protocols(const TrainFlags& flags) {
  if (flags.fold_protocols.empty() || flags.fold_protocols == "both") {
    return {"corrected", "published"};
  }
  require_usage(flags.fold_protocols == "corrected" || flags.fold_protocols == "published", "--fold-protocols '",
                flags.fold_protocols, "': choose corrected, published or both");
  return {flags.fold_protocols};
}

/// What folds that are over come to.
int show_folds(const TrainFlags& flags, const Program& program, const RunConfig& config, const OpenedData& data,
               const FoldResult& result) {
  const Terminal terminal = describe_terminal(STDOUT_FILENO);
  print((flags.quiet ? "" : "\n") + fold_report(*result.metrics, departures_from_preset(config, data), terminal));
  print(fmt::format("\nEverything is in {}\n", shell_word(result.folder.string())));
  const bool page_is_there =
      flags.no_page || write_closing_page(
                           result.folder, [&] { return run_page(result.folder, {}, data, nullptr); }, program);
  if (result.metrics->shared.status == RunStatus::kDiverged) {
    complain(result.message.empty() ? "training diverged in some folds: their best models were kept" : result.message);
    return kDiverged;
  }
  return page_is_there ? kSuccess : kFailure;
}

int train_folds(const TrainFlags& flags, const Program& program) {
  RunConfig config;
  OpenedData data;
  InterruptGuard guard;
  FoldProgress shown(flags.quiet);
  FoldResult result;
  if (!flags.resume.empty()) {
    const ResumeOptions changed = resume_options(flags, config);
    accept_data(flags, data);
    prepare(flags, config);
    result = resume_folds(flags.resume, shown, changed, data);
  } else {
    require_usage(!flags.options.layer().value("data", nlohmann::json::object()).contains("fold"),
                  "--fold and --folds exclude each other: one fold, or all of them");
    config = configure(flags, data);
    const std::vector<std::string> protocols = chosen_protocols(flags);
    prepare(flags, config);
    result = run_folds(config, protocols, shown, flags.force, data);
  }
  shown.finish();
  if (result.status == RunStatus::kInterrupted) {
    return interrupted(flags, result, program);
  }
  return show_folds(flags, program, config, data, result);
}

/// The folds dealt out to several processes.
int train_folds_together(const TrainFlags& flags, const Program& program, const Company& company) {
  RunConfig config;
  OpenedData data;
  std::vector<std::string> protocols;
  if (!flags.resume.empty()) {
    const std::string beside = flags.options.given_beside({"--threads"});
    const std::string refused = beside.empty() ? settled_flag(flags) : beside;
    require_usage(refused.empty(), refused, " does not go with --resume of folds by several processes: they continue ",
                  "as they were configured; only --threads may change");
    config = read_run_config(flags.resume);
    config.out = flags.resume;
    protocols = fold_protocols(flags.resume);
  } else {
    config = configure(flags, data);
    config.out = company.first(config.out);
    protocols = chosen_protocols(flags);
    if (company.writes()) {
      prepare_folds(config, protocols, flags.force, data);
    }
  }
  check_one_folder(company.group, config.out);
  const std::filesystem::path folder(config.out);
  Plan plan;
  plan.runs.push_back({folder.filename().string(), to_json(config), /*folds=*/true, protocols, folder});
  ExecuteOptions options;
  options.out = folder;
  options.program = {own_program()};
  options.threads = company.threads(static_cast<int>(flags.options.layer().value("threads", 0)));
  options.pages = false;
  options.group = company.group;
  prepare_process(options.threads);
  InterruptGuard guard;
  ReproduceProgress shown;
  ExecuteObserver silent;
  const std::vector<RunOutcome> outcomes = execute_plan(plan, options, flags.quiet ? silent : shown);
  shown.finish();
  if (!company.writes()) {
    return silent_exit_code(outcomes);
  }
  if (interrupt_signal() != 0) {
    complain(
        fmt::format("interrupted; continue with: {} train --resume {}", program.invoked_as, shell_word(config.out)));
    return 128 + interrupt_signal();
  }
  require(outcomes.front().state == RunOutcome::State::kDone, outcomes.front().message, "; logs are in ",
          (folder / "logs").string(), "; --resume tries again");
  return show_folds(flags, program, config, data, {RunStatus::kFinished, "", folder, read_fold_metrics(folder), 0});
}

/// What to type next, with the flags that were given.
std::string next_step(const TrainFlags& flags, const RunConfig& config, const RunResult& result,
                      const std::string& program) {
  const std::string folder = result.folder.string();
  std::string again = program + " train";
  if (flags.resume.empty()) {
    again += flags.options.typed_again({"--seed", "--out", "--force"});
  } else {
    again += " --config " + shell_word(RunPaths(folder).config.string());
  }
  again += fmt::format(" --seed {}", config.seed + 1);
  if (flags.options.layer().contains("out")) {
    again += " --out " + shell_word(fmt::format("{}-seed{}", folder, config.seed + 1));
  }
  std::string evaluate = fmt::format("{} evaluate {} --split validation", program, shell_word(folder));
  const nlohmann::json given = flags.options.layer();
  if (given.contains("device")) {
    evaluate += " --device " + shell_word(given.at("device").get<std::string>());
  }
  if (given.contains("threads")) {
    evaluate += fmt::format(" --threads {}", given.at("threads").get<std::int64_t>());
  }
  return fmt::format(
      "Everything is in {}\n"
      "Next, to see how much the numbers vary from seed to seed:\n"
      "  {}\n"
      "or the same model on the validation part, which chose it:\n"
      "  {}\n",
      shell_word(folder), again, evaluate);
}

/// No process has seen the whole graph: what looks at all of it takes the data set that was cut.
std::string parts_step(const RunResult& result, const std::string& program) {
  return fmt::format(
      "Everything is in {0}\n"
      "What the model answers on the whole graph, or on another one:\n"
      "  {1} predict {0} --dataset FILE --out predictions.csv\n",
      shell_word(result.folder.string()), program);
}

/// How to use outside what the model has learnt.
std::string take_away_step(const RunResult& result, const std::string& program) {
  const std::string run = shell_word(result.folder.string());
  const bool has_factors = result.loaded != nullptr && result.loaded->model->num_factor_layers() > 0;
  return fmt::format("To take away what it answers{}:\n  {} predict {} --out predictions.csv\n{}",
                     has_factors ? " and its factor graphs" : "", program, run,
                     has_factors ? fmt::format("  {} factors {} --out factors.csv\n", program, run) : "");
}

/// What may go with a folder of several seeds that is continued.
SeedsRequest resumed_seeds(const TrainFlags& flags) {
  const std::string beside = flags.options.given_beside({"--threads"});
  const std::string refused = !beside.empty() ? beside : !flags.seeds.empty() ? "--seeds" : settled_flag(flags);
  require_usage(refused.empty(), refused,
                " does not go with --resume of several seeds: they continue as they were configured; only --threads "
                "and --jobs may change. To add seeds, give the first command again with more of them");
  SeedsRequest request;
  request.out = flags.resume;
  request.resume = true;
  return request;
}

SeedsRequest new_seeds(const TrainFlags& flags) {
  require_usage(flags.fold_protocols.empty(), "--fold-protocols does not go with --seeds: both protocols are run");
  std::vector<nlohmann::json> layers = flags.layers();
  std::uint64_t first = 0;
  for (nlohmann::json& layer : layers) {
    first = layer.value("seed", first);
  }
  if (layers.size() > 1 && layers.front().contains("data")) {
    layers.front()["data"].erase("seed");  // another run's config.json: the data follow the new seeds
  }
  SeedsRequest request;
  request.plan.layer = merge_layers(layers);
  request.plan.seeds = parse_seeds(flags.seeds, first);
  request.plan.folds = flags.folds;
  request.plan.pages = !flags.no_page;
  request.plan.layer.erase("seed");
  request.out = request.plan.layer.value("out", "");
  request.plan.layer.erase("out");
  const OpenedData data;
  const RunConfig config = resolve_config(std::vector{request.plan.layer}, data);
  refuse_idle_settings(layers.back(), config, data);
  require_usage(has_network_to_train(config.model), "--seeds: ", config.model,
                " draws its factors at random and trains nothing");
  if (request.out.empty()) {
    request.out = default_out(config, "seeds");
  }
  return request;
}

int train_several(const TrainFlags& flags, const Program& program, const Company& company) {
  SeedsRequest request = flags.resume.empty() ? new_seeds(flags) : resumed_seeds(flags);
  request.force = flags.force;
  request.quiet = flags.quiet;
  request.page = !flags.no_page;
  request.jobs = parse_jobs(flags.jobs);
  request.threads = flags.options.layer().value("threads", 0);
  return train_with_seeds(request, program, company);
}

int train_one(const TrainFlags& flags, const Program& program, const Company& company) {
  RunConfig config;
  OpenedData data;
  const bool resumed = !flags.resume.empty();
  ResumeOptions changed;
  if (resumed) {
    changed = resume_options(flags, config);
    accept_data(flags, data);
  } else {
    config = configure(flags, data);
  }
  if (!has_network_to_train(config.model)) {
    require_usage(company.group == nullptr, "model ", config.model,
                  " draws its factors at random: there is nothing for several processes to share");
    config.out = resumed ? flags.resume : config.out;
    return show_random_factors(config, resumed || flags.force, data);
  }
  InterruptGuard guard;
  RunObserver shown;
  Observer silent;
  RunResult result =
      start_or_resume(flags, flags.quiet || !company.writes() ? silent : shown, config, changed, data, company);
  shown.finish();

  if (!company.writes()) {
    return result.status == RunStatus::kInterrupted ? 128 + result.signal
           : result.status == RunStatus::kDiverged  ? static_cast<int>(kDiverged)
                                                    : static_cast<int>(kSuccess);
  }
  if (result.status == RunStatus::kInterrupted) {
    return interrupted(flags, result, program);
  }
  const Terminal terminal = describe_terminal(STDOUT_FILENO);
  print((flags.quiet ? "" : "\n") + run_report(*result.metrics, departures_from_preset(config, data), terminal) + "\n");
  const bool in_parts = is_parts_folder(config.dataset);  // a page shows whole graphs
  const bool page_is_there =
      flags.no_page || in_parts ||
      write_closing_page(
          result.folder, [&] { return run_page(result.folder, {}, data, result.loaded); }, program);
  print(in_parts ? parts_step(result, program.invoked_as) : next_step(flags, config, result, program.invoked_as));
  if (result.status == RunStatus::kDiverged) {
    // The observer has shown the message when it happened.
    complain(flags.quiet                       ? result.message
             : result.metrics->best_epoch == 0 ? "training diverged; the scores are those of an untrained network"
                                               : "training diverged; the scores are those of the best model before it");
    return kDiverged;
  }
  print(in_parts ? "" : take_away_step(result, program.invoked_as));
  return page_is_there ? kSuccess : kFailure;
}

int train(const TrainFlags& flags, const Program& program) {
  require_usage(!flags.changed_data || (!flags.resume.empty() && !is_seed_folder(flags.resume)),
                "--changed-data goes with --resume RUN: a run or its folds that go on with data that have changed");
  const bool seeds = !flags.seeds.empty() || (!flags.resume.empty() && is_seed_folder(flags.resume));
  const bool folds = flags.folds || (!flags.resume.empty() && is_fold_run(flags.resume));
  require_usage(seeds || flags.jobs.empty(), "--jobs goes with --seeds: a single run uses all cores by itself");
  require_usage(seeds || folds || flags.fold_protocols.empty(), "--fold-protocols goes with --folds");
  const char* const what_stands =
      seeds || folds ? kRunsStand
                     : "the run's last checkpoint stands, --resume goes on from it with any number of processes";
  return in_company(flags.rank_timeout, what_stands, [&](const Company& company) {
    return seeds                               ? train_several(flags, program, company)
           : folds && company.group == nullptr ? train_folds(flags, program)
           : folds                             ? train_folds_together(flags, program, company)
                                               : train_one(flags, program, company);
  });
}

}  // namespace

void add_train(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "train",
      "train a model, score it and keep everything in a run directory\n\n"
      "Without options this is the paper's experiment on synthetic data. Settings come from the preset, then from "
      "--config, then from the other options; a later one wins.");
  auto flags = std::make_shared<TrainFlags>(app);
  add_run_settings(app, *flags);
  const char* data = "Data";
  app.add_flag("--folds", flags->folds, "cross-validation: run every fold and average")->group(data);
  app.add_option("--fold-protocols", flags->fold_protocols,
                 "with --folds: corrected, published or both (default: both)")
      ->type_name("NAME")
      ->group(data);
  const char* training = "Training";
  app.add_option("--seeds", flags->seeds,
                 "several runs that differ in their seed alone, and what they say together: how many, from --seed on, "
                 "or a list such as 3,8,21")
      ->type_name("N|LIST")
      ->group(training);
  app.add_option("--jobs", flags->jobs, "with --seeds: runs at a time (default: 1)")->type_name("N")->group(training);
  const char* run = "The run";
  app.add_flag("--force", flags->force, "replace a former run in that folder")->group(run);
  app.add_option("--resume", flags->resume, "continue an interrupted run with its own settings")
      ->type_name("RUN")
      ->group(run);
  app.add_flag("--changed-data", flags->changed_data, "with --resume: go on where the run's data have changed")
      ->group(run);
  app.add_flag("--no-page", flags->no_page, "do not write page.html, the run's page for a browser")->group(run);
  app.add_flag("--quiet", flags->quiet, "no progress, only the table at the end")->group(run);
  add_rank_timeout(app, flags->rank_timeout, run);
  app.set_help_flag("-h,--help", "show this help")->group(run);
  app.footer(kExamples);
  app.callback([flags, &program] { program.action = [flags, &program] { return train(*flags, program); }; });
}

}  // namespace factorgcn::cli
