// Runs the real program in a folder of its own, as a user would, and kills it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factorgcn::cli {

struct Outcome {
  int code = -1;   ///< exit code; -1 where a signal ended it
  int signal = 0;  ///< that ended it, or 0
  std::string out, err;
  double processor_seconds = 0;
  double peak_gigabytes = 0;  ///< of memory in use
};

/// A process that runs; ended with SIGKILL if nobody waited for it.
class Child {
 public:
  Child(pid_t pid, std::filesystem::path out, std::filesystem::path err);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  bool running();
  /// The processes that it has started and that have not been waited for.
  std::vector<pid_t> children() const;
  void send(int signal) const;
  /// Waits until `condition` holds or the process ends; false where it ended first or a minute has passed.
  bool wait_until(const std::function<bool()>& condition);
  Outcome wait();

 private:
  bool reap(bool block);

  pid_t pid_;
  std::filesystem::path out_, err_;
  bool ended_ = false;
  int status_ = 0;
  double processor_seconds_ = 0, peak_gigabytes_ = 0;
};

/// A temporary folder that is the program's current directory; removed at the end.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  /// Arguments are split at spaces. Environment: UTF-8, no terminal; `environment` entries "NAME=VALUE" are added.
  Child start(const std::string& arguments, const std::vector<std::string>& environment = {}) const;
  Outcome run(const std::string& arguments, const std::vector<std::string>& environment = {}) const;

  /// A line for bash, in which $FACTORGCN is the program: for pipes, limits, and words with spaces.
  Outcome shell(const std::string& line, const std::vector<std::string>& environment = {}) const;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& text) const;
  nlohmann::json read_json(const std::string& name) const;
  std::vector<nlohmann::json> read_lines(const std::string& name) const;

 private:
  Child start_words(std::vector<std::string> words, const std::vector<std::string>& environment) const;

  std::filesystem::path folder_;
  mutable int runs_ = 0;
};

/// metrics.json, or a line of history.jsonl, without what may differ between two equal runs.
nlohmann::json without_time(nlohmann::json record);

/// The tensors' bytes of a safetensors file, without its header.
std::string tensor_bytes(const std::string& file);

/// Flags for a run of about a second: few graphs, small batches.
inline const std::string kSmall = " --train-size 120 --validation-size 40 --test-size 40 --batch-size 40 --epochs 3 ";

/// Checks that a command was refused: exit code 2, nothing on standard output, and one line that holds all the texts.
void expect_refused(const Outcome& outcome, const std::vector<std::string>& texts);

}  // namespace factorgcn::cli
