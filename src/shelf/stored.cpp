// From a name to the files in the data root, through the parsed copy.
#include "factorgcn/shelf/stored.h"

#include <filesystem>
#include <memory>

#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/file_source.h"
#include "factorgcn/io/zip_source.h"
#include "factorgcn/shelf/cache.h"
#include "factorgcn/shelf/data_root.h"
#include "factorgcn/shelf/dataset_path.h"

namespace factorgcn {
namespace {

/// To be raised whenever a reader changes what it makes of the same files: older parsed copies are then made anew.
constexpr int kReaderVersion = 1;

/// Through the parsed copy of that name.
Dataset open_files(const DatasetEntry& entry, const DatasetFiles& files, const std::string& copy,
                   const MessageSink& messages) {
  const MessageSink sink = messages ? messages : [](const std::string&) {};
  const auto cache = data_root() / "parsed" / (copy + ".safetensors");
  Dataset dataset = open_cached(
      cache, describe_source(files.path), kReaderVersion,
      [&] { return read_stored(entry, files.path.string(), files.is_zip); }, sink);
  if (entry.name == "zinc" && dataset.num_edge_types == 0) {
    set_edge_types_from_truth(dataset);  // a parsed copy from before edge types were kept
  }
  return dataset;
}

}  // namespace

std::optional<DatasetEntry> find_entry(const std::string& name) {
  if (const DatasetEntry* listed = lookup_dataset(name)) {
    return *listed;
  }
  try {
    DatasetEntry entry = tu_entry(name);
    if (find_dataset_files(entry.file_stem)) {
      return entry;
    }
  } catch (const UsageError&) {
    // Not a name at all: the caller says what it knows instead.
  }
  return std::nullopt;
}

Dataset read_stored(const DatasetEntry& entry, const std::string& path, bool is_zip) {
  std::unique_ptr<FileSource> files;
  if (is_zip) {
    files = std::make_unique<ZipSource>(path);
  } else {
    files = std::make_unique<FolderSource>(path);
  }
  Dataset dataset = entry.read(*files, entry);
  check_dataset(dataset);
  return dataset;
}

Dataset open_stored(const DatasetEntry& entry, const MessageSink& messages) {
  const auto files = find_dataset_files(entry.file_stem);
  require_usage(files.has_value(), "data set ", entry.name, " is not in ", data_root().string(),
                "; get it with: ", "factorgcn data fetch ", entry.name,
                entry.on_tu_host ? "" : " --mirror URL-or-folder");
  return open_files(entry, *files, entry.file_stem, messages);
}

Dataset open_stored_at(const std::filesystem::path& path, const MessageSink& messages) {
  const PathDataset found = find_dataset_at(path);
  // Sets of one name may lie in several places.
  const std::string place = std::filesystem::weakly_canonical(path).string();
  return open_files(found.entry, found.files, concat(found.entry.file_stem, "-", hash_text(content_hash(place))),
                    messages);
}

}  // namespace factorgcn
