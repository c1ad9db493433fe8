// Getting a data set's archive onto this machine, from a web server or from a folder.
//
// ROOT/STEM.zip appears whole and checked, or not at all. Until then the bytes lie in ROOT/STEM.zip.part; a download
// that was cut or interrupted goes on from there the next time, provided that the server still has the same file.
// Nothing here runs unless somebody asks for a data set to be fetched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/registry.h"

namespace factorgcn {

/// The public host of the TU collection; STEM.zip is added.
inline constexpr const char* kTuHost = "https://www.chrsmrrs.com/graphkerneldatasets/";

/// False in a build without libcurl: folders are the only mirrors then.
FACTORGCN_API bool can_download();

struct FACTORGCN_API FetchOptions {
  /// Tried in this order, before the public host. An http or https URL or a folder, to which STEM.zip is added; or,
  /// where it ends in .zip, the file itself.
  std::vector<std::string> mirrors;
  std::string public_host = kTuHost;  ///< for entries with on_tu_host; empty: mirrors alone
  std::string sha256;                 ///< of the archive; empty: what the mirror's STEM.zip.sha256 says, if it has one
  bool force = false;                 ///< also where the data set is here already

  double connect_seconds = 20;
  double stall_seconds = 30;       ///< a connection that brings next to nothing for so long is given up
  int tries = 3;                   ///< per mirror
  double first_pause_seconds = 1;  ///< before the second try; each further pause is three times as long
  std::uint64_t max_bytes = 8ULL << 30;

  /// Reads the archive and throws Error where its content is not the data set. Runs before the archive gets its name.
  std::function<void(const std::filesystem::path& archive)> validate;
};

/// Told what happens, in the calling thread. Does nothing itself.
class FACTORGCN_API FetchObserver {
 public:
  virtual ~FetchObserver() = default;
  virtual void message(std::string_view line);

  /// `total` is 0 where the server does not say it. May be called many times a second.
  virtual void progress(std::uint64_t bytes, std::uint64_t total);
};

enum class FetchStatus {
  kFetched,
  kHereAlready,
  kInterrupted,  ///< interrupt_signal() asked for an end
};

struct FACTORGCN_API FetchResult {
  FetchStatus status = FetchStatus::kFetched;
  std::filesystem::path path;  ///< the archive, or the folder that is here already
  std::uint64_t bytes = 0;     ///< of the archive; where interrupted: kept for the next time
  std::string sha256;          ///< where fetched, and where it can be computed
  std::string source;          ///< where fetched: URL or file
  int signal = 0;              ///< where interrupted
};

/// Fetches entry.file_stem.zip into the data root, which is made where it is missing.
/// Throws UsageError for a mirror or checksum that cannot be one, Error where every mirror failed (each with its
/// reason), where the data root cannot be written to, and where another process is fetching the same data set.
FACTORGCN_API FetchResult fetch_dataset(const DatasetEntry& entry, const FetchOptions& options,
                                        FetchObserver& observer);

}  // namespace factorgcn
