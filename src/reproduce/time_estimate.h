// How long jobs of a kind take, from those that are over.
#pragma once

#include <map>
#include <string>

namespace factorgcn {

class TimeEstimate {
 public:
  /// A job of a run of that name ended.
  void add(const std::string& run, double seconds);

  /// Expected seconds of one job of that run: the mean of its group's finished ones, else of its data set's, else of
  /// all. Negative: nothing is known yet.
  double expected(const std::string& run) const;

 private:
  struct Finished {
    double seconds = 0, count = 0;
  };
  std::map<std::string, Finished> groups_;
};

}  // namespace factorgcn
