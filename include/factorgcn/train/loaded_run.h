// A run's data and its best model: as training leaves them, or put together again from the run directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

struct FACTORGCN_API LoadedRun {
  RunConfig config;
  std::shared_ptr<const Dataset> data;  ///< as the model sees it
  std::shared_ptr<GraphModel> model;    ///< on the CPU, with the best weights
  std::int64_t best_epoch = 0;
};

/// UsageError where the folder is no run directory or has no model yet.
FACTORGCN_API LoadedRun load_run(const std::filesystem::path& folder, const OpenedData& data = {});

}  // namespace factorgcn
