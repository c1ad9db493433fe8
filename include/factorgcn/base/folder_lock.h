// One process at a time in a folder: a lock on a file in it, which the system takes away when the process ends.
#pragma once

#include <filesystem>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Holds FOLDER/.lock until it is destroyed. The file stays behind.
class FACTORGCN_API FolderLock {
 public:
  static constexpr const char* kName = ".lock";

  /// Error where another process holds it: "`what` FOLDER is in use by another process; wait for it or choose
  /// `instead`".
  FolderLock(const std::filesystem::path& folder, const std::string& what, const std::string& instead);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  int descriptor_;
};

/// Whether there is anything in the folder but a lock and what killed processes left half written.
FACTORGCN_API bool has_content(const std::filesystem::path& folder);

}  // namespace factorgcn
