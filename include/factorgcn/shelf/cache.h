// A parsed data set kept in one file, so that text is parsed once and not at every start.
//
// The file is a data-set file (io/dataset_file.h) with further metadata: cache_version, reader_version, source (a hash
// of the names, sizes and times of the files it was parsed from) and content_hash (of everything else in the file). It
// is mapped, not read; a data set of 25 million edges is there in a tenth of a second. Whatever is wrong with the file
// costs parsing again and never the data set: it can be deleted at any time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// What a data set is parsed from, as far as it tells whether anything has changed.
struct FACTORGCN_API CacheSource {
  struct File {
    std::string name;  ///< without the folder: data that was moved as a whole is still the same
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;  ///< last change, in nanoseconds since 1970
  };
  std::vector<File> files;
};

/// The file itself, an archive say, or all regular files that lie directly in a folder, sorted by name. Take it before
/// parsing: a file that changes meanwhile is then seen at the next start. The cache file itself must lie elsewhere.
/// Throws Error where the path cannot be read.
FACTORGCN_API CacheSource describe_source(const std::filesystem::path& path);

/// The data set from the cache file where that is whole and was written from this source by this reader_version; else
/// from parse(), checked, and then the cache file is written for the next time. `message` (may be empty) is called with
/// one line where a cache file is there but out of date or damaged, and where it cannot be written; the data set comes
/// back all the same. Throws only what parse() and check_dataset() throw, and then leaves the cache file as it was.
///
/// Several processes and threads may do this at once: the file is always whole, the last one to finish writing it wins,
/// and data sets that were opened before keep their memory. Cost of opening: one pass over the file for its checksum.
FACTORGCN_API Dataset open_cached(const std::filesystem::path& cache_file, const CacheSource& source,
                                  int reader_version, const std::function<Dataset()>& parse,
                                  const std::function<void(const std::string&)>& message);

}  // namespace factorgcn
