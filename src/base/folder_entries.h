// Folders listed and removed whole. Not by std::filesystem's iterators: they give up where a signal cuts a call short,
// and end the program where memory runs out.
#pragma once

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/retried.h"
#include "factorgcn/base/error.h"

namespace factorgcn {

/// What lies in `folder`, in the system's order; with `error` set, what was found until then.
inline std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder, std::error_code& error) {
  std::vector<std::filesystem::path> found;
  const auto give_up = [&] {
    error.assign(errno, std::generic_category());
    return found;
  };
  error.clear();
  const int descriptor = retried([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) {
    return give_up();
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(descriptor), ::closedir);
  if (listing == nullptr) {
    const int code = errno;
    ::close(descriptor);
    errno = code;
    return give_up();
  }
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(listing.get());
    if (entry == nullptr && errno == EINTR) {
      continue;
    }
    if (entry == nullptr) {
      return errno == 0 ? found : give_up();
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      found.push_back(folder / name);
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
  if (std::filesystem::is_directory(std::filesystem::symlink_status(path, error))) {
    for (const std::filesystem::path& entry : folder_entries(path)) {
      remove_whole(entry);
    }
  }
  std::filesystem::remove(path, error);
  require(!error, "cannot remove ", path, ": ", system_reason(error.value()));
}

}  // namespace factorgcn
