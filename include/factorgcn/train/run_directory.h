// A run's folder.
//
//   config.json             the resolved configuration
//   history.jsonl           one line per epoch
//   checkpoint.safetensors  all that is needed to continue; the other files follow from it
//   model.safetensors       the best validation model so far
//   metrics.json            written last: its presence says that the run is over
//   page.html               the result for people; made from the others, so it may be missing or be written again
//   data.safetensors        the data, where they lay in no file of their own (Python)
//   .lock                   held (flock) by the process that writes here; released by the system when it dies
//
// Every file is replaced as a whole (base/files.h), so a kill at any moment leaves a folder that can be resumed.
#pragma once

#include <filesystem>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/folder_lock.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

/// Names of the files in a run's folder, without touching them.
struct FACTORGCN_API RunPaths {
  explicit RunPaths(std::filesystem::path folder);
  std::filesystem::path folder, config, history, checkpoint, model, metrics, page, data;
};

class FACTORGCN_API RunDirectory {
 public:
  /// Throws what create() would throw about the folder's content, and touches nothing: to be asked before long work.
  static void check_free(const std::filesystem::path& folder, bool force);

  /// A new run: makes the folder and takes the lock. A folder with anything in it is a UsageError unless `force`, which
  /// removes a former run's files (and nothing else; not its data).
  static RunDirectory create(const std::filesystem::path& folder, bool force);

  /// A run to be continued: takes the lock. UsageError where the folder is no run directory.
  static RunDirectory open(const std::filesystem::path& folder);

  const RunPaths& paths() const { return paths_; }

  void write_config(const RunConfig& config) const;
  void write_history(const std::vector<EpochRecord>& history) const;
  void write_metrics(const RunMetrics& metrics) const;

 private:
  RunDirectory(RunPaths paths, FolderLock lock);

  RunPaths paths_;
  FolderLock lock_;
};

/// RUN/config.json, with `dataset` where the data are now (locate_run_data()). UsageError where the folder is no run
/// directory.
FACTORGCN_API RunConfig read_run_config(const std::filesystem::path& folder);

}  // namespace factorgcn
