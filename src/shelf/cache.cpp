// Opening: map the file, compare its checksum, then its versions and its source, and take the arrays as they lie.
//
// The checksum stands in for check_dataset(): the data set passed that before it was written, and no byte has changed
// since. It covers the header with the checksum itself left out, so versions and names are covered as well; the header
// must moreover be, byte for byte, the one that would be written. So there is no byte whose damage goes unseen.
#include "factorgcn/shelf/cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/folder_entries.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/mapped_file.h"
#include "factorgcn/io/dataset_file.h"

namespace factorgcn {
namespace {

/// To be raised when the checksum, the metadata below or the meaning of stored arrays change.
constexpr int kCacheVersion = 1;

constexpr const char* kVersionKey = "cache_version";
constexpr const char* kReaderKey = "reader_version";
constexpr const char* kSourceKey = "source";
constexpr const char* kHashKey = "content_hash";

/// Stands where the checksum will be while it is computed.
constexpr const char* kNoHash = "0000000000000000";

std::string fingerprint(const CacheSource& source) {
  std::string text;
  for (const CacheSource::File& file : source.files) {
    // A file name holds no NUL, so no two lists have one text.
    text += file.name + '\0' + std::to_string(file.size) + '\0' + std::to_string(file.mtime_ns) + '\0';
  }
  return hash_text(content_hash(text));
}

/// The checksum of a file to be written or just read. Tensors are hashed where they lie, each on its own.
std::string checksum(TensorFile file) {
  file.metadata[kHashKey] = kNoHash;
  std::string text = safetensors_beginning(file);
  for (const auto& [name, tensor] : file.tensors) {
    const at::Tensor plain = tensor.contiguous();
    text += hash_text(content_hash({static_cast<const char*>(plain.data_ptr()), plain.nbytes()}));
  }
  return hash_text(content_hash(text));
}

/// An error's text on one line: what libraries say may have several, of which the first tells the reason.
std::string first_line(const std::exception& error) {
  const std::string_view text = error.what();
  return std::string(text.substr(0, text.find('\n')));
}

struct Opened {
  std::optional<Dataset> dataset;
  std::string problem;  ///< why there is none: "is out of date: ..."
};

std::string metadata_text(const TensorFile& file, const char* key) {
  const auto found = file.metadata.find(key);
  return found == file.metadata.end() ? std::string() : found->second;
}

/// Whether this program reads the data-set format of that version: which one it is, follows from the content.
bool is_known_format(const std::string& version) {
  for (int known = 1; known <= kDatasetFormatVersion; ++known) {
    if (version == std::to_string(known)) {
      return true;
    }
  }
  return false;
}

/// Why the file's content is not to be used; empty where it is.
std::string find_problem(const TensorFile& file, const MappedFile& mapping, const CacheSource& source,
                         int reader_version) {
  if (metadata_text(file, "format") != kDatasetFormat || metadata_text(file, kVersionKey).empty()) {
    return "is no cache of a data set";
  }
  if (metadata_text(file, kVersionKey) != std::to_string(kCacheVersion) ||
      !is_known_format(metadata_text(file, "format_version"))) {
    return "is out of date: it was written by another version of this program";
  }
  if (!mapping.bytes().starts_with(safetensors_beginning(file)) || metadata_text(file, kHashKey) != checksum(file)) {
    return "is damaged: its content does not fit its checksum";
  }
  if (metadata_text(file, kReaderKey) != std::to_string(reader_version)) {
    return "is out of date: it was written by another version of the reader";
  }
  if (metadata_text(file, kSourceKey) != fingerprint(source)) {
    return "is out of date: the files that it was made from have changed";
  }
  return {};
}

Opened open_cache(const std::filesystem::path& path, const CacheSource& source, int reader_version) {
  std::shared_ptr<MappedFile> mapping;
  try {
    mapping = std::make_shared<MappedFile>(path);
  } catch (const Error& error) {
    return {{}, concat("cannot be opened (", first_line(error), ")")};
  }
  try {
    const TensorFile file = map_safetensors(mapping, path.string());
    std::string problem = find_problem(file, *mapping, source, reader_version);
    if (!problem.empty()) {
      return {{}, std::move(problem)};
    }
    return {unpack_checked_dataset(file), {}};
  } catch (const std::exception& error) {
    // Not Error alone: whatever a damaged file can bring about, parsing again is the answer.
    const std::string text = first_line(error), prefix = path.string() + ": ";
    return {{}, concat("is damaged (", text.starts_with(prefix) ? text.substr(prefix.size()) : text, ")")};
  }
}

void write_cache(const std::filesystem::path& path, const CacheSource& source, int reader_version,
                 const Dataset& dataset) {
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    require(!error, "cannot make the folder ", path.parent_path(), ": ", error.message());
  }
  TensorFile file = pack_checked_dataset(dataset);
  file.metadata[kVersionKey] = std::to_string(kCacheVersion);
  file.metadata[kReaderKey] = std::to_string(reader_version);
  file.metadata[kSourceKey] = fingerprint(source);
  file.metadata[kHashKey] = checksum(file);
  write_safetensors(path, file);
}

std::optional<CacheSource::File> describe_file(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return {};
  }
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return CacheSource::File{path.filename().string(), static_cast<std::uint64_t>(status.st_size),
                           status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

}  // namespace

CacheSource describe_source(const std::filesystem::path& path) {
  CacheSource source;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  require(std::filesystem::exists(status), "cannot read ", path, ": ", error.message());
  if (std::filesystem::is_directory(status)) {
    for (const std::filesystem::path& entry : folder_entries(path)) {
      // An entry that is gone again, or leads nowhere, is no file.
      if (std::optional<CacheSource::File> file = describe_file(entry)) {
        source.files.push_back(std::move(*file));
      }
    }
    std::sort(source.files.begin(), source.files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return source;
  }
  std::optional<CacheSource::File> file = describe_file(path);
  require(file.has_value(), "cannot read ", path, ": it is neither a file nor a folder");
  source.files.push_back(std::move(*file));
  return source;
}

Dataset open_cached(const std::filesystem::path& cache_file, const CacheSource& source, int reader_version,
                    const std::function<Dataset()>& parse, const std::function<void(const std::string&)>& message) {
  const auto tell = [&](const std::string& text) {
    if (message) {
      message(text);
    }
  };
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(cache_file, error))) {
    Opened opened = open_cache(cache_file, source, reader_version);
    if (opened.dataset) {
      return std::move(*opened.dataset);
    }
    tell(concat("the cache file ", cache_file, " ", opened.problem, "; it is built again"));
  }

  Dataset dataset = parse();
  check_dataset(dataset);
  try {
    write_cache(cache_file, source, reader_version, dataset);
  } catch (const std::exception& failure) {
    tell(concat("the data set is not cached and will be parsed again the next time: ", first_line(failure)));
  }
  return dataset;
}

}  // namespace factorgcn
