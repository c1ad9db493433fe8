// `factorgcn evaluate RUN`: scores a run's best model again.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/company.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/score_split.h"
#include "cli/slow_blas.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/fold_report.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/seed_report.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/search.h"
#include "factorgcn/reproduce/search_report.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/rank_agreement.h"
#include "factorgcn/train/run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn::cli {
namespace {

struct EvaluateFlags {
  std::string run, dataset, split, protocol, threads, device, rank_timeout;
  bool json = false, changed_data = false;
};

/// Scores of one part of the run's data, or of data that its model has not seen.
void show_part(const EvaluateFlags& flags, const RunMetrics& metrics, const std::string& part,
               const Terminal& terminal) {
  if (flags.json) {
    const auto whole = to_json(metrics);
    nlohmann::ordered_json shown{{"run", flags.run}};
    if (!flags.dataset.empty()) {
      shown["dataset"] = flags.dataset;
    }
    shown["split"] = part;
    shown["scores"] = metrics.test;
    shown["samples"] = metrics.samples.at(part);
    for (const char* key : {"intervals", "chance"}) {
      shown[key] = whole.contains(key) ? whole.at(key) : nlohmann::ordered_json::object();
    }
    print(shown.dump(2) + "\n");
    return;
  }
  Table table({{"metric"}, {"on " + part, Align::kPoint}, {"95 % interval"}, {"chance"}, {"better"}});
  const auto add = [&](const std::string& name) {
    const auto spread = metrics.test.find(name + "_std");
    const Metric* const metric = find_metric(name);
    table.add_row({metric == nullptr ? name : metric->label_with_unit(),
                   metric_text(name, metrics.test.at(name)) +
                       (spread == metrics.test.end() ? "" : " ± " + metric_text(name, spread->second)),
                   interval_text(metrics, name), chance_text(metrics, name),
                   smaller_is_better(name) ? "lower" : "higher"});
  };
  for (const auto& names : {shown_metrics(metrics), further_metrics(metrics)}) {
    std::for_each(names.begin(), names.end(), add);
  }
  if (metrics.test.contains("loss")) {  // kernel machines have none
    add("loss");
  }
  print(table.to_text(terminal.utf8) + "\n" + wrap_text(samples_text(metrics), std::clamp(terminal.width, 60, 100)) +
        "\n");
}

/// What is labelled in other data, or one part of their split.
void show_new_data(const EvaluateFlags& flags, const std::string& device, const OpenedData& data,
                   const Terminal& terminal, const Company& company) {
  const RunOnData applied = load_run_on(flags.run, flags.dataset, data);
  const Dataset& dataset = *applied.run.data;
  require_usage(applied.unknown_classes.empty(), flags.dataset,
                ": it has labels of classes that the model does not "
                "know, so it cannot be scored whole; leave those labels empty, or see its answers with: factorgcn "
                "predict");
  const DataPart part =
      flags.split.empty() ? labelled_part(dataset) : data_part(dataset, part_from_name("--split", flags.split));
  require_usage(!part.empty(), flags.dataset,
                flags.split.empty() ? ": nothing in it has a label of the kind that the "
                                      "model answers; see its answers with: factorgcn predict"
                                    : ": nothing is in that part of its split");
  const std::string name = flags.split.empty() ? "new data" : flags.split;
  const RunMetrics metrics = score_part_of(applied.run, part, name, device, company.group);
  if (company.writes()) {
    for (const std::string& note : applied.notes) {
      complain(flags.dataset + ": " + note);
    }
    show_part(flags, metrics, name, terminal);
  }
}

/// Before batches are shared: whether all processes have the same ones, and the same weights.
void check_same_evaluation(const EvaluateFlags& flags, const std::string& device, const Company& company) {
  if (company.group == nullptr) {
    return;
  }
  const RunPaths paths(flags.run);
  const std::string weights =
      std::filesystem::exists(paths.model) ? hash_text(content_hash(read_file(paths.model))) : "none";
  check_ranks_agree(*company.group, {{"config", to_json(read_run_config(flags.run))},
                                     {"content of the weights", weights},
                                     {"dataset", flags.dataset},
                                     {"split", flags.split},
                                     {"protocol", flags.protocol},
                                     {"device", device}});
}

int evaluate(const EvaluateFlags& flags, const Company& company) {
  if (!flags.split.empty()) {
    part_from_name("--split", flags.split);
  }
  require_usage(flags.dataset.empty() || flags.protocol.empty(),
                "--dataset and --protocol exclude each other: a protocol is about the data that a run was trained on");
  require_usage(flags.split.empty() || flags.protocol.empty(),
                "--split and --protocol exclude each other: a protocol chooses the splits itself");
  const std::int64_t threads = flags.threads.empty() ? 0 : parse_whole("--threads", flags.threads);
  require_usage(threads >= 0 && threads <= 4096, "--threads ", threads, ": give 0 (all cores) or a number up to 4096");
  if (!company.writes() && (is_search_folder(flags.run) || is_seed_folder(flags.run) || is_fold_run(flags.run))) {
    return kSuccess;  // what is to be read is read by one
  }
  if (is_search_folder(flags.run)) {
    const SearchResult result = gather_search(flags.run);
    print(flags.json ? to_json(result).dump(2) + "\n"
                     : search_report(result, read_search_plan(flags.run), describe_terminal(STDOUT_FILENO)));
    return kSuccess;
  }
  if (is_seed_folder(flags.run)) {
    require_usage(flags.split.empty() && flags.protocol.empty(), flags.run,
                  " holds runs of several seeds; --split and --protocol go with one of them, e.g. ",
                  seed_run_folder(flags.run, read_seed_plan(flags.run).seeds.front()).string());
    const SeedMetrics metrics = gather_seed_runs(flags.run);
    print(flags.json ? to_json(metrics).dump(2) + "\n" : seed_report(metrics, {}, describe_terminal(STDOUT_FILENO)));
    return kSuccess;
  }
  const RunConfig config = read_run_config(flags.run);
  OpenedData data;
  if (flags.changed_data) {
    data.accept_changed_data();
  }
  if (is_fold_run(flags.run)) {
    require_usage(flags.split.empty() && flags.protocol.empty() && flags.dataset.empty(), flags.run,
                  " is a cross-validation: its folds are run directories of their own, e.g. ", flags.run,
                  "/corrected/fold-01; --split, --protocol and --dataset go with those");
    const FoldMetrics metrics = read_fold_metrics(flags.run);
    print(flags.json ? to_json(metrics).dump(2) + "\n"
                     : fold_report(metrics, departures_from_preset(config, data), describe_terminal(STDOUT_FILENO)));
    return kSuccess;
  }
  // A run that asked for a GPU may be looked at where there is none.
  const std::string device = !flags.device.empty() ? flags.device : config.device == "cpu" ? "cpu" : "auto";
  prepare_process(company.threads(static_cast<int>(threads)));
  check_same_evaluation(flags, device, company);
  if (company.writes()) {
    warn_of_slow_blas();
  }

  const Terminal terminal = describe_terminal(STDOUT_FILENO);
  if (!flags.dataset.empty()) {
    show_new_data(flags, device, data, terminal, company);
    return kSuccess;
  }
  if (!flags.split.empty()) {
    const RunMetrics metrics = score_split(flags.run, flags.split, device, data, company.group);
    if (company.writes()) {
      show_part(flags, metrics, flags.split, terminal);
    }
    return kSuccess;
  }
  const auto protocol = flags.protocol.empty() ? std::nullopt : std::optional(flags.protocol);
  const RunMetrics metrics = evaluate_run(flags.run, protocol, device, data, company.group);
  if (!company.writes()) {
    return kSuccess;
  }
  if (flags.json) {
    print(to_json(metrics).dump(2) + "\n");
  } else {
    print(run_report(metrics, departures_from_preset(config, data), terminal));
  }
  return kSuccess;
}

}  // namespace

void add_evaluate(CLI::App& parent, Program& program) {
  CLI::App& app =
      *parent.add_subcommand("evaluate",
                             "score a run's best model again and show it beside the paper's values\n\n"
                             "Nothing is written. The data are made or read again as the run's config.json says, "
                             "wherever the run lies now; or other labelled data are scored, with --dataset.");
  auto flags = std::make_shared<EvaluateFlags>();
  app.add_option("RUN", flags->run, "a run directory made by `factorgcn train`")->required();
  app.add_option("--dataset", flags->dataset,
                 "score all that is labelled in other data: a data-set file, or a data set's name. Columns and classes "
                 "are matched by name")
      ->type_name("FILE");
  app.add_option("--split", flags->split, "score one part of the data only: train, validation or test")
      ->type_name("NAME");
  app.add_flag("--changed-data", flags->changed_data, "go on where the run's data have changed since it was trained");
  app.add_option("--protocol", flags->protocol, "corrected or published (default: the run's own)")->type_name("NAME");
  app.add_option("--threads", flags->threads, "0: all cores; the scores do not depend on it (default: 0)")
      ->type_name("N");
  app.add_option(
         "--device", flags->device,
         "auto, cpu, cuda or cuda:N, whatever the run was trained on (default: cpu for a run that asked for it, "
         "else auto)")
      ->type_name("NAME");
  app.add_flag("--json", flags->json, "print JSON instead of a table");
  add_rank_timeout(app, flags->rank_timeout, "Options");
  app.set_help_flag("-h,--help", "show this help");
  app.footer(
      "Examples:\n"
      "  factorgcn evaluate runs/x\n"
      "  factorgcn evaluate runs/x --split validation\n"
      "  factorgcn evaluate runs/x --dataset newcomers.safetensors\n"
      "  factorgcn evaluate runs/x --json");
  app.callback([flags, &program] {
    program.action = [flags] {
      return in_company(flags->rank_timeout, "nothing was written; the same command begins anew",
                        [&](const Company& company) { return evaluate(*flags, company); });
    };
  });
}

}  // namespace factorgcn::cli
