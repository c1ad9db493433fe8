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

/// Metric, this run, the paper, the split it was computed on, which direction is better. Rows for the metrics the run
/// has; "-" where the paper has no value for this data set, number of factors and model.
FACTORGCN_API Table run_table(const RunMetrics& metrics);

/// Settings in which a run differs from its preset, as "epochs 3 (published: 80)"; empty where it is the preset or
/// there is no preset. `data`: what has been opened before. Such a run is not comparable with the paper, and the report
/// says so.
FACTORGCN_API std::vector<std::string> departures_from_preset(const RunConfig& config, const OpenedData& data = {});

/// The same as a paragraph for a report; empty where there are none.
FACTORGCN_API std::string departures_text(const std::vector<std::string>& departures, int width);

/// Metrics that a report shows of this run, in their order.
FACTORGCN_API std::vector<std::string> shown_metrics(const RunMetrics& metrics);

/// The paper's value beside a metric of this run, or nullptr. Shares are in % there.
FACTORGCN_API const PaperValue* paper_value_beside(const RunMetrics& metrics, const std::string& metric);

/// The split a metric was computed on: "test", "validation" or "train".
FACTORGCN_API std::string metric_split(const RunMetrics& metrics, const std::string& metric);

/// Sentences of the report: what was run, by which protocol, and how to read the metrics.
FACTORGCN_API std::string run_headline(const RunMetrics& metrics);
FACTORGCN_API std::string run_protocol_text(const RunMetrics& metrics);
FACTORGCN_API std::string run_explanation(const RunMetrics& metrics);

/// Headline, table, protocol and a short explanation of the metrics shown, wrapped to the terminal's width.
FACTORGCN_API std::string run_report(const RunMetrics& metrics, const std::vector<std::string>& departures,
                                     const Terminal& terminal);

}  // namespace factorgcn
