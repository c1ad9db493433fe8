// A data set of one graph, cut into part files (io/part_files.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/partition/assign.h"

namespace factorgcn {

/// Throws UsageError unless the data set is one graph whose nodes have classes and a split.
FACTORGCN_API void check_can_be_cut(const Dataset& dataset);

/// Makes the folder ready for new parts: it must not exist or be empty, unless `force` lets it replace former parts.
/// Their manifest goes first, so that what a kill leaves behind is not taken for a whole.
FACTORGCN_API void prepare_parts_folder(const std::filesystem::path& folder, bool force);

/// Writes one file after the other, then the manifest. `progress` is told after each part and may throw to end it.
/// Cost: O(nodes + edges); memory for 8 bytes a node and one part.
FACTORGCN_API PartsManifest cut_dataset(const Dataset& dataset, const PartAssignment& assignment, std::int64_t parts,
                                        const std::filesystem::path& folder,
                                        const std::function<void(std::int64_t done)>& progress = {});

}  // namespace factorgcn
