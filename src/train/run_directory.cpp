// The folder's rules: who may write, what counts as empty, what a forced start removes.
#include "factorgcn/train/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

/// Left behind by a process that was killed while writing (base/files.h).
bool is_temporary(const std::string& name) { return name.starts_with(".factorgcn-") && name.ends_with(".tmp"); }

/// A lock without a run, or half a file, is not content.
bool has_content(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != ".lock" && !is_temporary(name)) {
      return true;
    }
  }
  return false;
}

int take_lock(const RunPaths& paths) {
  const int lock = ::open(paths.lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  const int open_error = errno;
  require(lock >= 0, "cannot open ", paths.lock.string(), ": ", std::generic_category().message(open_error));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int lock_error = errno;
    ::close(lock);
    require(lock_error == EWOULDBLOCK, "cannot lock ", paths.lock.string(), ": ",
            std::generic_category().message(lock_error));
    fail("run directory ", paths.folder.string(), " is in use by another process; wait for it or choose another");
  }
  return lock;
}

void remove_temporaries(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (is_temporary(entry.path().filename().string())) {
      found.push_back(entry.path());
    }
  }
  for (const fs::path& path : found) {
    fs::remove(path);
  }
}

}  // namespace

RunPaths::RunPaths(fs::path given)
    : folder(std::move(given)),
      config(folder / "config.json"),
      history(folder / "history.jsonl"),
      checkpoint(folder / "checkpoint.safetensors"),
      model(folder / "model.safetensors"),
      metrics(folder / "metrics.json"),
      page(folder / "page.html"),
      lock(folder / ".lock") {}

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
  RunDirectory directory(paths, take_lock(paths));
  check_free(folder, force);  // another process may have come first
  // The configuration goes last: as long as it is there, the folder still counts as the former run.
  const fs::path folds = folder / "folds.json";    // train/fold_run.h
  const fs::path choice = folder / "choice.json";  // train/classic_run.h
  for (const fs::path& path :
       {paths.metrics, paths.page, folds, choice, paths.history, paths.checkpoint, paths.model, paths.config}) {
    fs::remove(path);
  }
  remove_temporaries(folder);
  return directory;
}

RunDirectory RunDirectory::open(const fs::path& folder) {
  read_run_config(folder);
  RunPaths paths(folder);
  RunDirectory directory(paths, take_lock(paths));
  remove_temporaries(folder);
  return directory;
}

RunDirectory::RunDirectory(RunPaths paths, int lock) : paths_(std::move(paths)), lock_(lock) {}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : paths_(std::move(other.paths_)), lock_(std::exchange(other.lock_, -1)) {}

RunDirectory::~RunDirectory() {
  if (lock_ >= 0) {
    ::close(lock_);  // and with it the lock is gone
  }
}

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
  try {
    RunConfig config = config_from_json(nlohmann::json::parse(read_file(paths.config)), paths.config.string());
    config.dataset = locate_run_data(config, folder);
    return config;
  } catch (const nlohmann::json::exception& error) {
    fail(paths.config.string(), " is damaged: ", error.what());
  }
}

}  // namespace factorgcn
