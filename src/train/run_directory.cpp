// The folder's rules: who may write, what counts as empty, what a forced start removes.
#include "factorgcn/train/run_directory.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/json_text.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

}  // namespace

RunPaths::RunPaths(fs::path given)
    : folder(std::move(given)),
      config(folder / "config.json"),
      history(folder / "history.jsonl"),
      checkpoint(folder / "checkpoint.safetensors"),
      model(folder / "model.safetensors"),
      metrics(folder / "metrics.json"),
      page(folder / "page.html"),
      data(folder / "data.safetensors") {}

void RunDirectory::check_free(const fs::path& folder, bool force) {
  require_usage(!folder.empty(), "no run directory was given; name one with --out");
  if (!fs::exists(folder)) {
    return;
  }
  require_usage(fs::is_directory(folder), "run directory ", folder.string(), " is a file; choose another");
  require_usage(force || !has_content(folder), "run directory ", folder.string(),
                " is not empty; continue that run with --resume, replace it with --force, or choose another");
}

RunDirectory RunDirectory::create(const fs::path& folder, bool force) {
  check_free(folder, force);
  RunPaths paths(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, "cannot make run directory ", folder.string(), ": ", error.message());
  RunDirectory directory(paths, FolderLock(folder, "run directory", "another"));
  check_free(folder, force);  // another process may have come first
  // The configuration goes last: as long as it is there, the folder still counts as the former run. Data stay: the new
  // run may be trained on them.
  const fs::path folds = folder / "folds.json";    // train/fold_run.h
  const fs::path choice = folder / "choice.json";  // train/classic_run.h
  for (const fs::path& path :
       {paths.metrics, paths.page, folds, choice, paths.history, paths.checkpoint, paths.model, paths.config}) {
    fs::remove(path);
  }
  remove_half_written(folder);
  return directory;
}

RunDirectory RunDirectory::open(const fs::path& folder) {
  read_run_config(folder);
  RunPaths paths(folder);
  RunDirectory directory(paths, FolderLock(folder, "run directory", "another"));
  remove_half_written(folder);
  return directory;
}

RunDirectory::RunDirectory(RunPaths paths, FolderLock lock) : paths_(std::move(paths)), lock_(std::move(lock)) {}

void RunDirectory::write_config(const RunConfig& config) const {
  nlohmann::ordered_json object = to_json(config);
  if (config.trained_on.known()) {
    object["trained_on"] = to_json(config.trained_on);
  }
  write_file_atomically(paths_.config, object.dump(2) + "\n");
}

void RunDirectory::write_history(const std::vector<EpochRecord>& history) const {
  write_file_atomically(paths_.history, history_text(history));
}

void RunDirectory::write_metrics(const RunMetrics& metrics) const {
  write_file_atomically(paths_.metrics, to_json(metrics).dump(2) + "\n");
}

RunConfig read_run_config(const fs::path& folder) {
  const RunPaths paths(folder);
  require_usage(fs::is_directory(folder), "run directory ", folder.string(), " does not exist");
  require_usage(fs::exists(paths.config) || !(fs::exists(folder / "seeds.json") || fs::exists(folder / "search.json")),
                folder.string(), " holds several runs: choose one of those in ", (folder / "runs").string());
  require_usage(fs::exists(paths.config), folder.string(), " is not a run directory: it has no config.json");
  // A column's name each for millions of columns makes a large file.
  RunConfig config = config_from_json(read_json(paths.config, 1U << 30), paths.config.string());
  config.dataset = locate_run_data(config, folder);
  return config;
}

}  // namespace factorgcn
