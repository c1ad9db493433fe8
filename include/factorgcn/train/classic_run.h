// Runs of kernel machines: what train/run.h does for networks, for models that are fitted at once.
//
// The run directory has config.json, metrics.json, model.safetensors (the support vector machine and what was chosen)
// and choice.json (the accuracy of everything that was tried). There are no epochs, so no history and no checkpoint: a
// run that was interrupted begins again.
//
// Where the split has validation graphs (the corrected protocol) they choose; where it has none (the published one)
// cross-validation inside the training graphs does. Test graphs never do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/observer.h"
#include "factorgcn/train/run.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

/// run_training(), resume_training() and evaluate_run() call these where the model is a kernel machine.
FACTORGCN_API RunResult run_kernel_machine(const RunConfig& config, Observer& observer, bool force,
                                           const OpenedData& data);
FACTORGCN_API RunResult resume_kernel_machine(const RunConfig& config, Observer& observer, const OpenedData& data);
FACTORGCN_API RunMetrics evaluate_kernel_machine(const RunConfig& config, const std::filesystem::path& folder,
                                                 const OpenedData& data);

/// The scores of a fitted machine on train, validation or test, under `test`.
FACTORGCN_API RunMetrics score_kernel_machine(const std::filesystem::path& folder, const std::string& split,
                                              const OpenedData& data = {});

/// The class of every graph of the run's data, or of one part, as train/predict.h writes it; a machine knows no
/// probabilities. Returns the number of rows.
FACTORGCN_API std::int64_t write_kernel_machine_predictions(const std::filesystem::path& file,
                                                            const std::filesystem::path& folder,
                                                            const std::optional<Part>& part,
                                                            const OpenedData& data = {});

}  // namespace factorgcn
