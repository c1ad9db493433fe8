// A graph in parts: "== parts.json", "== part-00000.safetensors" and so on (fuzz/input_parts.h). The manifest's hashes
// are made to fit, so that what lies behind them is reached; a first byte '!' leaves them.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "factorgcn/base/content_hash.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/io/part_files.h"
#include "fuzz/input_folder.h"
#include "fuzz/input_parts.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {
namespace {

constexpr std::size_t kMostFiles = 8;

void fit_hashes(std::map<std::string, std::string>& files) {
  const auto manifest = files.find("parts.json");
  if (manifest == files.end()) {
    return;
  }
  nlohmann::json object;
  try {
    object = parse_json(manifest->second, "manifest");
  } catch (const Error&) {
    return;
  }
  if (!object.is_object() || !object.contains("parts") || !object["parts"].is_array()) {
    return;
  }
  for (auto& part : object["parts"]) {
    if (part.is_object() && part.contains("file") && part["file"].is_string()) {
      const auto file = files.find(part["file"].get<std::string>());
      part["hash"] = file == files.end() ? "" : hash_text(content_hash(file->second));
    }
  }
  manifest->second = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void fuzz_parts(std::string_view bytes) {
  static InputFolder folder;
  const bool fit = !bytes.starts_with('!');
  std::map<std::string, std::string> files;
  for (auto& [name, text] : input_parts(bytes.substr(fit ? 0 : 1))) {
    if (files.size() < kMostFiles && (name == "parts.json" || name.starts_with("part-0000")) && name.size() < 40 &&
        name.find('/') == std::string::npos && name.find('\0') == std::string::npos) {
      files[name] = std::move(text);
    }
  }
  if (fit) {
    fit_hashes(files);
  }
  folder.fill(files);
  allow_one_line_error([&] {
    const PartsManifest manifest = read_manifest(folder.path());
    for (std::size_t part = 0; part < manifest.parts.size(); ++part) {
      // One bad part must not hide the others.
      allow_one_line_error([&] { read_part(folder.path(), manifest, static_cast<std::int64_t>(part)); });
    }
  });
}

}  // namespace factorgcn
