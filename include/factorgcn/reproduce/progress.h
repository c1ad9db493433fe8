// Lines about a plan's runs: one per run or fold that ends, and on a terminal one that shows where the running ones
// stand.
#pragma once

#include <functional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/reproduce/execute.h"

namespace factorgcn {

class FACTORGCN_API ReproduceProgress : public ExecuteObserver {
 public:
  /// What to say of a run that has just ended beside how long it took, e.g. its score; may say nothing.
  using Describe = std::function<std::string(const RunOutcome&)>;

  explicit ReproduceProgress(Describe describe = {});

  void on_job_start(const std::string& name, const ExecuteProgress& progress) override;
  void on_job_end(JobKind kind, const RunOutcome& outcome, const ExecuteProgress& progress) override;
  void on_wait(const ExecuteProgress& progress) override;

  /// Clears the moving line.
  void finish();

 private:
  void line(const std::string& text);
  void say_done_before();

  Describe describe_;
  Terminal terminal_;
  double drawn_ = -1;                                ///< when the moving line was last drawn
  std::int64_t runs_before_ = 0, folds_before_ = 0;  ///< that were over and have not been spoken of
};

}  // namespace factorgcn
