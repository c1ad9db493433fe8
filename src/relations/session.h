// One computation's thread to its observer: progress, the question whether to stop, steps that are done already.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "factorgcn/relations/progress.h"
#include "relations/partitions.h"

namespace factorgcn::relations {

class Session {
 public:
  explicit Session(RelationsObserver& observer) : observer_(observer), caller_(std::this_thread::get_id()) {}

  /// A step that takes the work from `done` to `then`, both from 0 to 1. Its loops ask stop() about `rounds` times; 0:
  /// nobody knows how often, and the step shows no progress of its own.
  void at(const std::string& step, double done, double then = 0, int rounds = 0);

  /// For loops on any thread: the observer itself is asked, and told of progress, on its own thread alone.
  std::function<bool()> stop();

  /// To be called after every step whose result would be half done.
  void leave_if_stopped() {
    if (stop()()) {
      throw StoppedEarly();
    }
  }

  /// Keys of what is kept begin with this from now on.
  void name_keys(const std::string& prefix) { prefix_ = prefix; }

  /// What `make` returns, from the observer's store where it is there.
  Partitions partitions(const std::string& step, std::int64_t nodes, const std::function<Partitions()>& make);

 private:
  RelationsObserver& observer_;
  std::thread::id caller_;
  std::atomic<bool> stopped_{false};
  std::string step_, prefix_;
  double from_ = 0, to_ = 0;
  int rounds_ = 0, asked_ = 0;
};

/// All of them as floats, doubles as three that add up; nothing where the numbers cannot be such.
std::vector<float> pack(const Partitions& partitions);
std::optional<Partitions> unpack(const std::vector<float>& numbers, std::int64_t nodes);

}  // namespace factorgcn::relations
