// The name of a data set at a path is that of its edge file.
#include "factorgcn/shelf/dataset_path.h"

#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/data/file_source.h"
#include "factorgcn/io/zip_source.h"

namespace factorgcn {
namespace {

constexpr std::string_view kEdgeFile = "_A.txt";

/// By its name: looking inside would read a large file once more.
bool is_zip_file(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  std::error_code ignored;
  return (ending == ".zip" || ending == ".ZIP") && std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

bool may_hold_dataset(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) || is_zip_file(path);
}

PathDataset find_dataset_at(const std::filesystem::path& path) {
  const bool is_zip = is_zip_file(path);
  std::unique_ptr<FileSource> files;
  if (is_zip) {
    files = std::make_unique<ZipSource>(path);
  } else {
    files = std::make_unique<FolderSource>(path);
  }
  std::string stem;
  for (const std::string& name : files->names()) {
    if (name.size() > kEdgeFile.size() && name.ends_with(kEdgeFile)) {
      require(stem.empty(), path.string(), ": it holds the edges of two data sets, ", stem, kEdgeFile, " and ", name,
              "; one was expected");
      stem = name.substr(0, name.size() - kEdgeFile.size());
    }
  }
  require(!stem.empty(), path.string(), ": it holds no file NAME_A.txt, so it is no data set in the layout of the TU ",
          "collection");
  const DatasetEntry* const listed = lookup_dataset(stem);
  const bool is_listed = listed != nullptr && listed->file_stem == stem;
  return {is_listed ? *listed : tu_entry(stem), {path, is_zip}};
}

}  // namespace factorgcn
