// What a person sees at the end of a run: its scores beside the paper's, and how to read them.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/paper_values.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

/// Metric, this run, chance where that of a score of factors is known, the paper where it has any of the values, the
/// split it was computed on, which direction is better. Rows for the task's metric and the scores of factors; "-" where
/// the paper has no value for this data set, number of factors and model.
FACTORGCN_API Table run_table(const RunMetrics& metrics);

/// The task's metric once more and every other for the task: value, 95 % interval, chance value, which direction is
/// better. Empty where neither intervals nor further metrics are known, as in older files; values that are not known
/// are left out.
FACTORGCN_API Table detail_table(const RunMetrics& metrics);

/// "On 2,000 test samples." and, where they are few, what that means; empty where their number is not known.
FACTORGCN_API std::string samples_text(const RunMetrics& metrics);

/// What fewer than kSmallPart samples mean for a score, as a sentence; empty for more. `part`: "test".
FACTORGCN_API std::string small_part_text(std::int64_t samples, const std::string& part);

/// A metric's name with its unit, "accuracy in %"; unknown ones as they are.
FACTORGCN_API std::string metric_title(const std::string& metric);

/// A metric's value in its unit and decimals: "0.9934", "86.51"; "not known" for NaN. `value` as in metrics.json.
FACTORGCN_API std::string metric_text(const std::string& metric, double value);

/// Its interval and chance value: "0.9921 to 0.9945", "0.5000"; "not known" where they are not.
FACTORGCN_API std::string interval_text(const RunMetrics& metrics, const std::string& metric);
FACTORGCN_API std::string chance_text(const RunMetrics& metrics, const std::string& metric);

/// Settings in which a run differs from its preset, as "epochs 3 (published: 80)"; empty where it is the preset or
/// there is no preset. `data`: what has been opened before. Such a run is not comparable with the paper, and the report
/// says so.
FACTORGCN_API std::vector<std::string> departures_from_preset(const RunConfig& config, const OpenedData& data = {});

/// The same as a paragraph for a report; empty where there are none.
FACTORGCN_API std::string departures_text(const std::vector<std::string>& departures, int width);

/// The metric that chose the run's epoch; empty where the run has none.
FACTORGCN_API std::string task_metric(const RunMetrics& metrics);

/// What a report shows first: the task's metric, then the scores of factors.
FACTORGCN_API std::vector<std::string> shown_metrics(const RunMetrics& metrics);

/// The others for the task, in the table's order.
FACTORGCN_API std::vector<std::string> further_metrics(const RunMetrics& metrics);

/// shown_metrics(), then further_metrics().
FACTORGCN_API std::vector<std::string> all_metrics(const RunMetrics& metrics);

/// The others after the task's metric where its interval is known: what detail_table() shows.
FACTORGCN_API std::vector<std::string> detailed_metrics(const RunMetrics& metrics);

/// The paper's value beside a metric of this run, or nullptr. Shares are in % there.
FACTORGCN_API const PaperValue* paper_value_beside(const RunMetrics& metrics, const std::string& metric);

/// The split a metric was computed on: "test", "validation" or "train".
FACTORGCN_API std::string metric_split(const RunMetrics& metrics, const std::string& metric);

/// What the scores are of, for a column's head: "this run", or of a run that diverged "epoch 5, before it diverged" or
/// "untrained".
FACTORGCN_API std::string score_title(const RunMetrics& metrics);

/// What must be known before any score is believed, a sentence each: training diverged; there was no test part; the
/// score is no better than chance. Empty for a run without such faults.
FACTORGCN_API std::vector<std::string> run_warnings(const RunMetrics& metrics);

/// The metrics whose value is not known, and why; empty where there are none.
FACTORGCN_API std::string unknown_text(const RunMetrics& metrics);

/// Sentences of the report: what was run, by which protocol, and how to read the metrics.
FACTORGCN_API std::string run_headline(const RunMetrics& metrics);
FACTORGCN_API std::string run_protocol_text(const RunMetrics& metrics);
FACTORGCN_API std::string run_explanation(const RunMetrics& metrics);

/// Headline, table, protocol and a short explanation of the metrics shown, wrapped to the terminal's width.
FACTORGCN_API std::string run_report(const RunMetrics& metrics, const std::vector<std::string>& departures,
                                     const Terminal& terminal);

}  // namespace factorgcn
