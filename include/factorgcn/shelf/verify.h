// Is a stored data set on this machine what it should be?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/shelf/data_root.h"

namespace factorgcn {

/// A data set's own counts: what was added for training (self loops) is not counted; an undirected edge counts once, a
/// self loop too. Cost: one pass over the edges.
FACTORGCN_API DatasetFacts count_facts(const Dataset& dataset);

/// How `found` departs from what is published, e.g. "187 graphs, but 188 are published"; empty where it does not.
FACTORGCN_API std::vector<std::string> compare_facts(const DatasetFacts& published, const DatasetFacts& found);

/// Reads the data set from an archive or, where `files.is_zip` is false, a folder, and compares its sizes with the
/// published ones. Returns its sizes. Throws Error where it cannot be read or the sizes differ.
FACTORGCN_API DatasetFacts check_dataset_files(const DatasetEntry& entry, const DatasetFiles& files);

struct FACTORGCN_API Finding {
  bool good = true;
  std::string text;  ///< one line
};

struct FACTORGCN_API VerifyResult {
  std::optional<DatasetFiles> files;  ///< nothing where the data set is not here
  std::vector<Finding> findings;

  bool good() const;
};

/// Compares the archive with the checksum that was kept when it was fetched, reads it whole and compares its sizes with
/// the published ones. A data set that is not here is a finding, too. Cost: one pass for the checksum, one to read.
FACTORGCN_API VerifyResult verify_dataset(const DatasetEntry& entry);

}  // namespace factorgcn
