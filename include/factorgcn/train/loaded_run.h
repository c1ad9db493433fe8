// A run's data and its best model, put together again from the run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

struct FACTORGCN_API LoadedRun {
  RunConfig config;
  Dataset dataset;
  std::shared_ptr<GraphModel> model;  ///< in training mode, as all modules start
  std::int64_t best_epoch = 0;
};

/// UsageError where the folder is no run directory or has no model yet.
FACTORGCN_API LoadedRun load_run(const std::filesystem::path& folder);

}  // namespace factorgcn
