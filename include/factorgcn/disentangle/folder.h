// The folder that a result goes to.
//
//   settings.json    what decided the result (disentangle/settings.h); written first
//   steps/           finished steps of a computation that is under way, gone once it is done
//   edges.csv, groups.csv, factors.graphml, ask.csv   (disentangle/files.h)
//   report.txt       what the command printed
//   page.html        the same for a browser, with the graph
//   summary.json     the result in numbers; written last, so its presence says that the result is whole
//   .lock            held by the process that writes here; the system gives it back when the process ends
//
// A computation called again with the same settings goes on with its finished steps. Other settings are refused unless
// the former result may be replaced.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/folder_lock.h"

namespace factorgcn {

class FACTORGCN_API DisentangleFolder {
 public:
  /// Makes the folder and takes its lock. UsageError where it holds another result and `replace` is not said, or files
  /// that are no result; Error where another process is at work in it. `replace` removes the former result's files and
  /// nothing else.
  DisentangleFolder(std::filesystem::path folder, const nlohmann::ordered_json& settings, bool replace);
  DisentangleFolder(const DisentangleFolder&) = delete;
  DisentangleFolder& operator=(const DisentangleFolder&) = delete;

  /// The whole result is there already.
  bool is_done() const;

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& path() const { return folder_; }

  /// A finished step, and what is left of one from before: nothing where it is missing or damaged.
  void keep(const std::string& key, const std::vector<float>& numbers) const;
  std::optional<std::vector<float>> kept(const std::string& key) const;

  /// Writes summary.json and takes the steps away.
  void finish(const nlohmann::ordered_json& summary) const;

 private:
  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
};

}  // namespace factorgcn
