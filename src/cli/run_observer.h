// Shows a run's events through the progress display.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "factorgcn/report/progress.h"
#include "factorgcn/train/observer.h"

namespace factorgcn::cli {

/// Takes over what a batch tells; the last validation score stays.
void take_progress(const BatchProgress& progress, ProgressState& state);

class RunObserver : public Observer {
 public:
  void on_start(const RunStart& start) override;
  void on_batch(const BatchProgress& progress) override;
  void on_epoch(const EpochRecord& record) override;
  void on_message(const std::string& line) override;

  /// Clears the progress line, so that something else can be printed.
  void finish() { display_.finish(); }

 private:
  ProgressDisplay display_;
  ProgressState state_;
};

}  // namespace factorgcn::cli
