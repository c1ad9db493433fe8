// Processes by fork and exec, their output in files: nothing can block, and a kill loses nothing.
#include "cli/workplace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/temporary_folder.h"

namespace factorgcn::cli {
namespace {

using namespace std::chrono_literals;

std::string read_text(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) {
    return "";  // a device would never end
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void redirect(const std::filesystem::path& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(file, descriptor);
  ::close(file);
}

}  // namespace

Child::Child(pid_t pid, std::filesystem::path out, std::filesystem::path err)
    : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}

Child::Child(Child&& other) noexcept
    : pid_(other.pid_),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      ended_(other.ended_),
      status_(other.status_),
      processor_seconds_(other.processor_seconds_),
      peak_gigabytes_(other.peak_gigabytes_) {
  other.ended_ = true;
}

Child::~Child() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    reap(true);
  }
}

bool Child::reap(bool block) {
  struct rusage used {};
  if (!ended_ && ::wait4(pid_, &status_, block ? 0 : WNOHANG, &used) == pid_) {
    ended_ = true;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    processor_seconds_ = seconds(used.ru_utime) + seconds(used.ru_stime);
    peak_gigabytes_ = static_cast<double>(used.ru_maxrss) / 1e6;
  }
  return ended_;
}

bool Child::running() { return !reap(false); }

std::vector<pid_t> Child::children() const {
  std::vector<pid_t> found;
  std::error_code ended;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task", ended)) {
    std::ifstream numbers(thread.path() / "children");
    for (pid_t child; numbers >> child;) {
      found.push_back(child);
    }
  }
  return found;
}

void Child::send(int signal) const {
  if (!ended_) {
    ::kill(pid_, signal);
  }
}

bool Child::wait_until(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  while (!condition()) {
    if (!running() || std::chrono::steady_clock::now() > give_up) {
      return false;
    }
    std::this_thread::sleep_for(1ms);
  }
  return running();
}

Outcome Child::wait() {
  reap(true);
  Outcome outcome;
  outcome.code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  outcome.signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
  outcome.out = read_text(out_);
  outcome.err = read_text(err_);
  outcome.processor_seconds = processor_seconds_;
  outcome.peak_gigabytes = peak_gigabytes_;
  return outcome;
}

Workplace::Workplace() {
  std::string name = (std::filesystem::temp_directory_path() / "factorgcn-cli-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary folder " + name);
  }
  folder_ = name;
}

Workplace::~Workplace() { remove_folder(folder_); }

Child Workplace::start(const std::string& arguments, const std::vector<std::string>& environment) const {
  std::vector<std::string> words{FACTORGCN_CLI_PATH};
  std::istringstream split(arguments);
  for (std::string word; split >> word;) {
    words.push_back(word);
  }
  return start_words(std::move(words), environment);
}

Child Workplace::start_words(std::vector<std::string> words, const std::vector<std::string>& environment) const {
  const std::string number = std::to_string(runs_++);
  const auto out = path(".stdout-" + number);
  const auto err = path(".stderr-" + number);
  std::vector<char*> argv;
  for (auto& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);

  const pid_t pid = ::fork();
  if (pid == 0) {
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    redirect("/dev/null", STDIN_FILENO);
    if (::chdir(folder_.c_str()) != 0) {
      ::_exit(126);
    }
    ::setenv("LC_ALL", "C.UTF-8", 1);
    for (const std::string& entry : environment) {
      const std::size_t equals = entry.find('=');
      ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 1);
    }
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  if (pid < 0) {
    throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  }
  return {pid, out, err};
}

Outcome Workplace::run(const std::string& arguments, const std::vector<std::string>& environment) const {
  return start(arguments, environment).wait();
}

Outcome Workplace::shell(const std::string& line, const std::vector<std::string>& environment) const {
  std::vector<std::string> all{"FACTORGCN=" FACTORGCN_CLI_PATH};
  all.insert(all.end(), environment.begin(), environment.end());
  return start_words({"/bin/bash", "-c", line}, all).wait();
}

std::string Workplace::read(const std::string& name) const { return read_text(path(name)); }

void Workplace::write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }

nlohmann::json Workplace::read_json(const std::string& name) const { return nlohmann::json::parse(read(name)); }

std::vector<nlohmann::json> Workplace::read_lines(const std::string& name) const {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read(name));
  for (std::string line; std::getline(text, line);) {
    lines.push_back(nlohmann::json::parse(line));
  }
  return lines;
}

nlohmann::json without_time(nlohmann::json record) {
  record.erase("seconds");
  return record;
}

std::string tensor_bytes(const std::string& file) {
  std::uint64_t header = 0;
  EXPECT_GE(file.size(), sizeof(header));
  std::memcpy(&header, file.data(), sizeof(header));
  return file.substr(std::min<std::size_t>(sizeof(header) + header, file.size()));
}

void expect_refused(const Outcome& outcome, const std::vector<std::string>& texts) {
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.rfind("factorgcn: ", 0), 0U) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << "one line, please: " << outcome.err;
  for (const auto& text : texts) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << "'" << text << "' is not in: " << outcome.err;
  }
}

}  // namespace factorgcn::cli
