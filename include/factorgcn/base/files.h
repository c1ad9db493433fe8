// Files that are either whole or not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Writes to a temporary name in the same folder, syncs file and folder, then renames over `path`. A crash at any
/// moment leaves the old file or the new one, never a part. Throws Error naming the path and the system's reason.
FACTORGCN_API void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The same for content written in pieces: `write` is called with a function that appends bytes.
using AppendBytes = std::function<void(std::string_view)>;
FACTORGCN_API void write_file_atomically(const std::filesystem::path& path,
                                         const std::function<void(const AppendBytes&)>& write);

/// What a process that was killed while writing leaves behind: `name` is one of those temporary names.
FACTORGCN_API bool is_half_written(const std::string& name);
FACTORGCN_API void remove_half_written(const std::filesystem::path& folder);

/// The whole file. Throws Error naming the path where it cannot be read or is larger than max_bytes.
FACTORGCN_API std::string read_file(const std::filesystem::path& path, std::uint64_t max_bytes = 1ULL << 34);

}  // namespace factorgcn
