// One fetch of a data set at a time, across processes. The system gives the lock back when a process ends, however.
#pragma once

#include <filesystem>
#include <string>

namespace factorgcn {

class FetchLock {
 public:
  /// Throws Error where another process holds the lock, and where the file cannot be made.
  FetchLock(std::filesystem::path path, const std::string& file_stem);
  ~FetchLock();
  FetchLock(const FetchLock&) = delete;
  FetchLock& operator=(const FetchLock&) = delete;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

}  // namespace factorgcn
