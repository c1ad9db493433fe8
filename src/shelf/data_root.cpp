// Looks at environment variables and asks the file system for a handful of names; nothing is made or kept.
#include "factorgcn/shelf/data_root.h"

#include <cstdlib>
#include <system_error>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// The variable's value; empty where it is not set.
std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path data_root() {
  if (const std::string chosen = environment("FACTORGCN_DATA"); !chosen.empty()) {
    return std::filesystem::absolute(chosen);
  }
  // The XDG rules say that a relative path here is to be ignored.
  if (const std::filesystem::path cache = environment("XDG_CACHE_HOME"); cache.is_absolute()) {
    return cache / "factorgcn";
  }
  const std::filesystem::path home = environment("HOME");
  require(home.is_absolute(),
          "no place for data sets is known: set FACTORGCN_DATA to a folder (XDG_CACHE_HOME and HOME name none)");
  return home / ".cache" / "factorgcn";
}

std::optional<DatasetFiles> find_dataset_files(const std::string& file_stem) {
  if (file_stem.empty()) {
    return std::nullopt;
  }
  require(file_stem.find('/') == std::string::npos && file_stem[0] != '.', "'", file_stem,
          "' cannot be the name of a data set's files: it must name one file or folder");
  // What cannot be looked at counts as not there: the reader of the files says why, where somebody asks for them.
  std::error_code ignored;
  const std::filesystem::path root = data_root();
  const std::filesystem::path folder = root / file_stem;
  if (std::filesystem::is_regular_file(folder / (file_stem + "_A.txt"), ignored)) {
    return DatasetFiles{folder, false};
  }
  const std::filesystem::path archive = root / (file_stem + ".zip");
  if (std::filesystem::is_regular_file(archive, ignored)) {
    return DatasetFiles{archive, true};
  }
  return std::nullopt;
}

}  // namespace factorgcn
