// A folder of this process for targets that read folders, in memory where the system has such a place.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/folder_entries.h"
#include "factorgcn/base/error.h"

namespace factorgcn {

class InputFolder {
 public:
  InputFolder() {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    std::string name = (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/fuzz-XXXXXX";
    require(::mkdtemp(name.data()) != nullptr, "no folder for fuzz inputs can be made: ", name);
    path_ = name;
  }
  ~InputFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// The folder then holds these files, of names without a folder, and no others of an earlier input.
  void fill(const std::map<std::string, std::string>& files) {
    for (const std::filesystem::path& path : folder_entries(path_)) {
      if (!files.contains(path.filename().string())) {
        remove_whole(path);
      }
    }
    for (const auto& [name, text] : files) {
      std::ofstream(path_ / name, std::ios::binary) << text;
    }
  }

 private:
  std::filesystem::path path_;
};

}  // namespace factorgcn
