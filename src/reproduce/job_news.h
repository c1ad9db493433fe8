// What processes that share the jobs of a plan tell each other, some times a second.
//
// All call the same functions in the same order, and all hear the same.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "factorgcn/reproduce/execute.h"

namespace factorgcn {

class Group;

/// What has become of a job.
struct JobNews {
  std::size_t index = 0;  // in the list of jobs
  RunOutcome::State state = RunOutcome::State::kDone;
  double seconds = 0;
  std::string message;
  bool whole_run = false;  // it could not even be started, and so nor could the others of its run
};

class JobExchange {
 public:
  /// `group`: null where one process does all; it then hears itself.
  explicit JobExchange(Group* group);

  std::size_t rank() const;
  std::size_t size() const;

  /// UsageError where the processes are not about to do the same, or do not see one folder.
  void begin(const Plan& plan, const ExecuteOptions& options);

  /// What rank 0 sees of each job's folder. Error that names a rank which does not see what rank 0 does.
  std::vector<bool> same_for_all(const std::vector<bool>& own);

  /// All processes' news: those of rank 0, then those of rank 1, and so on.
  std::vector<JobNews> tell(const std::vector<JobNews>& own);

  /// A signal had come to some process before the last tell(): the interrupt flag is then set in all.
  bool stop_asked() const { return stop_asked_; }

 private:
  Group* group_;
  bool stop_asked_ = false;
};

}  // namespace factorgcn
