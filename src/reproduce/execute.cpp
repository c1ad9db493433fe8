// The scheduler: at most `jobs` children at a time, in the plan's order.
#include "factorgcn/reproduce/execute.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/interrupt.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"
#include "reproduce/child_process.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kPollTime = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The last line with anything in it, for telling why a run failed.
std::string last_line(const fs::path& log) {
  std::ifstream file(log);
  std::string line, last;
  while (std::getline(file, line)) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      last = line;
    }
  }
  return last.empty() ? "it printed nothing" : last;
}

/// The configuration a planned run resolves to, less what may differ without changing its result.
json comparable(json config) {
  for (const char* key : {"out", "threads", "device", "checkpoint_seconds", "preset"}) {
    config.erase(key);
  }
  return config;
}

/// A folder with another run in it must be neither used as if it were this one nor overwritten.
void check_same_settings(const PlannedRun& run, const fs::path& folder) {
  const json found = comparable(to_json(read_run_config(folder)));
  const json wanted = comparable(to_json(resolve_config(std::array{run.layer})));
  for (const auto& [key, value] : wanted.items()) {
    require_usage(found.contains(key) && found.at(key) == value, folder.string(), " holds a run with '", key, "' ",
                  found.contains(key) ? found.at(key).dump() : "none", ", but ", run.name, " needs ", value.dump(),
                  "; choose another --out, or remove that folder");
  }
}

std::int64_t count_lines(const fs::path& path) {
  std::ifstream file(path);
  return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
}

struct Running {
  std::size_t index;
  ChildProcess process;
  Clock::time_point started;
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, const ExecuteOptions& options, ExecuteObserver& observer)
      : plan_(plan), options_(options), observer_(observer) {
    for (const PlannedRun& run : plan.runs) {
      RunOutcome outcome;
      outcome.name = run.name;
      outcome.log = options.out / "logs" / (run.name + ".log");
      outcomes_.push_back(outcome);
      wanted_.push_back(is_selected(options.only, run.name));
      const fs::path folder = run_folder(options.out, run.name);
      if (fs::exists(RunPaths(folder).config)) {
        check_same_settings(run, folder);
      }
    }
    std::string texts;
    for (const std::string& text : options.only) {
      texts += (texts.empty() ? "" : ", ") + text;
    }
    require_usage(options.only.empty() || std::find(wanted_.begin(), wanted_.end(), true) != wanted_.end(), "--only ",
                  texts, ": none of the ", plan.runs.size(), " runs has that in its name; --dry-run lists them");
  }

  std::vector<RunOutcome> run() {
    report_finished();
    std::size_t next = 0;
    while (next < plan_.runs.size() || !running_.empty()) {
      const int signal = interrupt_signal();
      if (signal != 0 && !told_) {
        // A terminal's Ctrl-C reaches the children by itself; a signal to this process alone does not.
        std::for_each(running_.begin(), running_.end(), [&](const Running& each) { each.process.send(signal); });
        told_ = true;
      }
      while (signal == 0 && next < plan_.runs.size() && running_.size() < static_cast<std::size_t>(options_.jobs)) {
        if (is_waiting(next)) {
          start(next);
        }
        ++next;
      }
      if (signal != 0 && running_.empty()) {
        break;
      }
      collect();
      observer_.on_wait(progress());
      std::this_thread::sleep_for(kPollTime);
    }
    return outcomes_;
  }

 private:
  bool is_waiting(std::size_t index) const {
    return wanted_[index] && outcomes_[index].state == RunOutcome::State::kNotStarted;
  }

  void report_finished() {
    for (std::size_t index = 0; index < plan_.runs.size(); ++index) {
      const fs::path folder = run_folder(options_.out, plan_.runs[index].name);
      if (fs::exists(RunPaths(folder).metrics)) {
        outcomes_[index].state = RunOutcome::State::kDone;
        outcomes_[index].was_done_before = true;
        done_ += wanted_[index] ? 1 : 0;
        observer_.on_run_end(plan_.runs[index], outcomes_[index], progress());
      }
    }
  }

  /// The words of the child: a new run from a configuration file, or the rest of one.
  std::vector<std::string> command(const PlannedRun& run, const fs::path& folder) const {
    std::vector<std::string> words = options_.program;
    words.emplace_back("train");
    const RunPaths paths(folder);
    if (fs::exists(paths.config)) {
      words.insert(words.end(), {"--resume", folder.string()});
    } else {
      json layer = run.layer;
      // Kernel machines have no other device than the CPU.
      if (!options_.device.empty() && !is_kernel_machine(layer.value("model", ""))) {
        layer["device"] = options_.device;
      }
      const fs::path file = options_.out / "logs" / (run.name + ".json");
      write_file_atomically(file, layer.dump(2) + "\n");
      words.insert(words.end(), {"--config", file.string(), "--out", folder.string(), "--force"});
      if (run.folds) {
        words.insert(words.end(), {"--folds", "--fold-protocols", "both"});
      }
    }
    const int threads = options_.threads > 0 ? options_.threads : std::max(1, available_cores() / options_.jobs);
    words.insert(words.end(), {"--threads", std::to_string(threads), "--quiet"});
    return words;
  }

  void start(std::size_t index) {
    const PlannedRun& run = plan_.runs[index];
    RunOutcome& outcome = outcomes_[index];
    try {
      const fs::path folder = run_folder(options_.out, run.name);
      fs::create_directories(folder.parent_path());
      fs::create_directories(outcome.log.parent_path());
      running_.push_back({index, ChildProcess(command(run, folder), outcome.log), Clock::now()});
      observer_.on_run_start(run, progress());
    } catch (const std::exception& error) {
      outcome.state = RunOutcome::State::kFailed;
      outcome.message = error.what();
      ++done_;
      observer_.on_run_end(run, outcome, progress());
    }
  }

  void collect() {
    for (auto each = running_.begin(); each != running_.end();) {
      const std::optional<int> code = each->process.poll();
      if (!code) {
        ++each;
        continue;
      }
      RunOutcome& outcome = outcomes_[each->index];
      const PlannedRun& run = plan_.runs[each->index];
      outcome.seconds = seconds_since(each->started);
      each = running_.erase(each);
      // A diverged run (exit code 3) has its metrics too: those of the best model before.
      if (fs::exists(RunPaths(run_folder(options_.out, run.name)).metrics)) {
        outcome.state = RunOutcome::State::kDone;
        seconds_by_group_[group_of(run.name)].push_back(outcome.seconds);
      } else if (interrupt_signal() != 0) {
        outcome.state = RunOutcome::State::kInterrupted;
        continue;
      } else {
        outcome.state = RunOutcome::State::kFailed;
        outcome.message = concat("exit code ", *code, ": ", last_line(outcome.log));
      }
      ++done_;
      observer_.on_run_end(run, outcome, progress());
    }
  }

  static std::string group_of(const std::string& name) { return name.substr(0, name.rfind('/')); }
  static std::string data_of(const std::string& name) { return name.substr(0, name.find('/')); }

  /// Expected seconds of a run: the mean of its group's finished ones, else of its data set's, else of all. Negative:
  /// nothing is known yet.
  double expected_seconds(const std::string& name) const {
    double sums[3] = {}, counts[3] = {};
    for (const auto& [group, seconds] : seconds_by_group_) {
      const int level = group == group_of(name) ? 0 : data_of(group) == data_of(name) ? 1 : 2;
      for (const double each : seconds) {
        for (int reached = level; reached < 3; ++reached) {
          sums[reached] += each;
          counts[reached] += 1;
        }
      }
    }
    for (int level = 0; level < 3; ++level) {
      if (counts[level] > 0) {
        return sums[level] / counts[level];
      }
    }
    return -1;
  }

  ExecuteProgress progress() const {
    ExecuteProgress now;
    now.done = done_;
    now.total = std::count(wanted_.begin(), wanted_.end(), true);
    double work = 0;
    bool known = true;
    const auto add = [&](const std::string& name, double passed) {
      const double expected = expected_seconds(name);
      known = known && expected >= 0;
      work += std::max(expected - passed, 0.0);
    };
    std::vector<bool> at_work(plan_.runs.size());
    for (const Running& each : running_) {
      const PlannedRun& run = plan_.runs[each.index];
      at_work[each.index] = true;
      now.running.push_back(run.name);
      now.share.push_back(share_done(run_folder(options_.out, run.name), run.folds));
      add(run.name, seconds_since(each.started));
    }
    for (std::size_t index = 0; index < plan_.runs.size(); ++index) {
      if (is_waiting(index) && !at_work[index]) {
        add(plan_.runs[index].name, 0);
      }
    }
    now.seconds_left = known ? work / options_.jobs : -1;
    return now;
  }

  const Plan& plan_;
  const ExecuteOptions& options_;
  ExecuteObserver& observer_;
  std::vector<RunOutcome> outcomes_;
  std::vector<bool> wanted_;  ///< by options_.only
  std::vector<Running> running_;
  std::map<std::string, std::vector<double>> seconds_by_group_;
  std::int64_t done_ = 0;
  bool told_ = false;
};

}  // namespace

bool is_selected(const std::vector<std::string>& only, const std::string& name) {
  const auto holds = [&](const std::string& text) { return name.find(text) != std::string::npos; };
  return only.empty() || std::any_of(only.begin(), only.end(), holds);
}

fs::path run_folder(const fs::path& out, const std::string& name) { return out / "runs" / name; }

double share_done(const fs::path& folder, bool folds) {
  std::error_code ignored;
  if (fs::exists(RunPaths(folder).metrics, ignored)) {
    return 1;
  }
  if (!folds) {
    try {
      const auto epochs = static_cast<double>(read_run_config(folder).epochs);
      return std::min(static_cast<double>(count_lines(RunPaths(folder).history)) / epochs, 1.0);
    } catch (const std::exception&) {
      return 0;  // it has not begun to write yet
    }
  }
  constexpr double kFoldsOfBothProtocols = 20;
  double finished = 0;
  for (const char* protocol : {"corrected", "published"}) {
    for (const auto& entry : fs::directory_iterator(folder / protocol, ignored)) {
      finished += fs::exists(RunPaths(entry.path()).metrics, ignored) ? 1 : 0;
    }
  }
  return std::min(finished / kFoldsOfBothProtocols, 1.0);
}

std::vector<RunOutcome> execute_plan(const Plan& plan, const ExecuteOptions& options, ExecuteObserver& observer) {
  require_usage(options.jobs >= 1 && options.jobs <= 1024, "--jobs ", options.jobs, ": give a number from 1 to 1024");
  return Scheduler(plan, options, observer).run();
}

}  // namespace factorgcn
