// A stranger's run folder: "== config.json", "== model.safetensors" and so on (fuzz/input_parts.h), and the data that
// its model is asked about as "== data.safetensors". Everything that reads a run's files has a look.
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/predict.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"
#include "fuzz/input_folder.h"
#include "fuzz/input_parts.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {
namespace {

constexpr std::array kRunFiles{"config.json", "model.safetensors", "history.jsonl",   "metrics.json",
                               "folds.json",  "seeds.json",        "data.safetensors"};

void apply_model(const std::filesystem::path& folder) {
  // Of a run that does not know its data any more they would be generated, as large as its settings say.
  if (!read_run_config(folder).trained_on.known()) {
    return;
  }
  const RunOnData applied = load_run_on(folder, (folder / "data.safetensors").string());
  std::vector<std::int64_t> graphs(static_cast<std::size_t>(applied.run.data->graphs.num_graphs()));
  std::iota(graphs.begin(), graphs.end(), std::int64_t{0});
  if (!graphs.empty()) {
    predict(applied.run, graphs);
  }
}

}  // namespace

void fuzz_run_directory(std::string_view bytes) {
  static InputFolder folder;
  std::map<std::string, std::string> files;
  for (auto& [name, text] : input_parts(bytes)) {
    if (std::find(kRunFiles.begin(), kRunFiles.end(), name) != kRunFiles.end()) {
      files[name] = std::move(text);
    }
  }
  folder.fill(files);
  const RunPaths paths(folder.path());
  allow_one_line_error([&] { apply_model(folder.path()); });
  allow_one_line_error([&] { read_history(paths.history.string()); });
  allow_one_line_error([&] { read_metrics(paths.metrics.string()); });
  allow_one_line_error([&] { read_fold_metrics(folder.path()); });
  allow_one_line_error([&] { read_seed_plan(folder.path()); });
}

}  // namespace factorgcn
