// The scheduler: at most `jobs` children at a time, in the plan's order.
//
// Processes that share a plan keep the same books: each tells what has become of its own jobs, all note that in the
// same order and deal out what waits by the same rule, so that nobody need decide for the others.
#include "factorgcn/reproduce/execute.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGTERM as base/interrupt.h has it

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"
#include "reproduce/child_process.h"
#include "reproduce/job.h"
#include "reproduce/job_news.h"
#include "reproduce/time_estimate.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using State = RunOutcome::State;

constexpr auto kPollTime = std::chrono::milliseconds(100);
constexpr auto kPatience = std::chrono::seconds(20);  // with children that are to save and end

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
  bool at_work = false;
  std::size_t rank = 0;  // of the process that it was dealt to
  Clock::time_point begun;
};

/// A job of this process.
struct Running {
  std::size_t index;
  ChildProcess process;
};

class Scheduler {
 public:
  Scheduler(const Plan& plan, const ExecuteOptions& options, ExecuteObserver& observer)
      : plan_(plan), options_(options), observer_(observer), exchange_(options.group) {
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
    try {
      return run_all();
    } catch (...) {
      // Another process is lost. What runs here is saved, so that whoever goes on finds it.
      send_to_all(SIGTERM);
      for (const auto start = Clock::now(); !running_.empty() && Clock::now() - start < kPatience;) {
        collect();
        std::this_thread::sleep_for(kPollTime);
      }
      throw;
    }
  }

 private:
  std::vector<RunOutcome> run_all() {
    exchange_.begin(plan_, options_);
    report_finished();
    make_folders();
    while (true) {
      note_news();
      if (!exchange_.stop_asked()) {
        deal_out();
      } else if (!told_) {
        // A terminal's Ctrl-C reaches the children by itself; a signal to this process alone does not.
        send_to_all(interrupt_signal());
        told_ = true;
      }
      if (options_.speaks()) {
        observer_.on_wait(progress());
      }
      if (!anything_left()) {
        break;
      }
      std::this_thread::sleep_for(kPollTime);
    }
    if (options_.speaks()) {
      wait_for_files();
    }
    return run_outcomes();
  }

  /// A folder that several machines share may show late what another one wrote.
  void wait_for_files() const {
    for (const Entry& entry : entries_) {
      const auto start = Clock::now();
      while (entry.outcome.state == State::kDone && !is_over(entry.job) && Clock::now() - start < kPatience) {
        std::this_thread::sleep_for(kPollTime);
      }
    }
  }

  void send_to_all(int signal) const {
    std::for_each(running_.begin(), running_.end(), [&](const Running& each) { each.process.send(signal); });
  }

  static bool is_over(const Job& job) { return fs::exists(RunPaths(job.folder).metrics); }

  template <class Function>
  void for_each_of_run(std::size_t run, const Function& function) {
    for (Entry& entry : entries_) {
      if (entry.job.run == run) {
        function(entry);
      }
    }
  }

  void tell_end(const Entry& entry) {
    if (options_.speaks()) {
      observer_.on_job_end(entry.job.kind, entry.outcome, progress());
    }
  }

  void report_finished() {
    std::vector<bool> over;
    for (const Entry& entry : entries_) {
      over.push_back(is_over(entry.job));
    }
    over = exchange_.same_for_all(over);
    const auto report = [&](Entry& entry) {
      entry.outcome.state = State::kDone;
      entry.outcome.was_done_before = true;
      done_ += entry.wanted ? 1 : 0;
    };
    // What closes a run comes first: where it is over, its folds are of no interest.
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      Entry& entry = entries_[index];
      if (entry.job.kind != JobKind::kFold && over[index]) {
        for_each_of_run(entry.job.run, report);
        tell_end(entry);
      }
    }
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      Entry& entry = entries_[index];
      if (entry.outcome.state == State::kNotStarted && over[index]) {
        report(entry);
        tell_end(entry);
      }
    }
  }

  /// Folds that several processes are about to train at once need the folder of the whole before.
  void make_folders() {
    if (exchange_.size() == 1 || exchange_.rank() != 0) {
      return;
    }
    std::optional<std::size_t> made;
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      const Entry& entry = entries_[index];
      if (is_waiting(entry) && entry.job.kind == JobKind::kFold && made != entry.job.run) {
        made = entry.job.run;
        try {
          make_shared_folder(plan_.runs[entry.job.run], options_);
        } catch (const std::exception& error) {
          news_.push_back({index, State::kFailed, 0, error.what(), /*whole_run=*/true});
        }
      }
    }
  }

  static bool is_waiting(const Entry& entry) {
    return entry.wanted && !entry.started && entry.outcome.state == State::kNotStarted;
  }

  bool anything_left() const {
    return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.at_work; }) ||
           (!exchange_.stop_asked() && next_waiting().has_value());
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

  std::optional<std::size_t> next_waiting() const {
    for (std::size_t index = 0; index < entries_.size(); ++index) {
      if (is_waiting(entries_[index]) && (entries_[index].job.kind != JobKind::kClosing || has_all_folds(index))) {
        return index;
      }
    }
    return {};
  }

  /// The process with the fewest jobs at work, the first among equals; nothing where all have as many as they may.
  std::optional<std::size_t> idlest_rank() const {
    std::vector<int> busy(exchange_.size(), 0);
    for (const Entry& entry : entries_) {
      busy[entry.rank] += entry.at_work ? 1 : 0;
    }
    const auto least = std::min_element(busy.begin(), busy.end());
    return *least < options_.jobs ? std::optional<std::size_t>(least - busy.begin()) : std::nullopt;
  }

  void deal_out() {
    for (auto rank = idlest_rank(); rank; rank = idlest_rank()) {
      const std::optional<std::size_t> next = next_waiting();
      if (!next) {
        return;
      }
      Entry& entry = entries_[*next];
      entry.started = entry.at_work = true;
      entry.rank = *rank;
      entry.begun = Clock::now();
      if (*rank == exchange_.rank() && !start(*next)) {
        if (exchange_.size() == 1) {
          return;  // nor could the next fold of that run
        }
        continue;
      }
      if (options_.speaks()) {
        observer_.on_job_start(entry.job.name, progress());
      }
    }
  }

  bool start(std::size_t index) {
    const Job& job = entries_[index].job;
    try {
      if (job.folder.has_parent_path()) {
        fs::create_directories(job.folder.parent_path());
      }
      fs::create_directories(job.log.parent_path());
      const auto words = job_command(job, plan_.runs[job.run], options_);
      running_.push_back({index, ChildProcess(words, job.log)});
      return true;
    } catch (const std::exception& error) {
      news_.push_back({index, State::kFailed, 0, error.what(), /*whole_run=*/true});
      return false;
    }
  }

  /// What has become of this process's children that have ended.
  void collect() {
    for (auto each = running_.begin(); each != running_.end();) {
      const std::optional<int> code = each->process.poll();
      if (!code) {
        ++each;
        continue;
      }
      const Entry& entry = entries_[each->index];
      JobNews news{each->index, State::kDone, seconds_since(entry.begun), "", false};
      // A diverged run (exit code 3) has its metrics too: those of the best model before.
      if (!is_over(entry.job)) {
        news.state = interrupt_signal() != 0 ? State::kInterrupted : State::kFailed;
        if (news.state == State::kFailed) {
          news.message = concat("exit code ", *code, ": ", last_line(entry.outcome.log));
        }
      }
      news_.push_back(std::move(news));
      each = running_.erase(each);
    }
  }

  /// Hears and notes what has ended, here or elsewhere.
  void note_news() {
    collect();
    for (const JobNews& news : exchange_.tell(std::exchange(news_, {}))) {
      note(news);
    }
  }

  void note(const JobNews& news) {
    Entry& entry = entries_[news.index];
    entry.at_work = false;
    if (news.whole_run) {
      give_up(entry.job, news.message);
      return;
    }
    entry.outcome.state = news.state;
    entry.outcome.seconds = news.seconds;
    entry.outcome.message = news.message;
    if (news.state == State::kInterrupted) {
      return;
    }
    if (news.state == State::kFailed) {
      fail_closing(entry.job.run, concat(entry.job.part, " failed"));
    } else if (entry.job.kind != JobKind::kClosing) {
      times_.add(plan_.runs[entry.job.run].name, news.seconds);
    }
    ++done_;
    tell_end(entry);
  }

  /// A job that cannot even be started: the other folds of its run would only say the same again.
  void give_up(const Job& job, const std::string& why) {
    Entry* last = nullptr;
    for_each_of_run(job.run, [&](Entry& entry) {
      if (entry.outcome.state == State::kNotStarted && !entry.at_work) {
        entry.outcome.state = State::kFailed;
        entry.outcome.message = why;
        entry.started = false;
        ++done_;
        last = &entry;
      }
    });
    if (last != nullptr) {
      tell_end(*last);
    }
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
    for (const Entry& entry : entries_) {
      if (entry.at_work) {
        now.running.push_back(entry.job.name);
        now.share.push_back(share_done(entry.job.folder));
        add(entry.job, seconds_since(entry.begun));
      } else if (is_waiting(entry)) {
        add(entry.job, 0);
      }
    }
    // Towards the end there are fewer jobs than may run at a time.
    const auto at_once = static_cast<double>(options_.jobs) * static_cast<double>(exchange_.size());
    now.seconds_left = known ? std::max(work / at_once, longest) : -1;
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
  JobExchange exchange_;
  std::vector<Entry> entries_;
  std::vector<Running> running_;
  std::vector<JobNews> news_;  // of this process, that nobody has heard
  TimeEstimate times_;
  std::int64_t done_ = 0, total_ = 0;
  bool told_ = false;
};

}  // namespace

bool ExecuteOptions::speaks() const { return group == nullptr || group->rank() == 0; }

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

FolderLock lock_runs(const fs::path& out) { return {out, "the folder", "another --out"}; }

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
  Scheduler scheduler(plan, options, observer);
  std::optional<FolderLock> lock;
  // A run in this very folder, folds dealt out, has its jobs lock it one by one.
  const bool is_a_run = std::any_of(plan.runs.begin(), plan.runs.end(),
                                    [&](const PlannedRun& run) { return run.folder == options.out; });
  if (options.speaks() && !is_a_run) {  // the others share the folder with it
    fs::create_directories(options.out);
    lock.emplace(lock_runs(options.out));
  }
  return scheduler.run();
}

}  // namespace factorgcn
