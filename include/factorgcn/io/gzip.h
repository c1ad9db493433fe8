// gzip files (.gz), unpacked in memory.
//
// Such files come from anywhere, so what they unpack to is bounded: by a size, and, above a size that can do no harm,
// by how many times it may be larger than what was packed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API GzipLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;  ///< unpacked
  std::uint64_t ratio = 100;                     ///< unpacked to packed; edge lists reach 10, graph files some 30
  std::uint64_t free_bytes = 8U << 20;           ///< up to here any ratio will do
};

/// True where this build has zlib; without it, unpack_gzip() throws and says so.
FACTORGCN_API bool can_read_gzip();

/// True where the bytes begin as a gzip file does, whatever its name.
inline bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// All members of the file, one behind the other. Throws Error, naming `origin` and what to do, for bytes that are cut
/// short or damaged, and beyond the limits. Cost: one pass; memory for what is unpacked.
FACTORGCN_API std::string unpack_gzip(std::string_view packed, const std::string& origin,
                                      const GzipLimits& limits = {});

}  // namespace factorgcn
