// Stored data sets by path: a folder or a zip archive of text files, wherever it lies.
#pragma once

#include <filesystem>

#include "factorgcn/base/export.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/shelf/data_root.h"

namespace factorgcn {

struct FACTORGCN_API PathDataset {
  DatasetEntry entry;  ///< the listed one where the files have its name, else that of any TU set
  DatasetFiles files;
};

/// True for folders and for files named .zip; nothing is looked at inside.
FACTORGCN_API bool may_hold_dataset(const std::filesystem::path& path);

/// The data set whose files lie at `path`: those of NAME_A.txt, whatever the folder or archive itself is called. Throws
/// Error where there is none, or more than one. Cost: one look at the folder, or at the archive's directory.
FACTORGCN_API PathDataset find_dataset_at(const std::filesystem::path& path);

}  // namespace factorgcn
