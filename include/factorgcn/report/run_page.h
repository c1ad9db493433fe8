// The page of one run, made from its run directory: scores beside the paper, curves, factor graphs of some test graphs.
//
// Preconditions: prepare_process() was called (base/runtime.h); the run has a model. Cost: opens the data set as
// evaluate does, unless it is handed one that is open, then one forward pass over the graphs shown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/report/page.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/history.h"

namespace factorgcn {

class GraphModel;
struct LoadedRun;

struct FACTORGCN_API RunPageOptions {
  std::int64_t samples = 200;  ///< graphs whose factor graphs are shown, evenly spread over the scored part; 0: none
};

/// A run, a cross-validation or a folder of several seeds (report/seed_report.h). Throws UsageError where the folder is
/// no run directory, or the run has no scores yet. `data`: what has been opened before. `trained`: RunResult::loaded of
/// the run, where it has just ended.
FACTORGCN_API Page run_page(const std::filesystem::path& run, const RunPageOptions& options = {},
                            const OpenedData& data = {}, const std::shared_ptr<const LoadedRun>& trained = nullptr);

/// The factor graphs of every layer for the given graphs of a data set, layer `layer` (from 1) shown first, with
/// matches where the truth is known. Graphs of any size: see fit_to_page(). The model is in evaluation mode for the
/// time of the call. Ids are the graphs' indices in the data set.
FACTORGCN_API PageFactorGraphs page_factor_graphs(GraphModel& model, const Dataset& dataset,
                                                  std::span<const std::int64_t> graphs, int layer,
                                                  std::int64_t batch_size);

/// The curves of one run: losses, the task's metric (shares in %), the discriminator, the learning rate where it
/// changes. Quantities that never change are left out. Throws Error where there is no epoch.
FACTORGCN_API PageCurveRun page_curve_run(const std::vector<EpochRecord>& history, const std::string& label);

/// At most `count` of the graphs, evenly spread.
FACTORGCN_API std::vector<std::int64_t> spread_over(const std::vector<std::int64_t>& graphs, std::int64_t count);

}  // namespace factorgcn
