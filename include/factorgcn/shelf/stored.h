// Stored data sets, from this machine's files.
//
// A stored data set is parsed once and kept in the data root (shelf/cache.h); later it is ready in a moment.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/registry.h"

namespace factorgcn {

/// Receives lines such as "MUTAG.zip has changed; its parsed copy is made anew".
using MessageSink = std::function<void(const std::string&)>;

/// The listed entry of that name, or an entry for files of that name in the data root (the TU layout); nothing where
/// there is neither.
FACTORGCN_API std::optional<DatasetEntry> find_entry(const std::string& name);

/// A stored data set, checked, its split as its files give it (or empty). Throws UsageError, with the command that gets
/// it, where its files are not here.
FACTORGCN_API Dataset open_stored(const DatasetEntry& entry, const MessageSink& messages = {});

/// The same for the data set at a path (shelf/dataset_path.h); its parsed copy is kept in the data root, too.
FACTORGCN_API Dataset open_stored_at(const std::filesystem::path& path, const MessageSink& messages = {});

/// Reads the files without the parsed copy: slower, trusts nothing. For checking what was fetched.
FACTORGCN_API Dataset read_stored(const DatasetEntry& entry, const std::string& path, bool is_zip);

}  // namespace factorgcn
