// What a run remembers of its data, in config.json under "trained_on": what its model reads, what it answers, and how
// to know the data again.
//
//   "trained_on": {"name": "friends", "content": "89abcdef01234567", "path": "/home/ann/friends.safetensors",
//                  "from_run": "../../friends.safetensors", "task": "node-class", "features": 4,
//                  "feature_names": ["age", "city=Lima", "city=Oslo", "city=Rome"], "outputs": 2,
//                  "output_names": ["blue", "red"]}
//
// Data are known by content, so that a run and its data can be moved; the paths only say where to look. Names that are
// counted, f[1], f[2] and so on, are written as one: f[1..1433].
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct RunConfig;

struct FACTORGCN_API TrainedOn {
  std::string name;      ///< the data set's own; empty: a run of an older version, nothing is known
  std::string content;   ///< data_content(); empty for generated data, which their settings tell
  std::string path;      ///< where a file lay, absolute; empty for data sets with a name
  std::string from_run;  ///< the same from the run's folder
  Task task = Task::kNone;
  std::int64_t features = 0;  ///< columns; 0 for node types
  std::int64_t node_types = 0;
  std::int64_t edge_types = 0;  ///< 0 where edges have none
  std::int64_t outputs = 0;
  std::vector<std::string> feature_names, output_names, edge_type_names;  ///< may be empty

  bool known() const { return !name.empty(); }
};

FACTORGCN_API nlohmann::ordered_json to_json(const TrainedOn& trained);
FACTORGCN_API TrainedOn trained_on_from_json(const nlohmann::json& object, const std::string& where);

/// 16 hexadecimal digits for all that a model reads and is taught and scored by: graphs, features, targets and split.
/// Names of nodes, graphs and relations are no part of it. Cost: one pass over the arrays.
FACTORGCN_API std::string data_content(const Dataset& dataset);

/// What the types of edges are called, where the true relations are those types; otherwise empty.
FACTORGCN_API std::vector<std::string> edge_type_names(const Dataset& dataset);

/// What a run that begins now will remember; config.dataset and config.out are seen from the working directory.
FACTORGCN_API TrainedOn describe_training(const RunConfig& config, const Dataset& dataset);

/// Where config.dataset lies, if it is a path: fills in `path` and `from_run`.
FACTORGCN_API void place_training_data(const RunConfig& config, TrainedOn& trained);

/// Where the data of the run in `folder` are now: beside it as they were when it was trained, where they were on that
/// machine, config.dataset seen from the working directory, or of that name in the run's folder or the one above. Of
/// several, the first with the right content. config.dataset itself for data sets with a name, and where nothing is
/// found.
FACTORGCN_API std::string locate_run_data(const RunConfig& config, const std::filesystem::path& folder);

/// Throws UsageError where the data are not those that the run was trained on.
FACTORGCN_API void check_trained_on(const TrainedOn& trained, const Dataset& dataset, const std::string& origin);

}  // namespace factorgcn
