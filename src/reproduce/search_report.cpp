// A search as text and as a page.
#include "factorgcn/reproduce/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/seed_report.h"
#include "factorgcn/report/table.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

using TrialState = TrialResult::State;

std::string trial_score(const SearchResult& result, const TrialResult& each) {
  switch (each.state) {
    case TrialState::kFinished:
      return spread_text(result.metric, each.validation);
    case TrialState::kDiverged:
      return "diverged";
    case TrialState::kFailed:
      return "failed";
    case TrialState::kMissing:
      break;
  }
  return "not done";
}

std::int64_t count_of(const SearchResult& result, TrialState state) {
  return std::count_if(result.trials.begin(), result.trials.end(),
                       [&](const TrialResult& each) { return each.state == state; });
}

std::string headline(const SearchResult& result) {
  const auto trials = static_cast<std::int64_t>(result.trials.size());
  std::string text = trials == result.combinations
                         ? fmt::format("{} trial{}: every combination", format_count(trials), trials == 1 ? "" : "s")
                         : fmt::format("{} trials, drawn at random from {} combinations", format_count(trials),
                                       format_count(result.combinations));
  if (result.seeds.size() > 1) {
    text += fmt::format(", each with {} seeds", result.seeds.size());
  }
  double seconds = 0;
  for (const TrialResult& each : result.trials) {
    seconds += each.seconds;
  }
  return text + fmt::format("; {} of training in all", format_duration(seconds));
}

/// The chosen trial's own scores, as several runs show theirs.
SeedMetrics chosen_runs(const SearchResult& result) {
  SeedMetrics runs;
  for (const RunMetrics& metrics : result.test_of_chosen) {
    runs.runs.push_back({metrics.seed, metrics, ""});
  }
  return runs;
}

std::string chosen_in_words(const SearchResult& result) {
  if (!result.chosen) {
    return "No trial has a validation score: nothing is chosen.";
  }
  const TrialResult& best = result.trials[*result.chosen];
  const SeedMetrics runs = chosen_runs(result);
  const RunMetrics& example = *runs.example();
  const Spread test = spread_of(runs.values(result.metric, &RunMetrics::test));
  std::string text = fmt::format("Chosen on the validation part: {} with {} {}.", best.trial.name,
                                 metric_title(result.metric), spread_text(result.metric, best.validation));
  if (test.runs == 0 || metric_split(example, result.metric) != "test") {
    return text + " There is no test part: how good it is on samples that chose nothing is not known.";
  }
  text += fmt::format(" On the test part: {}", spread_text(result.metric, test));
  const bool lone = runs.runs.size() == 1;
  const std::string interval = lone ? interval_text(example, result.metric) : mean_interval_text(result.metric, test);
  const auto chance = runs.chance(result.metric);
  text += fmt::format(" (95 % interval{}: {}; chance: {}).", lone ? "" : " of the mean", interval,
                      chance ? metric_text(result.metric, *chance) : "not known");
  return text;
}

/// How far the choice can be trusted.
std::vector<std::string> search_notes(const SearchResult& result) {
  std::vector<std::string> notes{chosen_in_words(result)};
  if (result.trials.size() > 1 && result.chosen) {
    notes.emplace_back(
        "The best of several validation scores flatters, the more so the more trials there are: the test score is the "
        "one to report. It was not looked at to choose, and those of other trials are not shown.");
    if (result.seeds.size() == 1) {
      notes.emplace_back(
          "With one seed a trial, close ones may owe their order to chance: --seeds 3 tells them apart.");
    }
  }
  std::map<std::string, std::vector<std::string>> failures;  // trials by what went wrong
  for (const TrialResult& each : result.trials) {
    if (each.state == TrialState::kFailed) {
      failures[each.message].push_back(each.trial.name);
    }
  }
  for (const auto& [message, names] : failures) {
    const std::string more = names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1);
    notes.push_back(fmt::format("Failed: {}{}: {}", names.front(), more, message.empty() ? "see the logs" : message));
  }
  if (const std::int64_t diverged = count_of(result, TrialState::kDiverged); diverged > 0) {
    notes.push_back(
        fmt::format("Training diverged in {} trial{}, which cannot be chosen.", diverged, diverged == 1 ? "" : "s"));
  }
  if (const std::int64_t missing = count_of(result, TrialState::kMissing); missing > 0) {
    notes.push_back(fmt::format("{} trial{} not done yet.", missing, missing == 1 ? " is" : "s are"));
  }
  return notes;
}

bool as_number(const std::string& text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// A setting of numbers against the best and the mean score of the trials that have each value.
void add_line(const SearchResult& result, const SearchPlan& plan, std::size_t index, Page& page) {
  std::map<double, std::vector<double>> scores;
  for (const TrialResult& each : result.trials) {
    double x = 0;
    if (!as_number(each.trial.values[index], x)) {
      return;
    }
    if (each.state == TrialState::kFinished) {
      scores[x].push_back(each.validation.mean);
    }
  }
  if (scores.size() < 2) {
    return;
  }
  const Metric* const metric = find_metric(result.metric);
  const auto shown = [&](double value) { return metric == nullptr ? value : metric->shown(value); };
  PageLines chart;
  chart.id = fmt::format("over-{}", index + 1);
  chart.title = fmt::format("Validation score over {}", plan.over[index].name);
  chart.caption = "Of the trials with that value: the best one, and mean and deviation of all.";
  chart.x_label = plan.over[index].name;
  chart.y_label = metric_title(result.metric);
  PageLine best{"best", {}, {}, {}}, mean{"mean", {}, {}, {}};
  for (const auto& [x, values] : scores) {
    const Spread spread = spread_of(values);
    chart.x.push_back(x);
    best.y.push_back(shown(smaller_is_better(result.metric) ? spread.lowest : spread.highest));
    mean.y.push_back(shown(spread.mean));
    mean.deviation.push_back(shown(spread.deviation.value_or(0)));
  }
  chart.log_x = chart.x.front() > 0 && chart.x.back() >= 8 * chart.x.front();
  chart.series = {std::move(best), std::move(mean)};
  page.lines.push_back(std::move(chart));
}

PageTable trials_table(const SearchResult& result, const SearchPlan& plan) {
  PageTable table;
  table.id = "trials";
  table.title = "Trials";
  table.caption = headline(result) + ".";
  const auto column = [&](const std::string& key, const std::string& label) {
    table.columns.push_back({key, label, PageBetter::kNone, 4, ""});
  };
  for (std::size_t index = 0; index < plan.over.size(); ++index) {
    column(fmt::format("setting{}", index), plan.over[index].name);
  }
  column("score", "validation: " + metric_title(result.metric));
  column("time", "time");
  for (std::size_t number = 0; number < result.trials.size(); ++number) {
    const TrialResult& each = result.trials[number];
    PageRow row{fmt::format("{}", number + 1), {}, result.chosen == number};
    for (std::size_t index = 0; index < plan.over.size(); ++index) {
      row.cells[fmt::format("setting{}", index)].text = each.trial.values[index];
    }
    row.cells["score"].text = trial_score(result, each);
    row.cells["score"].note = each.message;
    row.cells["time"].text = format_duration(each.seconds);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::string search_report(const SearchResult& result, const SearchPlan& plan, const Terminal& terminal,
                          std::size_t most) {
  const int width = std::clamp(terminal.width, 60, 100);
  std::vector<Table::Column> columns{{"", Align::kRight}};
  for (const SearchedSetting& setting : plan.over) {
    columns.push_back({setting.name, Align::kRight});
  }
  columns.push_back({"validation: " + metric_title(result.metric), Align::kPoint});
  columns.push_back({"time", Align::kRight});
  Table table(columns);
  std::size_t left_out = 0;
  for (std::size_t number = 0; number < result.trials.size(); ++number) {
    const TrialResult& each = result.trials[number];
    if (number >= most && each.state == TrialState::kFinished) {
      ++left_out;
      continue;
    }
    std::vector<std::string> row{each.state == TrialState::kFinished ? fmt::format("{}", number + 1) : ""};
    row.insert(row.end(), each.trial.values.begin(), each.trial.values.end());
    row.push_back(trial_score(result, each));
    row.push_back(format_duration(each.seconds));
    table.add_row(std::move(row));
  }
  std::string text = wrap_text(headline(result), width) + "\n\n" + table.to_text(terminal.utf8) + "\n";
  if (left_out > 0) {
    text += wrap_text(fmt::format("{} more with lower ranks are on the page.", left_out), width) + "\n";
  }
  for (const std::string& note : search_notes(result)) {
    text += wrap_text(note, width) + "\n";
  }
  return terminal.utf8 ? text : to_ascii(text);
}

Page search_page(const std::filesystem::path& folder) {
  const SearchPlan plan = read_search_plan(folder);
  const SearchResult result = gather_search(folder);
  Page page;
  page.title = "A search over settings";
  page.program = "factorgcn " FACTORGCN_VERSION;
  page.created = page_time_now();
  if (result.chosen) {
    const RunMetrics& example = result.test_of_chosen.front();
    page.title = fmt::format("{} on {}: a search over settings", example.model, example.dataset);
  }
  for (const SearchedSetting& setting : plan.over) {
    std::string values;
    for (const std::string& value : setting.values) {
      values += (values.empty() ? "" : "; ") + value;
    }
    page.facts.push_back({setting.name, values});
  }
  page.notes = search_notes(result);
  page.tables.push_back(trials_table(result, plan));
  for (std::size_t index = 0; index < plan.over.size(); ++index) {
    add_line(result, plan, index, page);
  }
  PageCurves curves;
  curves.id = "curves";
  curves.title = "Training curves of the chosen trial";
  for (const std::uint64_t seed : result.chosen ? result.seeds : std::vector<std::uint64_t>()) {
    const auto run = seed_run_folder(run_folder(folder, result.trials[*result.chosen].trial.name), seed);
    const auto file = RunPaths(run).history;
    const auto history = std::filesystem::exists(file) ? read_history(file.string()) : std::vector<EpochRecord>();
    if (!history.empty()) {
      curves.runs.push_back(page_curve_run(history, fmt::format("seed {}", seed)));
    }
  }
  if (!curves.runs.empty()) {
    page.curves.push_back(std::move(curves));
  }
  return page;
}

}  // namespace factorgcn
