// A folder of its own for a test, removed with everything in it when the test ends.
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "factorgcn/base/error.h"

namespace factorgcn {

/// Removes a folder and everything in it. Not std::filesystem::remove_all: libtorch's wheels export an incomplete copy
/// of it, and programs that link them crash in there.
inline void remove_folder(const std::filesystem::path& path) {
  constexpr int kOpenFolders = 16;
  ::nftw(
      path.c_str(), [](const char* entry, const struct stat*, int, struct FTW*) { return ::remove(entry); },
      kOpenFolders, FTW_DEPTH | FTW_PHYS);
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "factorgcn-test-XXXXXX").string();
    require(::mkdtemp(name.data()) != nullptr, "cannot make the temporary folder ", name);
    path_ = name;
  }
  ~TemporaryFolder() { remove_folder(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace factorgcn
