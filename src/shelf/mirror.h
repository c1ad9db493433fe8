// Where an archive may come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/data/registry.h"
#include "factorgcn/shelf/fetch.h"

namespace factorgcn {

/// A list of checksums beside an archive is never larger.
inline constexpr std::uint64_t kLargestChecksumFile = 1 << 20;

struct Mirror {
  std::string url;             ///< of the archive; empty for a file
  std::filesystem::path file;  ///< the archive, where it is a file
  std::string shown;           ///< for messages: without a password that the URL may hold
};

/// All mirrors of the entry's archive, in the order in which to try them. Throws UsageError, naming it, for one that is
/// neither folder nor file name nor http(s) URL. Whether files exist is not asked here.
std::vector<Mirror> list_mirrors(const DatasetEntry& entry, const FetchOptions& options);

}  // namespace factorgcn
