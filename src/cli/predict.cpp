// `factorgcn predict RUN`: what a model answers, as a table.
#include "factorgcn/train/predict.h"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/score_split.h"
#include "cli/take_away.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/io/row_writer.h"
#include "factorgcn/train/classic_run.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn::cli {
namespace {

int predict_command(const TakeAwayFlags& flags, const Program& program) {
  check_row_file(flags.out);
  begin_take_away(flags);
  const std::optional<Part> part =
      flags.split.empty() ? std::nullopt : std::optional(part_from_name("--split", flags.split));
  OpenedData data;
  accept_data(flags, data);
  std::int64_t rows = 0;
  int code = kSuccess;
  bool of_nodes = false;
  require_usage(!is_fold_run(flags.run), flags.run,
                " is a cross-validation: its folds are run directories of their own, e.g. ", flags.run,
                "/corrected/fold-01");
  if (is_kernel_machine(read_run_config(flags.run).model)) {
    require_usage(flags.dataset.empty(), flags.run,
                  " is a support vector machine that compares graphs with those it was trained on: it answers for its "
                  "own data alone; leave out --dataset");
    rows = write_kernel_machine_predictions(flags.out, flags.run, part, data);
  } else {
    const LoadedRun run = take_run(flags, data);
    of_nodes = is_node_task(run.data->task);
    PredictionOptions options;
    options.part = part;
    options.show_parts = flags.dataset.empty();
    code = interruptible(flags, "graphs", [&](const BatchSink& on_batch) {
      options.on_batch = on_batch;
      rows = write_predictions(flags.out, run, options);
    });
  }
  if (code != kSuccess || flags.quiet) {
    return code;
  }
  print(fmt::format("{} {}\nWritten: {}\nNext: {} evaluate {}{}\n", format_count(rows),
                    of_nodes ? (rows == 1 ? "node" : "nodes") : (rows == 1 ? "graph" : "graphs"),
                    written_text(flags.out), program.invoked_as, shell_word(flags.run),
                    flags.dataset.empty() ? "" : fmt::format(" --dataset {}", shell_word(flags.dataset))));
  return kSuccess;
}

}  // namespace

void add_predict(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand(
      "predict",
      "what a model answers: per graph or node the predicted class and the probability of each, or the value\n\n"
      "For the run's own data, or for new data whose columns and node types are matched by name with those the model "
      "was trained on; labels are not needed. The truth stands beside the answer where it is known.");
  auto flags = std::make_shared<TakeAwayFlags>();
  add_take_away_options(app, *flags);
  app.add_option("--out", flags->out, "the file to write: .csv, .tsv or .json, each also with .gz")
      ->type_name("FILE")
      ->required();
  app.footer(
      "Examples:\n"
      "  factorgcn predict runs/x --out predictions.csv\n"
      "  factorgcn predict runs/x --split test --out test.json\n"
      "  factorgcn data import new.csv --nodes people.csv --label none --out newcomers.safetensors\n"
      "  factorgcn predict runs/x --dataset newcomers.safetensors --out newcomers.csv");
  app.callback([flags, &program] { program.action = [flags, &program] { return predict_command(*flags, program); }; });
}

}  // namespace factorgcn::cli
