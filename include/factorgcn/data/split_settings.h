// Which graphs a run trains, validates and tests on, as named settings choose it. For data that are not generated:
//
//   with a given split   none, unless a fold is asked for
//   classes of graphs    fold (from 1), folds, fold_kind (published or stratified), inner_validation, seed
//   any other            seed, from which a split is drawn
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// The settings of a fold, complete. `owner` is named in errors; `dataset` decides which folds were published. Throws
/// UsageError for unknown settings and values out of range.
FACTORGCN_API Settings fold_settings(const std::string& owner, const std::string& dataset, const Settings& given);

struct FACTORGCN_API ChosenSplit {
  Settings settings;  ///< complete: those that decided it
  Split split;
  bool node_split = false;
};

/// The data set's own split, the fold that is asked for, or one that is drawn. Throws UsageError as fold_settings()
/// does, and where there are too few graphs. Cost: O(items log items) at most.
FACTORGCN_API ChosenSplit choose_split(const Dataset& dataset, const std::string& owner, const Settings& given);

}  // namespace factorgcn
