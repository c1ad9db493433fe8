// A comparison as text, as JSON and as a page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "factorgcn/base/text.h"
#include "factorgcn/report/compare_runs.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/report/seed_report.h"
#include "factorgcn/report/table.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/version.h"

namespace factorgcn {
namespace {

using nlohmann::ordered_json;

/// The metric that the sides are looked at in first.
std::string leading_metric(const RunComparison& comparison) {
  return comparison.metrics.empty() ? "" : comparison.metrics.front();
}

std::string side_score(const ComparedSide& side, const std::string& metric) {
  const Spread spread = side.spread(metric);
  return spread.runs == 0 ? "-" : spread_text(metric, spread);
}

std::string side_interval(const ComparedSide& side, const std::string& metric) {
  const auto interval = side.interval(metric);
  return interval ? metric_text(metric, interval->low) + " to " + metric_text(metric, interval->high) : "not known";
}

/// "5 seeds", "10 folds", "1 run, 1,000 samples".
std::string side_size(const ComparedSide& side, const std::string& metric) {
  const auto count = static_cast<std::int64_t>(side.numbers.size());
  switch (side.unit) {
    case ComparedSide::Unit::kSeeds:
      return fmt::format("{} seed{}", count, count == 1 ? "" : "s");
    case ComparedSide::Unit::kFolds:
      return fmt::format("{} folds", count);
    case ComparedSide::Unit::kRun:
      break;
  }
  const auto samples = side.example.samples.find(metric_split(side.example, metric));
  return samples == side.example.samples.end() ? "1 run"
                                               : fmt::format("1 run, {} samples", format_count(samples->second));
}

std::string side_chance(const ComparedSide& side, const std::string& metric) {
  const auto found = side.chance.find(metric);
  return found == side.chance.end() ? "not known" : metric_text(metric, found->second);
}

Table leading_table(const RunComparison& comparison) {
  const std::string metric = leading_metric(comparison);
  Table table({{""},
               {"run"},
               {"model"},
               {metric_title(metric), Align::kPoint},
               {"95 % interval"},
               {"from"},
               {"chance", Align::kPoint},
               {"time", Align::kRight}});
  for (const ComparedSide& side : comparison.sides) {
    table.add_row({side.letter, side.folder.string(), side.example.model, side_score(side, metric),
                   side_interval(side, metric), side_size(side, metric), side_chance(side, metric),
                   format_duration(side.seconds)});
  }
  return table;
}

/// Rows of metrics, columns of sides.
Table table_of_metrics(const RunComparison& comparison) {
  std::vector<Table::Column> columns{{"metric"}};
  for (const ComparedSide& side : comparison.sides) {
    columns.push_back({side.letter, Align::kPoint});
  }
  columns.push_back({"better"});
  Table table(columns);
  for (std::size_t index = 1; index < comparison.metrics.size(); ++index) {
    const std::string& metric = comparison.metrics[index];
    std::vector<std::string> row{metric_title(metric)};
    for (const ComparedSide& side : comparison.sides) {
      row.push_back(side_score(side, metric));
    }
    row.emplace_back(smaller_is_better(metric) ? "lower" : "higher");
    table.add_row(std::move(row));
  }
  return table;
}

Table table_of_settings(const RunComparison& comparison) {
  std::vector<Table::Column> columns{{"setting"}};
  for (const ComparedSide& side : comparison.sides) {
    columns.push_back({side.letter});
  }
  Table table(columns);
  for (const auto& [key, values] : comparison.settings) {
    std::vector<std::string> row{key};
    row.insert(row.end(), values.begin(), values.end());
    table.add_row(std::move(row));
  }
  return table;
}

/// What the tables do not say.
std::vector<std::string> comparison_notes(const RunComparison& comparison) {
  std::vector<std::string> notes;
  for (const ComparedPair& pair : comparison.pairs) {
    if (pair.metric == leading_metric(comparison)) {
      notes.push_back(pair_in_words(comparison, pair));
    }
  }
  for (const ComparedSide& side : comparison.sides) {
    if (!side.note.empty()) {
      notes.push_back(side.letter + ": " + side.note + ".");
    }
  }
  if (comparison.sides.size() > 2) {
    notes.push_back(fmt::format("The intervals of differences hold in 95 % for all {} comparisons together.",
                                comparison.sides.size() - 1));
  }
  notes.emplace_back(
      "95 % interval: of a single run, where its score on endlessly many such samples lies; of several seeds or folds, "
      "where their mean does. More than noise: the interval of the difference leaves out 0.");
  return notes;
}

ordered_json finite_or_null(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

const char* comparison_name(Comparison how) {
  switch (how) {
    case Comparison::kPaired:
      return "paired";
    case Comparison::kUnpaired:
      return "unpaired";
    case Comparison::kOneToMany:
      return "one to many";
    case Comparison::kOneToOne:
      return "one to one";
    case Comparison::kNotPossible:
      break;
  }
  return "not possible";
}

// ---- the page ------------------------------------------------------------------------------------------------------

PageColumn text_column(const std::string& key, const std::string& label) {
  return {key, label, PageBetter::kNone, 4, ""};
}

PageTable leading_page_table(const RunComparison& comparison) {
  const std::string metric = leading_metric(comparison);
  PageTable table;
  table.id = "scores";
  table.title = "Scores";
  table.columns = {text_column("run", "run"),
                   text_column("model", "model"),
                   text_column("score", metric_title(metric)),
                   text_column("interval", "95 % interval"),
                   text_column("from", "from"),
                   text_column("chance", "chance"),
                   text_column("time", "time")};
  for (const ComparedSide& side : comparison.sides) {
    PageRow row{side.letter, {}, false};
    row.cells["run"].text = side.folder.string();
    row.cells["model"].text = side.example.model;
    row.cells["score"].text = side_score(side, metric);
    row.cells["interval"].text = side_interval(side, metric);
    row.cells["from"].text = side_size(side, metric);
    row.cells["chance"].text = side_chance(side, metric);
    row.cells["time"].text = format_duration(side.seconds);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Rows by name, one column per side.
PageTable table_by_side(const RunComparison& comparison, const std::string& id, const std::string& title) {
  PageTable table;
  table.id = id;
  table.title = title;
  for (const ComparedSide& side : comparison.sides) {
    table.columns.push_back(text_column(side.letter, side.letter));
  }
  return table;
}

void add_tables_by_side(const RunComparison& comparison, Page& page) {
  PageTable further = table_by_side(comparison, "further", "Further metrics");
  for (std::size_t index = 1; index < comparison.metrics.size(); ++index) {
    const std::string& metric = comparison.metrics[index];
    PageRow row{metric_title(metric), {}, false};
    for (const ComparedSide& side : comparison.sides) {
      row.cells[side.letter].text = side_score(side, metric);
    }
    further.rows.push_back(std::move(row));
  }
  PageTable settings = table_by_side(comparison, "settings", "Settings that differ");
  for (const auto& [key, values] : comparison.settings) {
    PageRow row{key, {}, false};
    for (std::size_t side = 0; side < values.size(); ++side) {
      row.cells[comparison.sides[side].letter].text = values[side];
    }
    settings.rows.push_back(std::move(row));
  }
  for (PageTable* table : {&further, &settings}) {
    if (!table->rows.empty()) {
      page.tables.push_back(std::move(*table));
    }
  }
}

using ValueOf = std::function<double(const EpochRecord&)>;

/// A side's mean over its runs, epoch by epoch; where a run has stopped, over the others.
PageLine line_of(const ComparedSide& side, const std::vector<double>& epochs, const ValueOf& value) {
  PageLine line;
  line.label = side.letter;
  std::vector<std::vector<EpochRecord>> histories;
  for (const std::filesystem::path& run : side.runs) {
    const std::filesystem::path file = RunPaths(run).history;
    if (std::filesystem::exists(file)) {
      histories.push_back(read_history(file.string()));
    }
  }
  for (const double epoch : epochs) {
    std::vector<double> values;
    for (const auto& history : histories) {
      if (epoch <= static_cast<double>(history.size())) {
        values.push_back(value(history[static_cast<std::size_t>(epoch) - 1]));
      }
    }
    const Spread spread = spread_of(values);
    line.y.push_back(spread.runs > 0 ? spread.mean : std::numeric_limits<double>::quiet_NaN());
    line.deviation.push_back(spread.deviation.value_or(0));
  }
  return line;
}

/// Epochs to draw: all, or so many of them, evenly spread, that bars stay apart.
std::vector<double> drawn_epochs(const RunComparison& comparison) {
  constexpr std::int64_t kMostPoints = 40;
  std::int64_t longest = 0;
  for (const ComparedSide& side : comparison.sides) {
    for (const std::filesystem::path& run : side.runs) {
      const std::filesystem::path file = RunPaths(run).history;
      if (std::filesystem::exists(file)) {
        longest = std::max(longest, static_cast<std::int64_t>(read_history(file.string()).size()));
      }
    }
  }
  std::vector<double> epochs;
  const std::int64_t points = std::min(longest, kMostPoints);
  for (std::int64_t point = 0; point < points; ++point) {
    epochs.push_back(static_cast<double>(points == 1 ? 1 : 1 + point * (longest - 1) / (points - 1)));
  }
  return epochs;
}

void add_lines(const RunComparison& comparison, Page& page) {
  const std::vector<double> epochs = drawn_epochs(comparison);
  if (epochs.empty()) {
    return;
  }
  const std::string metric = leading_metric(comparison);
  const Metric* const entry = find_metric(metric);
  const auto add = [&](const std::string& id, const std::string& title, const ValueOf& value) {
    PageLines chart;
    chart.id = id;
    chart.title = title + " while training";
    chart.caption = "Of several seeds or folds, mean and deviation.";
    chart.x_label = "epoch";
    chart.y_label = title;
    chart.x = epochs;
    for (const ComparedSide& side : comparison.sides) {
      PageLine line = line_of(side, epochs, value);
      if (std::any_of(line.y.begin(), line.y.end(), [](double each) { return std::isfinite(each); })) {
        chart.series.push_back(std::move(line));
      }
    }
    if (!chart.series.empty()) {
      page.lines.push_back(std::move(chart));
    }
  };
  add("curve-metric", "Monitored " + metric_title(metric), [&](const EpochRecord& record) {
    if (record.metric_name != metric) {
      return std::numeric_limits<double>::quiet_NaN();  // another task's
    }
    return entry == nullptr ? record.validation_metric : entry->shown(record.validation_metric);
  });
  add("curve-loss", "Training loss", [](const EpochRecord& record) { return record.loss; });
}

}  // namespace

ordered_json to_json(const RunComparison& comparison) {
  ordered_json object = ordered_json::object();
  object["level"] = comparison.level;
  auto& sides = object["runs"] = ordered_json::array();
  for (const ComparedSide& side : comparison.sides) {
    ordered_json shown{{"name", side.letter},
                       {"folder", side.folder.string()},
                       {"dataset", side.example.dataset},
                       {"model", side.example.model},
                       {"metric", task_metric(side.example)},
                       {"status", status_name(side.example.status)},
                       {"unit", side.unit == ComparedSide::Unit::kSeeds   ? "seeds"
                                : side.unit == ComparedSide::Unit::kFolds ? "folds"
                                                                          : "run"},
                       {"numbers", side.numbers},
                       {"seconds", side.seconds}};
    if (!side.note.empty()) {
      shown["note"] = side.note;
    }
    auto& scores = shown["scores"] = ordered_json::object();
    for (const auto& [metric, values] : side.values) {
      const Spread spread = spread_of(values);
      scores[metric] = {{"mean", finite_or_null(spread.mean)}, {"runs", spread.runs}};
      if (spread.deviation) {
        scores[metric]["deviation"] = *spread.deviation;
      }
      if (const auto interval = side.interval(metric)) {
        scores[metric]["interval"] = {interval->low, interval->high};
      }
      if (const auto chance = side.chance.find(metric); chance != side.chance.end()) {
        scores[metric]["chance"] = finite_or_null(chance->second);
      }
    }
    sides.push_back(std::move(shown));
  }
  auto& pairs = object["differences"] = ordered_json::array();
  for (const ComparedPair& pair : comparison.pairs) {
    ordered_json shown{
        {"of", comparison.sides[pair.side].letter}, {"less", comparison.sides.front().letter}, {"metric", pair.metric}};
    if (!pair.not_comparable.empty()) {
      shown["not_comparable"] = pair.not_comparable;
    } else {
      shown["difference"] = finite_or_null(pair.difference.value);
      shown["how"] = comparison_name(pair.difference.how);
      if (const auto beyond = pair.difference.more_than_noise()) {
        shown["interval"] = {pair.difference.interval->low, pair.difference.interval->high};
        shown["more_than_noise"] = *beyond;
      }
    }
    pairs.push_back(std::move(shown));
  }
  auto& settings = object["settings"] = ordered_json::object();
  for (const auto& [key, values] : comparison.settings) {
    settings[key] = values;
  }
  return object;
}

std::string comparison_report(const RunComparison& comparison, const Terminal& terminal) {
  const int width = std::clamp(terminal.width, 60, 100);
  std::string text = leading_table(comparison).to_text(terminal.utf8) + "\n";
  if (const Table further = table_of_metrics(comparison); !further.empty()) {
    text += further.to_text(terminal.utf8) + "\n";
  }
  if (const Table settings = table_of_settings(comparison); settings.empty()) {
    text += "The same settings.\n\n";
  } else {
    text += settings.to_text(terminal.utf8) + "\n";
  }
  for (const std::string& note : comparison_notes(comparison)) {
    text += wrap_text(note, width) + "\n";
  }
  return terminal.utf8 ? text : to_ascii(text);
}

Page comparison_page(const RunComparison& comparison) {
  Page page;
  page.title = fmt::format("{} runs compared", comparison.sides.size());
  page.program = "factorgcn " FACTORGCN_VERSION;
  page.created = page_time_now();
  for (const ComparedSide& side : comparison.sides) {
    page.facts.push_back({side.letter, side.folder.string()});
  }
  page.notes = comparison_notes(comparison);
  page.tables.push_back(leading_page_table(comparison));
  add_tables_by_side(comparison, page);
  add_lines(comparison, page);
  return page;
}

}  // namespace factorgcn
