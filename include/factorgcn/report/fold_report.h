// What a person sees at the end of a cross-validation.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/train/fold_run.h"

namespace factorgcn {

/// One row per protocol: accuracy over the folds in %, the paper's value, epochs.
FACTORGCN_API Table fold_table(const FoldMetrics& metrics);

/// Headline, table, what the protocols mean, and in which settings the run is not the paper's.
FACTORGCN_API std::string fold_report(const FoldMetrics& metrics, const std::vector<std::string>& departures,
                                      const Terminal& terminal);

}  // namespace factorgcn
