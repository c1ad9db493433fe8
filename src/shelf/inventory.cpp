// Directory walks whose failures count as empty folders: a listing is no place to fail.
#include "factorgcn/shelf/inventory.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/folder_entries.h"
#include "factorgcn/base/error.h"
#include "shelf/near_names.h"

namespace factorgcn {
namespace {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::error_code ignored;
  return folder_entries(folder, ignored);
}

std::uint64_t size_of_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return 0;
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : size;
}

void look_for(InventoryItem& item, const std::string& file_stem) {
  item.files = find_dataset_files(file_stem);
  if (item.files && item.files->is_zip) {
    item.bytes = size_of_file(item.files->path);
  } else if (item.files) {
    for (const auto& path : entries_of(item.files->path)) {
      item.bytes += size_of_file(path);
    }
  }
  item.partial_bytes = size_of_file(data_root() / (file_stem + ".zip.part"));
}

/// Whether tu_entry() takes it: other names are somebody else's files.
bool can_be_dataset(const std::string& stem) {
  try {
    tu_entry(stem);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace

std::vector<InventoryItem> take_inventory() {
  std::vector<InventoryItem> items;
  std::set<std::string> listed;
  for (const DatasetEntry& entry : dataset_registry()) {
    InventoryItem item;
    item.name = entry.name;
    item.entry = &entry;
    if (!entry.file_stem.empty()) {
      listed.insert(entry.file_stem);
      look_for(item, entry.file_stem);
    }
    items.push_back(std::move(item));
  }
  std::set<std::string> others;
  for (const auto& path : entries_of(data_root())) {
    const std::string name = path.filename().string();
    for (const char* ending : {".zip.part", ".zip", ""}) {
      if (name.ends_with(ending)) {
        others.insert(name.substr(0, name.size() - std::string_view(ending).size()));
        break;
      }
    }
  }
  for (const std::string& stem : others) {
    if (listed.count(stem) != 0 || !can_be_dataset(stem)) {
      continue;
    }
    InventoryItem item;
    item.name = stem;
    look_for(item, stem);
    if (item.files || item.partial_bytes > 0) {
      items.push_back(std::move(item));
    }
  }
  return items;
}

DatasetEntry stored_entry(const std::string& name) {
  const DatasetEntry* listed = lookup_dataset(name);
  return listed != nullptr ? *listed : tu_entry(collection_spelling(name));
}

}  // namespace factorgcn
