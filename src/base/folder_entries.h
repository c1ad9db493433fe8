// Folders listed and removed whole; begun again where a signal cuts that short, which std::filesystem hands on.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "factorgcn/base/error.h"

namespace factorgcn {

/// What lies in `folder`, in the system's order; with `error` set, what was found until then.
inline std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder, std::error_code& error) {
  while (true) {
    std::vector<std::filesystem::path> found;
    std::filesystem::directory_iterator entry(folder, error);
    const std::filesystem::directory_iterator end;
    while (!error && entry != end) {
      found.push_back(entry->path());
      entry.increment(error);
    }
    if (error != std::errc::interrupted) {
      return found;
    }
  }
}

/// Throws Error where the folder cannot be listed.
inline std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> found = folder_entries(folder, error);
  require(!error, "cannot list the folder ", folder, ": ", system_reason(error.value()));
  return found;
}

/// Removes a file, or a folder and all below it; that there is none is fine. Throws Error where something stays.
inline void remove_whole(const std::filesystem::path& path) {
  std::error_code error;
  do {
    std::filesystem::remove_all(path, error);
  } while (error == std::errc::interrupted);
  require(!error, "cannot remove ", path, ": ", system_reason(error.value()));
}

}  // namespace factorgcn
