// What the page of a run shows of its model: the factor graphs of some graphs, and how it errs. Internal to report/.
#pragma once

#include <filesystem>
#include <memory>

#include "factorgcn/report/page.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

struct LoadedRun;

/// Of one run; nothing where it has no model. `samples`: how many graphs.
void add_model_parts(const std::filesystem::path& run, const RunConfig& config, const RunMetrics& metrics,
                     std::int64_t samples, const OpenedData& data, const std::shared_ptr<const LoadedRun>& trained,
                     Page& page);

/// Of a cross-validation: each fold's factor graphs as a variant of one section, and how the folds' models err on all
/// graphs together, each tested once.
void add_fold_parts(const std::filesystem::path& run, const RunConfig& config, const FoldMetrics& metrics,
                    std::int64_t samples, const OpenedData& data, Page& page);

}  // namespace factorgcn
