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

  void at(const std::string& step, double done) {
    leave_if_stopped();
    observer_.at(step, done);
  }

  /// For loops on any thread: the observer itself is asked on its own thread alone.
  std::function<bool()> stop() {
    return [this] {
      if (std::this_thread::get_id() == caller_ && !stopped_.load(std::memory_order_relaxed) && observer_.stop()) {
        stopped_.store(true, std::memory_order_relaxed);
      }
      return stopped_.load(std::memory_order_relaxed);
    };
  }

  /// To be called after every step whose result would be half done.
  void leave_if_stopped() {
    if (stop()()) {
      throw StoppedEarly();
    }
  }

  /// What `make` returns, from the observer's store where it is there.
  Partitions partitions(const std::string& key, std::int64_t nodes, const std::function<Partitions()>& make);

 private:
  RelationsObserver& observer_;
  std::thread::id caller_;
  std::atomic<bool> stopped_{false};
};

/// All of them as floats, doubles as three that add up; nothing where the numbers cannot be such.
std::vector<float> pack(const Partitions& partitions);
std::optional<Partitions> unpack(const std::vector<float>& numbers, std::int64_t nodes);

}  // namespace factorgcn::relations
