// Everything that decides a run, in one value.
//
// A configuration is built from layers, each a JSON object with any subset of the keys below: the preset's defaults,
// then a config file, then flags; a later layer wins, and "data", "model_settings" and "schedule" are merged key by
// key. Unknown keys and wrong types are UsageErrors that name the key, the value and the nearest known key.
//
//   {"dataset": "synthetic", "data": {"factors": 4, "train": 14000, "validation": 2000, "test": 4000, "seed": 0},
//    "model": "factorgcn", "model_settings": {...}, "preset": "published", "protocol": "corrected", "seed": 0,
//    "device": "cpu", "threads": 0, "epochs": 80, "batch_size": 1000, "shards": 1, "learning_rate": 0.005,
//    "weight_decay": 5e-05, "clip_norm": 0.0, "lambda": 0.5, "patience": 0, "starts": 1, "start_epochs": 20,
//    "class_weights": "task", "schedule": {"kind": "none", "factor": 0.5, "patience": 50, "every": 100, "floor": 0.0,
//    "warmup": 0.3}, "metric_layer": 1, "checkpoint_seconds": 5.0, "out": "runs/x"}
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/train/schedule.h"
#include "factorgcn/train/trained_on.h"

namespace factorgcn {

class OpenedData;

struct FACTORGCN_API RunConfig {
  std::string dataset = "synthetic";  ///< a built-in name, or the path of a data-set file
  Settings data;                      ///< settings of a built-in data set; "seed" defaults to the run's seed
  std::string model = "factorgcn";
  Settings model_settings;
  std::string preset = "auto";         ///< "published", "default", "none"; "auto": the first of these that there is
  std::string protocol = "corrected";  ///< or "published": with the published evaluation's slips
  std::uint64_t seed = 0;              ///< 0 .. 2^63 - 1
  std::string device = "auto";         ///< cpu, cuda, cuda:N; "auto": a GPU where one is usable, else the CPU
  /// On a GPU, the data set in its memory: "auto" (where it takes no more than half of what is free), "always",
  /// "never".
  std::string data_on_device = "auto";
  int threads = 0;  ///< 0: all cores this process may use
  std::int64_t epochs = 80;
  std::int64_t batch_size = 1000;
  std::int64_t shards = 1;  ///< pieces of a batch, which processes share; see train/sharded_step_runner
  double learning_rate = 0.005;
  double weight_decay = 0.0;
  double clip_norm = 0.0;     ///< gradients are scaled down to this norm where it is larger; 0: never
  double lambda = 0.5;        ///< weight of the model's regulariser in the loss
  std::int64_t patience = 0;  ///< training ends after so many epochs without a better validation result; 0: never early
  std::int64_t starts = 1;    ///< initial weights that training is begun from; the best of them goes on
  std::int64_t start_epochs = 20;      ///< that each start is given before they are compared, at most `epochs`
  std::string class_weights = "task";  ///< see train/objective.h
  ScheduleOptions schedule;
  bool score_test = false;          ///< the test part after each epoch, into history.jsonl; it chooses nothing
  int metric_layer = 1;             ///< layer whose factor graphs are scored, from 1; 0: none
  double checkpoint_seconds = 5.0;  ///< a checkpoint at least this often; 0: after every batch
  std::string out;                  ///< the run directory
  TrainedOn trained_on;             ///< set when a run begins; in config.json alone
};

/// All keys, in the order above; not trained_on, which decides nothing.
FACTORGCN_API nlohmann::ordered_json to_json(const RunConfig& config);

/// A whole configuration as to_json() or config.json has it; missing keys keep RunConfig's defaults. No preset is
/// applied.
FACTORGCN_API RunConfig config_from_json(const nlohmann::json& object, const std::string& where = "configuration");

/// Layers, the weakest first, over the preset they choose. The result is complete: data and model settings carry the
/// preset's values, data.seed is set. Throws UsageError for unknown keys, wrong types, values out of range, unknown
/// data sets, models, presets, protocols and devices. `data` (shelf/open.h) keeps what had to be opened, for the
/// run that follows.
FACTORGCN_API RunConfig resolve_config(std::span<const nlohmann::json> layers, const OpenedData& data);
FACTORGCN_API RunConfig resolve_config(std::span<const nlohmann::json> layers);

/// The layers as one, later ones over earlier ones, checked as resolve_config() checks them. No preset is applied.
FACTORGCN_API nlohmann::json merge_layers(std::span<const nlohmann::json> layers);

/// Throws UsageError where the name of the run's folder or of its data cannot be written into files.
FACTORGCN_API void check_names(const RunConfig& config);

/// Throws UsageError, naming key and value, for values out of range. resolve_config() calls it.
FACTORGCN_API void check_config(const RunConfig& config);

/// A layer from a JSON file (comments allowed). Errors name the file.
FACTORGCN_API nlohmann::json read_config_file(const std::filesystem::path& path);

/// Sets one value of a layer from text, for flags such as `--set model_settings.hidden=64`. `key` may be dotted. The
/// text becomes true/false, an integer, a number, a list of integers ("4,2") or else a string.
FACTORGCN_API void set_config_value(nlohmann::json& layer, const std::string& key, const std::string& text);

}  // namespace factorgcn
