// What a file's name says about its format: "Graph.CSV.gz" is csv, compressed.
#pragma once

#include <filesystem>
#include <string>

namespace factorgcn {

struct FileEnding {
  std::string word;  ///< in small letters, without the dot; empty where there is none
  bool gzip = false;
};

FileEnding file_ending(const std::filesystem::path& path);

/// UsageError where the ending asks for compression and this build has none.
void check_can_compress(const std::filesystem::path& path, const FileEnding& ending);

}  // namespace factorgcn
