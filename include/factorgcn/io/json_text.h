// JSON from a file. Values nested deeper than any file of ours needs are refused before a tree is built: what walks
// over such a tree later, to print or to copy it, would run out of stack.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

enum class JsonComments { kRefused, kSkipped };

inline constexpr std::size_t kDeepestJson = 32;

/// Throws Error of one line that names `origin`. Cost: two passes over the text; memory in proportion to it.
FACTORGCN_API nlohmann::json parse_json(std::string_view text, const std::string& origin,
                                        JsonComments comments = JsonComments::kRefused);

/// The same for a whole file of at most `most_bytes`.
FACTORGCN_API nlohmann::json read_json(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace factorgcn
