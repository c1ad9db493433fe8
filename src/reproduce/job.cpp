// Runs to jobs, jobs to command lines. Kernel machines are cut into folds like all others: a fold of theirs computes
// its features by itself in `train --folds` too, so nothing is shared that separate processes would lose.
#include "reproduce/job.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A configuration less what may differ without changing the run's result.
json comparable(const RunConfig& config) {
  json object = to_json(config);
  for (const char* key : {"out", "threads", "device", "checkpoint_seconds", "preset"}) {
    object.erase(key);
  }
  return object;
}

void check_same_settings(const std::string& name, const RunConfig& needed, const fs::path& folder) {
  if (!fs::exists(RunPaths(folder).config)) {
    return;
  }
  const json found = comparable(read_run_config(folder));
  const json wanted = comparable(needed);
  for (const auto& [key, value] : wanted.items()) {
    require_usage(found.contains(key) && found.at(key) == value, folder.string(), " holds a run with '", key, "' ",
                  found.contains(key) ? found.at(key).dump() : "none", ", but ", name, " needs ", value.dump(),
                  "; choose another --out, or remove that folder");
  }
}

int threads_of(const ExecuteOptions& options) {
  return options.threads > 0 ? options.threads : std::max(1, available_cores() / options.jobs);
}

/// The planned layer on the device that was asked for.
json layer_of(const PlannedRun& run, const ExecuteOptions& options) {
  json layer = run.layer;
  // Kernel machines have no other device than the CPU.
  if (!options.device.empty() && !is_kernel_machine(layer.value("model", ""))) {
    layer["device"] = options.device;
  }
  return layer;
}

fs::path folder_of(const PlannedRun& run, const fs::path& out) {
  return run.folder.empty() ? run_folder(out, run.name) : run.folder;
}

/// The configuration that the folds share, as the folder of the whole has it; the folder is made where it is missing.
RunConfig shared_config(const PlannedRun& run, const ExecuteOptions& options) {
  const fs::path whole = folder_of(run, options.out);
  make_shared_folder(run, options);
  RunConfig config = read_run_config(whole);
  config.out = whole.string();  // it may have been copied from elsewhere
  config.threads = threads_of(options);
  config.device = layer_of(run, options).value("device", config.device);
  return config;
}

json fold_layer(const Job& job, const PlannedRun& run, const ExecuteOptions& options) {
  const std::vector<FoldTraining> folds = list_folds(shared_config(run, options), run.protocols);
  const auto own = std::find_if(folds.begin(), folds.end(), [&](const FoldTraining& each) {
    return each.protocol == job.protocol && each.fold == job.fold;
  });
  require(own != folds.end(), job.name, ": its cross-validation has no such fold");
  return to_json(own->config);
}

void add_fold_jobs(std::vector<Job>& jobs, const Job& whole, const PlannedRun& run, const fs::path& logs,
                   const OpenedData& data) {
  RunConfig shared = resolve_config(std::array{run.layer}, data);
  shared.out = whole.folder.string();
  check_same_settings(run.name, shared, whole.folder);
  for (const FoldTraining& fold : list_folds(shared, run.protocols)) {
    Job job = whole;
    job.kind = JobKind::kFold;
    job.protocol = fold.protocol;
    job.fold = fold.fold;
    job.part = concat(fold.protocol, " fold ", fold.fold);
    job.name = concat(run.name, ", ", job.part);
    job.folder = fold.config.out;
    job.log = logs / run.name / fold.protocol / (job.folder.filename().string() + ".log");
    check_same_settings(job.name, fold.config, job.folder);
    jobs.push_back(std::move(job));
  }
  jobs.push_back(whole);
  jobs.back().kind = JobKind::kClosing;
}

}  // namespace

std::vector<Job> list_jobs(const Plan& plan, const fs::path& out) {
  const fs::path logs = out / "logs";
  std::vector<Job> jobs;
  OpenedData data;  // runs on the same data stand together in a plan
  for (std::size_t index = 0; index < plan.runs.size(); ++index) {
    const PlannedRun& run = plan.runs[index];
    Job job;
    job.run = index;
    job.name = run.name;
    job.folder = folder_of(run, out);
    job.log = logs / (run.name + ".log");
    if (run.folds) {
      add_fold_jobs(jobs, job, run, logs, data);
      continue;
    }
    if (fs::exists(RunPaths(job.folder).config)) {
      check_same_settings(run.name, resolve_config(std::array{run.layer}, data), job.folder);
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

void make_shared_folder(const PlannedRun& run, const ExecuteOptions& options) {
  const fs::path whole = folder_of(run, options.out);
  if (fs::exists(RunPaths(whole).config) && is_fold_run(whole)) {
    return;
  }
  json layer = layer_of(run, options);
  layer["threads"] = threads_of(options);
  layer["out"] = whole.string();
  OpenedData data;
  prepare_folds(resolve_config(std::array{layer}, data), run.protocols, /*force=*/true, data);
}

std::vector<std::string> job_command(const Job& job, const PlannedRun& run, const ExecuteOptions& options) {
  std::vector<std::string> words = options.program;
  words.emplace_back("train");
  if (job.kind == JobKind::kClosing || fs::exists(RunPaths(job.folder).config)) {
    words.insert(words.end(), {"--resume", job.folder.string()});
  } else {
    const json layer = job.kind == JobKind::kFold ? fold_layer(job, run, options) : layer_of(run, options);
    const fs::path file = fs::path(job.log).replace_extension(".json");
    write_file_atomically(file, layer.dump(2) + "\n");
    words.insert(words.end(), {"--config", file.string(), "--out", job.folder.string(), "--force"});
  }
  words.insert(words.end(), {"--threads", std::to_string(threads_of(options)), "--quiet"});
  if (job.kind == JobKind::kFold || !options.pages) {
    words.emplace_back("--no-page");  // of a cross-validation the whole gets one
  }
  return words;
}

}  // namespace factorgcn
