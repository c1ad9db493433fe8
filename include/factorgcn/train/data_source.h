// A run's data: a registered data set by its name (data/registry.h), or a data-set file by its path.
#pragma once

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/registry.h"

namespace factorgcn {

/// What is known of the data before it is made.
struct FACTORGCN_API DataDescription {
  std::string name;                 ///< the data set's own name, also where it comes from a file
  Settings settings;                ///< complete; empty for a file
  std::int64_t relation_types = 0;  ///< types of the ground truth; 0 where there is none
};

/// True where the text names an existing file rather than a registered data set.
FACTORGCN_API bool is_dataset_path(const std::string& name_or_path);

/// Lays `given` over the data set's defaults. Settings: factors (synthetic alone), train, validation, test, seed; a
/// file has none. Throws UsageError for unknown settings, values out of range and names that are no data set and no
/// file. Cost: nothing is generated; a file is read.
FACTORGCN_API DataDescription describe_data(const std::string& name_or_path, const Settings& given);

/// Makes or reads the data; the result is checked.
FACTORGCN_API Dataset open_dataset(const std::string& name_or_path, const Settings& settings);

/// Settings of a registered data set as its maker takes them.
FACTORGCN_API DatasetOptions dataset_options(const std::string& name, const Settings& settings);

}  // namespace factorgcn
