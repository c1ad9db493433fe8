// Tables and figures from the runs' folders. Nothing is trained here.
#include "factorgcn/reproduce/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/figure_svg.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/table_files.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/version.h"
#include "reproduce/figures.h"
#include "reproduce/gathered_runs.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

/// Why a group has no value at all.
std::string missing_note(const RunGroup& group, const std::vector<RunOutcome>& outcomes) {
  for (const RunOutcome& outcome : outcomes) {
    const bool ours = std::find(group.runs.begin(), group.runs.end(), outcome.name) != group.runs.end();
    if (ours && outcome.state == RunOutcome::State::kFailed) {
      return outcome.name + " failed: " + outcome.message;
    }
  }
  return "";
}

PageCell table_cell(const Plan& plan, const fs::path& out, const std::string& group_name, const PlannedColumn& column,
                    const std::vector<RunOutcome>& outcomes) {
  PageCell cell;
  const RunGroup& group = plan.group(group_name);
  const GatheredScore score = gather_score(group, out, column.metric, column.protocol);
  cell.count = score.runs;
  if (score.runs > 0) {
    cell.value = score.mean;
    if (score.runs > 1 || score.spread_is_of_samples) {
      cell.deviation = score.deviation;
    }
    const auto wanted = static_cast<std::int64_t>(group.runs.size());
    if (score.runs < wanted) {
      cell.note = fmt::format("{} of {} runs", score.runs, wanted);
    }
  } else {
    cell.note = missing_note(group, outcomes);
  }
  // The paper's folds follow the published protocol; beside another one they would compare unlike things.
  if (column.protocol != "corrected") {
    const PaperValue* paper = find_paper_value(group.dataset, group.factors, group.model, column.metric);
    if (paper != nullptr) {
      cell.paper = paper->mean;
      cell.paper_deviation = paper->deviation;
    }
  }
  return cell;
}

PageTable page_table(const Plan& plan, const PlannedTable& planned, const fs::path& out,
                     const std::vector<RunOutcome>& outcomes) {
  PageTable table;
  table.id = planned.id;
  table.title = planned.title;
  table.caption = planned.caption;
  table.protocol = planned.protocol;
  for (const PlannedColumn& column : planned.columns) {
    PageColumn shown;
    shown.key = column.key;
    shown.label = column.label;
    shown.better = smaller_is_better(column.metric) ? PageBetter::kLower : PageBetter::kHigher;
    shown.digits = column.decimals;
    table.columns.push_back(shown);
  }
  for (const PlannedTable::Row& row : planned.rows) {
    PageRow shown;
    shown.label = row.label;
    shown.emphasis = row.label == "FactorGCN";
    for (std::size_t index = 0; index < planned.columns.size(); ++index) {
      if (!row.groups[index].empty()) {
        shown.cells[planned.columns[index].key] =
            table_cell(plan, out, row.groups[index], planned.columns[index], outcomes);
      }
    }
    table.rows.push_back(shown);
  }
  return table;
}

/// Training curves of FactorGCN's runs, one chart per group; nothing for cross-validations, whose folds have pages of
/// their own.
std::vector<PageCurves> page_curves(const Plan& plan, const PlannedTable& planned, const fs::path& out) {
  std::vector<PageCurves> charts;
  std::set<std::string> seen;
  for (const PlannedTable::Row& row : planned.rows) {
    for (const std::string& name : row.groups) {
      if (row.label != "FactorGCN" || name.empty() || !seen.insert(name).second) {
        continue;
      }
      PageCurves curves;
      curves.id = planned.id + "-curves-" + std::to_string(charts.size() + 1);
      curves.title = fmt::format("Training: {}", name);
      for (const std::string& run : plan.group(name).runs) {
        const fs::path file = RunPaths(run_folder(out, run)).history;
        const std::vector<EpochRecord> history =
            fs::exists(file) ? read_history(file.string()) : std::vector<EpochRecord>();
        if (!history.empty()) {
          curves.runs.push_back(page_curve_run(history, run.substr(run.rfind('/') + 1)));
        }
      }
      if (!curves.runs.empty()) {
        charts.push_back(std::move(curves));
      }
    }
  }
  return charts;
}

/// One chart per metric: their scales differ.
std::vector<PageLines> page_lines(const Plan& plan, const PlannedCurve& planned, const fs::path& out) {
  std::vector<PageLines> charts;
  for (const std::string& metric : planned.metrics) {
    PageLines chart;
    chart.id = fmt::format("{}-{}", planned.id, metric);
    std::replace(chart.id.begin(), chart.id.end(), '_', '-');
    chart.title = fmt::format("{}: {}", planned.title, metric_label(metric));
    chart.x_label = planned.x_label;
    chart.y_label = metric_label(metric);
    chart.x = planned.x;
    PageLine line;
    line.label = "FactorGCN";
    for (const std::string& group : planned.groups) {
      const GatheredScore score = gather_score(plan.group(group), out, metric, "");
      line.y.push_back(score.runs > 0 ? score.mean : std::nan(""));
      line.deviation.push_back(score.runs > 1 && !score.spread_is_of_samples ? score.deviation : 0);
    }
    chart.series.push_back(line);
    charts.push_back(chart);
  }
  return charts;
}

void add_facts(Page& page, const Plan& plan, const fs::path& out) {
  double seconds = 0;
  std::int64_t finished = 0;
  for (const RunGroup& group : plan.groups) {
    seconds += gather_seconds(group, out);
    for (const std::string& name : group.runs) {
      finished += fs::exists(RunPaths(run_folder(out, name)).metrics) ? 1 : 0;
    }
  }
  page.facts.push_back({"runs", fmt::format("{} of {}", finished, plan.runs.size())});
  page.facts.push_back({"training time, all runs", format_duration(seconds)});
}

}  // namespace

Page reproduction_page(const Plan& plan, const fs::path& out, const std::string& target,
                       const std::vector<RunOutcome>& outcomes) {
  Page page;
  page.title = target == "all" ? "Factorizable Graph Convolutional Networks, reproduced"
                               : fmt::format("Factorizable Graph Convolutional Networks: {}", target);
  page.subtitle = "Every number beside the paper's";
  page.program = "factorgcn " FACTORGCN_VERSION;
  page.created = page_time_now();
  add_facts(page, plan, out);
  for (const std::string& sentence : plan.left_out) {
    page.notes.push_back("Left out (quick): " + sentence + ".");
  }
  for (const PlannedTable& table : plan.tables) {
    page.tables.push_back(page_table(plan, table, out, outcomes));
    for (PageCurves& curves : page_curves(plan, table, out)) {
      const bool is_new = std::none_of(page.curves.begin(), page.curves.end(),
                                       [&](const PageCurves& each) { return each.title == curves.title; });
      if (is_new) {  // tables share groups
        page.curves.push_back(std::move(curves));
      }
    }
  }
  for (const PlannedFactors& figure : plan.factors) {
    if (auto graphs = factor_graphs_figure(plan, figure, out)) {
      page.factor_graphs.push_back(std::move(*graphs));
    }
  }
  for (const PlannedCorrelation& figure : plan.correlations) {
    PageHeatmaps maps = correlation_figure(plan, figure, out);
    if (!maps.panels.empty()) {
      page.heatmaps.push_back(std::move(maps));
    }
  }
  for (const PlannedCurve& curve : plan.curves) {
    for (PageLines& chart : page_lines(plan, curve, out)) {
      page.lines.push_back(std::move(chart));
    }
  }
  return page;
}

std::vector<fs::path> write_reproduction(const Page& page, const fs::path& out, const std::string& target) {
  std::vector<fs::path> files;
  const auto write = [&](const std::string& name, const std::string& content) {
    files.push_back(out / name);
    write_file_atomically(files.back(), content);
  };
  fs::create_directories(out);
  files.push_back(out / (target + ".html"));
  write_page(files.back(), page);
  for (const PageTable& table : page.tables) {
    write(table.id + ".md", table_markdown(table));
    write(table.id + ".csv", table_csv(table));
    write(table.id + ".tex", table_latex(table));
  }
  for (const PageFactorGraphs& figure : page.factor_graphs) {
    constexpr std::size_t kDrawnSamples = 6;
    write(figure.id + ".svg", factor_graphs_svg(figure, kDrawnSamples));
  }
  for (const PageHeatmaps& figure : page.heatmaps) {
    write(figure.id + ".svg", heatmaps_svg(figure));
  }
  for (const PageLines& figure : page.lines) {
    write(figure.id + ".svg", lines_svg(figure));
  }
  return files;
}

}  // namespace factorgcn
