// The folder's rules. A step is a file of its key and its numbers, named by the key's hash.
#include "factorgcn/disentangle/folder.h"

#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "base/folder_entries.h"
#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/json_text.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSettings = "settings.json";
constexpr const char* kSteps = "steps";
constexpr const char* kSummary = "summary.json";

/// All that a result consists of; the settings go last, so that a folder half removed still counts as that result.
const std::vector<std::string>& result_files() {
  static const std::vector<std::string> files{kSummary,     "page.html", "report.txt",      "edges.csv",
                                              "groups.csv", "ask.csv",   "factors.graphml", kSettings};
  return files;
}

/// "seed 1 instead of 0": the first setting that differs.
std::string difference(const nlohmann::json& now, const nlohmann::json& before) {
  for (const auto& [key, value] : now.items()) {
    if (!before.contains(key) || before.at(key) != value) {
      return key == "content" ? "the graph or what is known of it has changed"
                              : concat(key, " is ", value.dump(), " instead of ",
                                       before.contains(key) ? before.at(key).dump() : "nothing");
    }
  }
  return "settings differ";
}

/// Nothing where the folder holds no result.
std::optional<nlohmann::json> settings_of(const fs::path& folder) {
  const fs::path file = folder / kSettings;
  if (!fs::exists(file)) {
    return std::nullopt;
  }
  try {
    return read_json(file, 1U << 24);
  } catch (const Error&) {
    return nlohmann::json::object();
  }
}

void check_foreign_files(const fs::path& folder) {
  const std::set<std::string> own(result_files().begin(), result_files().end());
  for (const fs::path& path : folder_entries(folder)) {
    const std::string name = path.filename().string();
    require_usage(own.contains(name) || name == FolderLock::kName || name == kSteps || is_half_written(name), "--out ",
                  folder.string(), " holds other files (", name, "); choose another folder");
  }
}

}  // namespace

DisentangleFolder::DisentangleFolder(fs::path folder, const nlohmann::ordered_json& settings, bool replace)
    : folder_(std::move(folder)) {
  require_usage(!folder_.empty(), "no folder was given; name one with --out");
  require_usage(!fs::exists(folder_) || fs::is_directory(folder_), "--out ", folder_.string(),
                " is a file; choose another name");
  std::error_code error;
  fs::create_directories(folder_, error);
  require(!error, "cannot make the folder ", folder_.string(), ": ", error.message());
  auto before = settings_of(folder_);
  if (!before) {
    check_foreign_files(folder_);
  }
  lock_.emplace(folder_, "the folder", "another --out");
  const nlohmann::json now = settings;
  before = settings_of(folder_);
  if (before && *before != now) {
    require_usage(replace, "--out ", folder_.string(), " holds another result: ", difference(now, *before),
                  "; choose another folder, or give --force to replace it");
  }
  if (!before || *before != now || replace) {
    remove_whole(folder_ / kSteps);
    for (const std::string& name : result_files()) {
      fs::remove(folder_ / name);
    }
    write_file_atomically(folder_ / kSettings,
                          settings.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  }
  remove_half_written(folder_);
}

bool DisentangleFolder::is_done() const { return fs::exists(folder_ / kSummary); }

void DisentangleFolder::keep(const std::string& key, const std::vector<float>& numbers) const {
  fs::create_directories(folder_ / kSteps);
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
  const std::string hash = hash_text(content_hash(bytes));
  write_file_atomically(folder_ / kSteps / hash_text(content_hash(key)), [&](const AppendBytes& append) {
    append(key + "\n" + hash + "\n");
    append(bytes);
  });
}

std::optional<std::vector<float>> DisentangleFolder::kept(const std::string& key) const {
  const fs::path file = folder_ / kSteps / hash_text(content_hash(key));
  if (!fs::exists(file)) {
    return std::nullopt;
  }
  const std::string text = read_file(file);
  const std::string_view whole(text);
  const std::size_t hash_at = key.size() + 1;
  const std::size_t numbers_at = hash_at + 17;  // 16 digits and the line's end
  if (whole.size() < numbers_at || whole.substr(0, hash_at) != key + "\n" ||
      (whole.size() - numbers_at) % sizeof(float) != 0) {
    return std::nullopt;
  }
  const std::string_view bytes = whole.substr(numbers_at);
  if (whole.substr(hash_at, 17) != hash_text(content_hash(bytes)) + "\n") {
    return std::nullopt;
  }
  std::vector<float> numbers(bytes.size() / sizeof(float));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
  }
  return numbers;
}

void DisentangleFolder::finish(const nlohmann::ordered_json& summary) const {
  write_file_atomically(folder_ / kSummary,
                        summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  remove_whole(folder_ / kSteps);
}

}  // namespace factorgcn
