// A run's data and its best model: as training leaves them, or put together again from the run directory.
//
//   const RunOnData applied = load_run_on("runs/friends", "newcomers.safetensors");     // other data, same model
//   const at::Tensor answers = predict(applied.run, graphs);                            // train/predict.h
//
// examples/apply_model is a whole program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

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

/// UsageError where the folder is no run directory, is a cross-validation or has no model yet; where the model is a
/// kernel machine, which is no network; where the data are not found, or have changed since (`data` may accept that).
FACTORGCN_API LoadedRun load_run(const std::filesystem::path& folder, const OpenedData& data = {});

struct FACTORGCN_API RunOnData {
  LoadedRun run;                             ///< data: the new ones, as the model sees them
  std::vector<std::string> notes;            ///< what a user should know: columns unused, values unknown
  std::vector<std::string> unknown_classes;  ///< classes among the labels that the model does not know
};

/// A trained model with data that it has not seen: a data-set file or a data set's name. The run's own data are not
/// needed (but for runs of older versions). Throws UsageError where the data do not fit the model's input
/// (train/new_data.h).
FACTORGCN_API RunOnData load_run_on(const std::filesystem::path& folder, const std::string& dataset,
                                    const OpenedData& data = {});

}  // namespace factorgcn
