// Counts how often a file is opened, by this process or another one, while the counter lives.
#pragma once

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "factorgcn/base/error.h"

namespace factorgcn::testing {

/// Openings that follow each other within microseconds may count as one; those of two steps of a run do not.
class FileOpenings {
 public:
  explicit FileOpenings(const std::filesystem::path& path) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    require(events_ >= 0 && ::inotify_add_watch(events_, path.c_str(), IN_OPEN) >= 0, "cannot watch ", path.string());
    // Equal events are joined while nobody reads them: so they are read at once.
    reader_ = std::thread([this] {
      while (!ended_) {
        pollfd ready{events_, POLLIN, 0};
        ::poll(&ready, 1, 20);
        take();
      }
    });
  }
  ~FileOpenings() {
    count();
    ::close(events_);
  }
  FileOpenings(const FileOpenings&) = delete;
  FileOpenings& operator=(const FileOpenings&) = delete;

  /// Ends the watch.
  int count() {
    ended_ = true;
    if (reader_.joinable()) {
      reader_.join();
      take();
    }
    return count_;
  }

 private:
  void take() {
    alignas(inotify_event) char buffer[4096];
    for (ssize_t bytes; (bytes = ::read(events_, buffer, sizeof buffer)) > 0;) {
      count_ += static_cast<int>(bytes / static_cast<ssize_t>(sizeof(inotify_event)));  // a file's events have no name
    }
  }

  int events_;
  std::atomic<bool> ended_{false};
  std::atomic<int> count_{0};
  std::thread reader_;
};

}  // namespace factorgcn::testing
