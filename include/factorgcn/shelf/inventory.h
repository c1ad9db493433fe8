// What lies in the data root: the listed data sets, here or not, and whatever else looks like one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/shelf/data_root.h"

namespace factorgcn {

struct FACTORGCN_API InventoryItem {
  std::string name;                     ///< as users type it; the file stem where it is not listed
  const DatasetEntry* entry = nullptr;  ///< nullptr where it is not listed
  std::optional<DatasetFiles> files;    ///< nothing where it is not here, or generated
  std::uint64_t bytes = 0;              ///< of the archive, or of all files directly in the folder
  std::uint64_t partial_bytes = 0;      ///< of a fetch that has not ended
};

/// Listed data sets in their order, then the others found, by name: STEM.zip, and folders STEM that hold STEM_A.txt.
/// A data root that is missing or cannot be read holds nothing. Cost: one look at each file of the data root.
FACTORGCN_API std::vector<InventoryItem> take_inventory();

/// The entry to read or fetch `name` with: the listed one, else tu_entry(name), which may throw UsageError.
FACTORGCN_API DatasetEntry stored_entry(const std::string& name);

}  // namespace factorgcn
