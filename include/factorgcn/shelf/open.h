// A run's data: a data set by its name (data/registry.h, shelf/stored.h), or a data-set file by its path.
//
// Settings say what may be chosen about it:
//   generated            factors (synthetic alone), train, validation, test: how many graphs; seed
//   with a given split   none
//   classes of graphs    fold (from 1), folds, fold_kind (published or stratified), inner_validation, seed
//   any other            seed, from which a split is drawn
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/registry.h"

namespace factorgcn {

/// What is known of the data before a run.
struct FACTORGCN_API DataDescription {
  std::string name;                 ///< the data set's own name, also where it comes from a file
  Settings settings;                ///< complete
  std::int64_t relation_types = 0;  ///< types of the ground truth; 0 where there is none or it is not known yet
  Task task = Task::kNone;          ///< known where the data are neither generated nor listed
  bool has_folds = false;           ///< cross-validation is possible
};

/// True where the text names an existing file rather than a data set.
FACTORGCN_API bool is_dataset_path(const std::string& name_or_path);

/// Lays `given` over the data set's defaults. Throws UsageError for unknown settings, values out of range, names that
/// are no data set and no file, and for data that are not here, with the command that gets them. Cost: nothing is
/// generated; files that are not a listed data set's are read.
FACTORGCN_API DataDescription describe_data(const std::string& name_or_path, const Settings& given);

/// Makes or reads the data and applies the split that the settings choose; the result is checked. `messages` receives
/// lines about parsed copies.
FACTORGCN_API Dataset open_dataset(const std::string& name_or_path, const Settings& settings,
                                   const std::function<void(const std::string&)>& messages = {});

/// Settings of a generated data set as its maker takes them.
FACTORGCN_API DatasetOptions dataset_options(const std::string& name, const Settings& settings);

}  // namespace factorgcn
