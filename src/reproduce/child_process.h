// A child process whose output goes to a file.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace factorgcn {

class ChildProcess {
 public:
  /// Starts `words`; both standard streams are appended to `log`, standard input is empty. Throws Error where it cannot
  /// be started.
  ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& log);
  /// Kills what still runs: nothing may outlive its owner and go on writing.
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;

  /// The exit code once it has ended (128 + the signal where one ended it), nothing before. Does not wait.
  std::optional<int> poll();
  void send(int signal) const;

 private:
  void stop() noexcept;

  pid_t process_ = -1;
  std::optional<int> code_;
};

}  // namespace factorgcn
