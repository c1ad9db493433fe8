// How sure a method is that does not say so itself: it is run again on fewer edges, with other random numbers.
#pragma once

#include "factorgcn/disentangle/methods.h"

namespace factorgcn {

/// How many repeats are made: as many as asked for, or by the graph's size.
int repeats_of(const NamedGraph& graph, const DisentangleOptions& options);

/// Fills certainty and the relations' stability; each repeat keeps nine edges of ten. `outcome` must have shares and
/// groups. Nothing is filled, and a note says why, where no repeat is made. Cost: a run of the method a repeat.
void measure_by_repeats(const DisentangleMethod& method, const NamedGraph& graph, const DisentangleOptions& options,
                        RelationsObserver& observer, DisentangleOutcome& outcome);

/// Shows a run as one of several.
class OneOfSeveralRuns : public RelationsObserver {
 public:
  OneOfSeveralRuns(RelationsObserver& watcher, int run, int runs) : watcher_(watcher), run_(run), runs_(runs) {}

  void at(const std::string& step, double done) override { watcher_.at(step, (run_ + done) / runs_); }
  bool stop() override { return watcher_.stop(); }

 private:
  RelationsObserver& watcher_;
  int run_, runs_;
};

}  // namespace factorgcn
