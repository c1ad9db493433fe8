// The scheduler: at most `jobs` children at a time, in the plan's order.
#include "factorgcn/reproduce/execute.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"
#include "reproduce/child_process.h"
#include "reproduce/job.h"
#include "reproduce/time_estimate.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using State = RunOutcome::State;

constexpr auto kPollTime = std::chrono::milliseconds(100);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The last line with anything in it, for telling why a job failed.
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

std::int64_t count_lines(const fs::path& path) {
  std::ifstream file(path);
  return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
}

/// A job and what has become of it so far.
struct Entry {
  Job job;
  RunOutcome outcome;
  bool wanted = false;  // by options.only
  bool started = false;
};

struct Running {
  std::size_t index;
  ChildProcess process;
  Clock::time_point started;
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, const ExecuteOptions& options, ExecuteObserver& observer)
      : plan_(plan), options_(options), observer_(observer) {
    for (Job& job : list_jobs(plan, options.out)) {
      Entry entry;
      entry.wanted = is_selected(options.only, plan.runs[job.run].name);
      entry.outcome.name = job.name;
      entry.outcome.log = job.log;
      entry.job = std::move(job);
      total_ += entry.wanted ? 1 : 0;
      entries_.push_back(std::move(entry));
    }
    std::string texts;
    for (const std::string& text : options.only) {
      texts += (texts.empty() ? "" : ", ") + text;
    }
    require_usage(options.only.empty() || total_ > 0, "--only ", texts, ": none of the ", plan.runs.size(),
                  " runs has that in its name; --dry-run lists them");
  }

  std::vector<RunOutcome> run() {
    report_finished();
    while (true) {
      const int signal = interrupt_signal();
      if (signal != 0 && !told_) {
        // A terminal's Ctrl-C reaches the children by itself; a signal to this process alone does not.
        std::for_each(running_.begin(), running_.end(), [&](const Running& each) { each.process.send(signal); });
        told_ = true;
      }
      if (signal == 0) {
        start_what_may();
      }
      if (running_.empty()) {
        break;
      }
      const bool any_ended = collect();
      observer_.on_wait(progress());
      if (!any_ended) {
        std::this_thread::sleep_for(kPollTime);
      }
    }
    return run_outcomes();
  }

 private:
  static bool is_over(const Job& job) { return fs::exists(RunPaths(job.folder).metrics); }

  template <class Function>
  void for_each_of_run(std::size_t run, const Function& function) {
    for (Entry& entry : entries_) {
      if (entry.job.run == run) {
        function(entry);
      }
    }
  }

  void report_finished() {
    const auto report = [&](Entry& entry) {
      entry.outcome.state = State::kDone;
      entry.outcome.was_done_before = true;
      done_ += entry.wanted ? 1 : 0;
    };
    // What closes a run comes first: where it is over, its folds are of no interest.
    for (Entry& entry : entries_) {
      if (entry.job.kind != JobKind::kFold && is_over(entry.job)) {
        for_each_of_run(entry.job.run, report);
        observer_.on_job_end(entry.job.kind, entry.outcome, progress());
      }
    }
    for (Entry& entry : entries_) {
      if (entry.outcome.state == State::kNotStarted && is_over(entry.job)) {
        report(entry);
        observer_.on_job_end(entry.job.kind, entry.outcome, progress());
      }
    }
  }

  static bool is_waiting(const Entry& entry) {
    return entry.wanted && !entry.started && entry.outcome.state == State::kNotStarted;
  }

  /// Jobs of a run lie beside each other, the closing one last.
  bool has_all_folds(std::size_t closing) const {
    const std::size_t run = entries_[closing].job.run;
    for (std::size_t index = closing; index > 0 && entries_[index - 1].job.run == run; --index) {
      if (entries_[index - 1].outcome.state != State::kDone) {
        return false;
      }
    }
    return true;
  }

  void start_what_may() {
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      if (running_.size() >= static_cast<std::size_t>(options_.jobs)) {
        return;
      }
      if (is_waiting(entries_[index]) && (entries_[index].job.kind != JobKind::kClosing || has_all_folds(index))) {
        start(index);
      }
    }
  }

  void start(std::size_t index) {
    Entry& entry = entries_[index];
    entry.started = true;
    try {
      fs::create_directories(entry.job.folder.parent_path());
      fs::create_directories(entry.job.log.parent_path());
      const auto words = job_command(entry.job, plan_.runs[entry.job.run], options_);
      running_.push_back({index, ChildProcess(words, entry.job.log), Clock::now()});
      observer_.on_job_start(entry.job.name, progress());
    } catch (const std::exception& error) {
      give_up(entry.job, error.what());
    }
  }

  /// A job that cannot even be started: the other folds of its run would only say the same again.
  void give_up(const Job& job, const std::string& why) {
    Entry* last = nullptr;
    for_each_of_run(job.run, [&](Entry& entry) {
      const bool at_work = std::any_of(running_.begin(), running_.end(),
                                       [&](const Running& each) { return &entries_[each.index] == &entry; });
      if (entry.outcome.state == State::kNotStarted && !at_work) {
        entry.outcome.state = State::kFailed;
        entry.outcome.message = why;
        entry.started = false;
        ++done_;
        last = &entry;
      }
    });
    observer_.on_job_end(last->job.kind, last->outcome, progress());
  }

  /// Takes note of what has ended; whether anything has.
  bool collect() {
    const std::size_t before = running_.size();
    for (auto each = running_.begin(); each != running_.end();) {
      const std::optional<int> code = each->process.poll();
      if (!code) {
        ++each;
        continue;
      }
      Entry& entry = entries_[each->index];
      RunOutcome& outcome = entry.outcome;
      outcome.seconds = seconds_since(each->started);
      each = running_.erase(each);
      // A diverged run (exit code 3) has its metrics too: those of the best model before.
      if (is_over(entry.job)) {
        outcome.state = State::kDone;
        if (entry.job.kind != JobKind::kClosing) {
          times_.add(plan_.runs[entry.job.run].name, outcome.seconds);
        }
      } else if (interrupt_signal() != 0) {
        outcome.state = State::kInterrupted;
        continue;
      } else {
        outcome.state = State::kFailed;
        outcome.message = concat("exit code ", *code, ": ", last_line(outcome.log));
        fail_closing(entry.job.run, concat(entry.job.part, " failed"));
      }
      ++done_;
      observer_.on_job_end(entry.job.kind, outcome, progress());
    }
    return running_.size() < before;
  }

  /// Without one of its folds a cross-validation has no result.
  void fail_closing(std::size_t run, const std::string& why) {
    for_each_of_run(run, [&](Entry& entry) {
      if (entry.job.kind == JobKind::kClosing && entry.outcome.state == State::kNotStarted) {
        entry.outcome.state = State::kFailed;
        entry.outcome.message = why;
        ++done_;
      }
    });
  }

  ExecuteProgress progress() const {
    ExecuteProgress now;
    now.done = done_;
    now.total = total_;
    double work = 0, longest = 0;
    bool known = true;
    std::map<std::size_t, double> expected;  // jobs of a run have the same
    const auto add = [&](const Job& job, double passed) {
      if (job.kind == JobKind::kClosing) {
        return;  // about a second
      }
      const auto [found, is_new] = expected.try_emplace(job.run, 0);
      if (is_new) {
        found->second = times_.expected(plan_.runs[job.run].name);
      }
      known = known && found->second >= 0;
      const double left = std::max(found->second - passed, 0.0);
      work += left;
      longest = std::max(longest, left);
    };
    for (const Running& each : running_) {
      const Job& job = entries_[each.index].job;
      now.running.push_back(job.name);
      now.share.push_back(share_done(job.folder));
      add(job, seconds_since(each.started));
    }
    for (const Entry& entry : entries_) {
      if (is_waiting(entry)) {
        add(entry.job, 0);
      }
    }
    // Towards the end there are fewer jobs than may run at a time.
    now.seconds_left = known ? std::max(work / options_.jobs, longest) : -1;
    return now;
  }

  /// What the jobs of each run come to.
  std::vector<RunOutcome> run_outcomes() const {
    std::vector<RunOutcome> outcomes;
    for (std::size_t first = 0, end = 0; first < entries_.size(); first = end) {
      while (end < entries_.size() && entries_[end].job.run == entries_[first].job.run) {
        ++end;
      }
      outcomes.push_back(run_outcome(first, end));
    }
    return outcomes;
  }

  /// Of the run whose jobs are those from `first` up to `end`; the last of them is the run itself or closes it.
  RunOutcome run_outcome(std::size_t first, std::size_t end) const {
    RunOutcome whole = entries_[end - 1].outcome;
    whole.seconds = 0;
    int failed_folds = 0;
    for (std::size_t index = first; index < end; ++index) {
      const Entry& entry = entries_[index];
      whole.seconds += entry.outcome.seconds;
      if (entry.job.kind != JobKind::kFold) {
        continue;
      }
      if (entry.outcome.state == State::kFailed && entry.started && ++failed_folds == 1) {
        whole.message = concat(entry.job.part, ": ", entry.outcome.message);
        whole.log = entry.outcome.log;
      }
      if (entry.started && whole.state == State::kNotStarted) {
        whole.state = State::kInterrupted;  // a part of its folds is over
      }
    }
    if (failed_folds > 1) {
      whole.message += concat(" (and ", failed_folds - 1, " more of its folds)");
    }
    return whole;
  }

  const Plan& plan_;
  const ExecuteOptions& options_;
  ExecuteObserver& observer_;
  std::vector<Entry> entries_;
  std::vector<Running> running_;
  TimeEstimate times_;
  std::int64_t done_ = 0, total_ = 0;
  bool told_ = false;
};

}  // namespace

void check_plan(const Plan& plan, const fs::path& out) {
  if (!out.empty()) {
    list_jobs(plan, out);
  }
  OpenedData data;
  for (const PlannedRun& run : plan.runs) {
    resolve_config(std::array{run.layer}, data);
  }
}

bool is_selected(const std::vector<std::string>& only, const std::string& name) {
  const auto holds = [&](const std::string& text) { return name.find(text) != std::string::npos; };
  return only.empty() || std::any_of(only.begin(), only.end(), holds);
}

fs::path run_folder(const fs::path& out, const std::string& name) { return out / "runs" / name; }

double share_done(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(RunPaths(folder).metrics, ignored)) {
    return 1;
  }
  try {
    const RunConfig config = read_run_config(folder);
    const std::int64_t others = (config.starts - 1) * std::min(config.start_epochs, config.epochs);
    const auto epochs = static_cast<double>(config.epochs + others);
    return std::min(static_cast<double>(count_lines(RunPaths(folder).history)) / epochs, 1.0);
  } catch (const std::exception&) {
    return 0;  // it has not begun to write yet
  }
}

std::vector<RunOutcome> execute_plan(const Plan& plan, const ExecuteOptions& options, ExecuteObserver& observer) {
  require_usage(options.jobs >= 1 && options.jobs <= 1024, "--jobs ", options.jobs, ": give a number from 1 to 1024");
  return Scheduler(plan, options, observer).run();
}

}  // namespace factorgcn
