// Weights and training state on disk, as safetensors files.
//
// model.safetensors       the best model: one tensor per parameter and buffer, under the module's names; metadata
//                         format "factorgcn-model", format_version, model, best_epoch, config (JSON)
// checkpoint.safetensors  all of TrainState: tensors "weights/NAME", "first_moment/NAME", "second_moment/NAME",
//                         "best/NAME", and while starts are compared the same of the best so far behind "kept/";
//                         metadata format "factorgcn-checkpoint", format_version, state, history, config
//
// Loading reads and checks everything before it returns; a truncated, foreign, newer or mismatching file is an Error
// that names the file, and nothing is changed.
#pragma once

#include <filesystem>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/io/safetensors.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/trainer.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {

inline constexpr const char* kModelFormat = "factorgcn-model";
inline constexpr const char* kCheckpointFormat = "factorgcn-checkpoint";
inline constexpr int kFormatVersion = 1;

struct FACTORGCN_API ModelFile {
  RunConfig config;  ///< how the model was trained; config.model and config.model_settings rebuild it
  std::int64_t best_epoch = 0;
  NamedTensors weights;
};

FACTORGCN_API void save_model(const std::filesystem::path& path, const ModelFile& model);
FACTORGCN_API ModelFile load_model(const std::filesystem::path& path);
FACTORGCN_API ModelFile model_of(const TensorFile& file);  ///< the same for a file that is read already

struct FACTORGCN_API Checkpoint {
  RunConfig config;
  TrainState state;
};

FACTORGCN_API void save_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
FACTORGCN_API Checkpoint load_checkpoint(const std::filesystem::path& path);
FACTORGCN_API Checkpoint checkpoint_of(const TensorFile& file);

}  // namespace factorgcn
