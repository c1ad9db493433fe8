// Where data sets lie on this machine.
//
// The data root is $FACTORGCN_DATA, else factorgcn/ under $XDG_CACHE_HOME, else ~/.cache/factorgcn. A stored data set
// is ROOT/STEM.zip as downloaded, or the folder ROOT/STEM with the unpacked files; parsed sets are kept in ROOT/parsed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Not created by asking. Throws Error where neither variable nor home directory is known.
FACTORGCN_API std::filesystem::path data_root();

/// A stored data set's files.
struct FACTORGCN_API DatasetFiles {
  std::filesystem::path path;
  bool is_zip = false;
};

/// The files of that stem under the data root: the folder where it holds STEM_A.txt, else the archive; nothing where
/// neither is there.
FACTORGCN_API std::optional<DatasetFiles> find_dataset_files(const std::string& file_stem);

}  // namespace factorgcn
