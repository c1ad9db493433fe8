// What a person sees at the end of a run: its scores beside the paper's, and how to read them.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

/// Metric, this run, the paper, the split it was computed on, which direction is better. Rows for the metrics the run
/// has; "-" where the paper has no value for this data set, number of factors and model.
FACTORGCN_API Table run_table(const RunMetrics& metrics);

/// Settings in which a run differs from its preset, as "epochs 3 (published: 80)"; empty where it is the preset or
/// there is no preset. Such a run is not comparable with the paper, and the report says so.
FACTORGCN_API std::vector<std::string> departures_from_preset(const RunConfig& config);

/// The same as a paragraph for a report; empty where there are none.
FACTORGCN_API std::string departures_text(const std::vector<std::string>& departures, int width);

/// Headline, table, protocol and a short explanation of the metrics shown, wrapped to the terminal's width.
FACTORGCN_API std::string run_report(const RunMetrics& metrics, const std::vector<std::string>& departures,
                                     const Terminal& terminal);

}  // namespace factorgcn
