// Lines about a reproduction: one per run that ends, and on a terminal one that shows where the running ones stand.
#pragma once

#include "factorgcn/base/export.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/execute.h"

namespace factorgcn {

class FACTORGCN_API ReproduceProgress : public ExecuteObserver {
 public:
  ReproduceProgress();

  void on_run_start(const PlannedRun& run, const ExecuteProgress& progress) override;
  void on_run_end(const PlannedRun& run, const RunOutcome& outcome, const ExecuteProgress& progress) override;
  void on_wait(const ExecuteProgress& progress) override;

  /// Clears the moving line.
  void finish();

 private:
  void line(const std::string& text);

  Terminal terminal_;
  double drawn_ = -1;  ///< when the moving line was last drawn
  std::int64_t done_before_ = 0;
};

}  // namespace factorgcn
