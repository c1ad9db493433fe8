// posix_spawn and waitpid.
#include "reproduce/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parent.h"
#include "factorgcn/collective/place.h"

namespace factorgcn {
namespace {

/// What the child finds as its standard streams.
class Streams {
 public:
  explicit Streams(const std::string& log) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// This process's variables, without those that would make the child one of several that train together.
class Environment {
 public:
  Environment() {
    const std::span<const char* const> places = place_variables();
    for (char** each = environ; *each != nullptr; ++each) {
      const std::string_view entry(*each), name = entry.substr(0, entry.find('='));
      const bool kept = name != kStartedBy && std::find(places.begin(), places.end(), name) == places.end();
      if (kept) {
        entries_.push_back(*each);
      }
    }
    entries_.push_back(own_.data());
    entries_.push_back(nullptr);
  }
  char* const* get() const { return entries_.data(); }

 private:
  std::string own_ = concat(kStartedBy, "=", ::getpid());
  std::vector<char*> entries_;
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::filesystem::path& log) {
  require(!words.empty(), "no program to start");
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));  // posix_spawn does not write to them
  }
  arguments.push_back(nullptr);
  const Streams streams(log.string());
  const Environment environment;
  const int failure =
      posix_spawnp(&process_, arguments[0], streams.get(), nullptr, arguments.data(), environment.get());
  if (failure != 0) {
    process_ = -1;
    fail("cannot start ", words.front(), " (log ", log.string(), "): ", std::strerror(failure));
  }
}

ChildProcess::~ChildProcess() { stop(); }

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), code_(other.code_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    stop();
    process_ = std::exchange(other.process_, -1);
    code_ = other.code_;
  }
  return *this;
}

void ChildProcess::stop() noexcept {
  if (process_ > 0 && !code_) {
    kill(process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
}

std::optional<int> ChildProcess::poll() {
  if (process_ > 0 && !code_) {
    int status = 0;
    const pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == process_) {
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
  return code_;
}

void ChildProcess::send(int signal) const {
  if (process_ > 0 && !code_) {
    kill(process_, signal);
  }
}

}  // namespace factorgcn
