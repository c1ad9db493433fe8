// Shows a cross-validation: one line per fold that is over, and on a terminal the progress of the fold at work.
#pragma once

#include <chrono>

#include "cli/run_observer.h"
#include "factorgcn/report/progress.h"
#include "factorgcn/train/fold_run.h"

namespace factorgcn::cli {

class FoldProgress : public FoldObserver {
 public:
  explicit FoldProgress(bool quiet);

  void on_start(const RunStart& start) override;
  void on_batch(const BatchProgress& progress) override;
  void on_epoch(const EpochRecord& record) override;
  void on_message(const std::string& line) override;
  void on_fold_start(const Fold& fold) override;
  void on_fold_end(const Fold& fold, const RunMetrics& metrics, bool was_done_before) override;

  void finish();

 private:
  void say(const std::string& line);

  bool quiet_;
  bool interactive_;  ///< elsewhere a fold's own progress would drown the folds
  bool introduced_ = false;
  ProgressDisplay display_;
  ProgressState state_;
  std::chrono::steady_clock::time_point started_;
  std::int64_t worked_ = 0;  ///< folds run in this session
};

}  // namespace factorgcn::cli
