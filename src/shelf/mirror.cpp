// Text work alone, apart from the question whether a path is a folder.
#include "shelf/mirror.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

bool starts_with_any_case(const std::string& text, const std::string& start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

/// http://name:password@host/... without what stands before the @.
std::string without_password(const std::string& url) {
  const std::size_t host = url.find("://") + 3;
  const std::size_t path = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t at = url.substr(0, path).rfind('@');
  return at == std::string::npos || at < host ? url : url.substr(0, host) + url.substr(at + 1);
}

Mirror make_mirror(const std::string& given, const std::string& archive) {
  require_usage(!given.empty(), "an empty mirror: give a URL or a folder that holds ", archive);
  Mirror mirror;
  if (given.find("://") == std::string::npos) {
    std::error_code ignored;
    const std::filesystem::path path = given;
    const bool is_file = path.extension() == ".zip" && !std::filesystem::is_directory(path, ignored);
    mirror.file = is_file ? path : path / archive;
    mirror.shown = mirror.file.string();
    return mirror;
  }
  require_usage(!starts_with_any_case(given, "file://"), "mirror ", given, ": give the folder itself, without file://");
  require_usage(starts_with_any_case(given, "http://") || starts_with_any_case(given, "https://"), "mirror ", given,
                ": only http://, https:// and folders can be fetched from");
  require_usage(std::none_of(given.begin(), given.end(), [](unsigned char c) { return c <= ' ' || c == 127; }),
                "mirror '", given, "': a URL has no blanks; write %20");
  mirror.url = given.ends_with(".zip") ? given : given + (given.ends_with('/') ? "" : "/") + archive;
  mirror.shown = without_password(mirror.url);
  return mirror;
}

}  // namespace

std::vector<Mirror> list_mirrors(const DatasetEntry& entry, const FetchOptions& options) {
  const std::string archive = entry.file_stem + ".zip";
  std::vector<Mirror> mirrors;
  for (const std::string& given : options.mirrors) {
    mirrors.push_back(make_mirror(given, archive));
  }
  if (entry.on_tu_host && !options.public_host.empty()) {
    mirrors.push_back(make_mirror(options.public_host, archive));
  }
  return mirrors;
}

}  // namespace factorgcn
