// Parts as safetensors files and their manifest as JSON. Nothing in a file is trusted: its bytes are compared with the
// manifest's hash, and its arrays with each other, since kernels that read them check no index.
#include "factorgcn/io/part_files.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "factorgcn/base/content_hash.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/io/file_format.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/io/safetensors.h"
#include "io/json_values.h"
#include "io/quoted_text.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMostParts = std::size_t{1} << 20;

fs::path manifest_file(const fs::path& folder) { return folder / "parts.json"; }

constexpr std::pair<const char*, std::int64_t PartEntry::*> kPartCounts[] = {
    {"rows", &PartEntry::rows},   {"edges", &PartEntry::edges},
    {"halo", &PartEntry::halo},   {"cut_edges", &PartEntry::cut_edges},
    {"train", &PartEntry::train}, {"validation", &PartEntry::validation},
    {"test", &PartEntry::test}};

constexpr std::pair<const char*, std::int64_t PartsManifest::*> kGraphCounts[] = {
    {"nodes", &PartsManifest::nodes},
    {"edges", &PartsManifest::edges},
    {"outputs", &PartsManifest::outputs},
    {"node_types", &PartsManifest::node_types},
    {"feature_columns", &PartsManifest::feature_columns},
    {"added_self_loops", &PartsManifest::added_self_loops}};

constexpr std::pair<const char*, bool PartsManifest::*> kGraphFlags[] = {
    {"sparse_features", &PartsManifest::sparse_features},
    {"edge_weights", &PartsManifest::edge_weights},
    {"bags", &PartsManifest::bags},
    {"uneven", &PartsManifest::uneven}};

/// Small enough that those of a million parts add up.
std::int64_t count_at(const json& object, const char* key, const std::string& file) {
  constexpr std::int64_t kMost = std::int64_t{1} << 42;
  const json& value = object.at(key);
  const bool whole = value.is_number_integer() && value >= 0 && value <= kMost;
  require(whole, file, ": ", key, " is ", shown_json(value), "; it must be a whole number from 0 to ", kMost);
  return value.get<std::int64_t>();
}

std::string file_hash(std::string_view bytes) { return hash_text(content_hash(bytes)); }

void require_array(bool holds, const std::string& file, const char* name, const std::string& what) {
  require(holds, file, ": ", name, " ", what);
}

/// An array of one dimension.
at::Tensor take_list(const TensorFile& file, const char* name, at::ScalarType type, std::int64_t length) {
  const at::Tensor& list = file.at(name);
  require_array(list.dim() == 1 && list.scalar_type() == type && (length < 0 || list.numel() == length), file.origin,
                name,
                concat("has shape ", list.sizes(), " and type ", c10::toString(list.scalar_type()), "; expected ",
                       length < 0 ? std::string("a list") : concat("[", length, "]"), " of ", c10::toString(type)));
  return list;
}

at::Tensor take_part_features(const TensorFile& file, const PartsManifest& manifest, std::int64_t rows) {
  if (manifest.sparse_features) {
    const SparseRows sparse{take_list(file, "feature_offsets", at::kInt, rows + 1),
                            take_list(file, "feature_columns", at::kInt, -1),
                            take_list(file, "feature_values", at::kFloat, -1), manifest.feature_columns};
    check_sparse_rows(sparse, file.origin);
    return sparse_features(sparse);
  }
  const at::Tensor& features = file.at("features");
  if (manifest.node_types > 0) {
    take_list(file, "features", at::kLong, rows);
    const auto* const type = features.data_ptr<std::int64_t>();
    require_array(std::all_of(type, type + rows, [&](std::int64_t t) { return t >= 0 && t < manifest.node_types; }),
                  file.origin, "features", concat("holds a type outside 0 .. ", manifest.node_types - 1));
    return features;
  }
  require_array(
      features.dim() == 2 && features.scalar_type() == at::kFloat && features.size(0) == rows &&
          features.size(1) == manifest.feature_columns,
      file.origin, "features",
      concat("has shape ", features.sizes(), "; expected [", rows, ", ", manifest.feature_columns, "] of Float"));
  return features;
}

void check_edges(const GraphPart& part, const std::string& file) {
  const auto* const offsets = part.in_offsets.data_ptr<std::int64_t>();
  const std::int64_t rows = part.num_rows(), sources = rows + part.num_halo();
  bool rising = offsets[0] == 0 && offsets[rows] == part.num_edges();
  for (std::int64_t row = 0; rising && row < rows; ++row) {
    rising = offsets[row] <= offsets[row + 1];
  }
  require_array(rising, file, "in_offsets", concat("does not rise from 0 to the ", part.num_edges(), " edges"));
  const auto* const source = part.in_sources.data_ptr<std::int32_t>();
  require_array(
      std::all_of(source, source + part.num_edges(), [&](std::int64_t each) { return each >= 0 && each < sources; }),
      file, "in_sources", concat("holds a node outside 0 .. ", sources - 1));
}

void check_nodes(const GraphPart& part, const PartsManifest& manifest, const std::string& file) {
  const auto rises = [&](const at::Tensor& list, std::int64_t begin, std::int64_t end) {
    const auto* const node = list.data_ptr<std::int64_t>();
    for (std::int64_t place = begin; place < end; ++place) {
      if (node[place] < 0 || (place > begin && node[place] <= node[place - 1])) {
        return false;
      }
    }
    return true;
  };
  require_array(part.num_rows() > 0 && rises(part.rows, 0, part.num_rows()), file, "rows", "must rise from 0 or more");
  std::int64_t begin = 0;
  const auto* const counts = part.halo_counts.data_ptr<std::int64_t>();
  for (std::int64_t owner = 0; owner < part.halo_counts.numel(); ++owner) {
    require_array(counts[owner] >= 0 && counts[owner] <= part.num_halo() - begin, file, "halo_counts",
                  concat("do not add up to the halo's ", part.num_halo(), " nodes"));
    require_array(rises(part.halo, begin, begin + counts[owner]), file, "halo", "must rise within each part");
    begin += counts[owner];
  }
  require_array(begin == part.num_halo(), file, "halo_counts",
                concat("do not add up to the halo's ", part.num_halo(), " nodes"));
  const auto* const target = part.targets.data_ptr<std::int64_t>();
  require_array(std::all_of(target, target + part.num_rows(),
                            [&](std::int64_t each) { return each >= 0 && each < manifest.outputs; }),
                file, "targets", concat("holds a class outside 0 .. ", manifest.outputs - 1));
  const auto* const role = part.roles.data_ptr<std::uint8_t>();
  require_array(std::all_of(role, role + part.num_rows(), [](std::uint8_t each) { return each <= 3; }), file, "split",
                "holds a number above 3");
}

std::int64_t rows_of_role(const GraphPart& part, NodeRole role) {
  const auto* const begin = part.roles.data_ptr<std::uint8_t>();
  return std::count(begin, begin + part.num_rows(), static_cast<std::uint8_t>(role));
}

}  // namespace

std::string PartsManifest::content() const {
  std::string list = concat(task_name(task), " ", nodes, " ", edges, " ", outputs, " ", node_types, " ",
                            feature_columns, " ", sparse_features, "\n");
  for (const PartEntry& part : parts) {
    list += part.hash + "\n";
  }
  return file_hash(list);
}

std::int64_t PartsManifest::total(std::int64_t PartEntry::*count) const {
  std::int64_t sum = 0;
  for (const PartEntry& part : parts) {
    sum += part.*count;
  }
  return sum;
}

std::int64_t PartsManifest::largest(std::int64_t PartEntry::*count) const {
  std::int64_t most = 0;
  for (const PartEntry& part : parts) {
    most = std::max(most, part.*count);
  }
  return most;
}

std::string part_file_name(std::int64_t part) {
  const std::string number = std::to_string(part);
  return "part-" + std::string(number.size() < 5 ? 5 - number.size() : 0, '0') + number + ".safetensors";
}

bool is_parts_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(manifest_file(folder), ignored);
}

PartsManifest read_manifest(const fs::path& folder) {
  const std::string file = manifest_file(folder).string();
  PartsManifest manifest;
  try {
    const json object = read_json(file, 1U << 28);
    require(object.value("format", "") == kPartsFormat, file, ": its format is not ", kPartsFormat);
    require(count_at(object, "format_version", file) <= kPartsFormatVersion, file,
            ": written by a newer version of this program; update it to read the parts");
    manifest.name = object.at("name").get<std::string>();
    manifest.task = task_from_name(object.at("task").get<std::string>());
    for (const auto& [key, count] : kGraphCounts) {
      manifest.*count = count_at(object, key, file);
    }
    for (const auto& [key, flag] : kGraphFlags) {
      manifest.*flag = object.at(key).get<bool>();
    }
    manifest.method = object.at("method").get<std::string>();
    manifest.feature_names = object.value("feature_names", std::vector<std::string>());
    manifest.output_names = object.value("output_names", std::vector<std::string>());
    for (const json& each : object.at("parts")) {
      PartEntry& part = manifest.parts.emplace_back();
      part.file = each.at("file").get<std::string>();
      part.hash = each.at("hash").get<std::string>();
      require(part.file == part_file_name(static_cast<std::int64_t>(manifest.parts.size()) - 1), file, ": part ",
              manifest.parts.size() - 1, " lies in ", quoted_text(part.file), "; it must be ",
              part_file_name(static_cast<std::int64_t>(manifest.parts.size()) - 1));
      for (const auto& [key, count] : kPartCounts) {
        part.*count = count_at(each, key, file);
      }
    }
  } catch (const json::exception& error) {
    fail(file, " is damaged: ", error.what());
  }
  require(!manifest.parts.empty(), file, ": it lists no parts");
  require(manifest.parts.size() <= kMostParts, file, ": it lists ", manifest.parts.size(), " parts; at most ",
          kMostParts, " are allowed");
  require(manifest.total(&PartEntry::rows) == manifest.nodes, file, ": its parts have ",
          manifest.total(&PartEntry::rows), " nodes, the graph has ", manifest.nodes);
  require(manifest.total(&PartEntry::edges) == manifest.edges, file, ": its parts have ",
          manifest.total(&PartEntry::edges), " edges, the graph has ", manifest.edges);
  return manifest;
}

void write_manifest(const fs::path& folder, const PartsManifest& manifest) {
  ordered_json object = ordered_json::object();
  object["format"] = kPartsFormat;
  object["format_version"] = kPartsFormatVersion;
  object["name"] = manifest.name;
  object["task"] = task_name(manifest.task);
  for (const auto& [key, count] : kGraphCounts) {
    object[key] = manifest.*count;
  }
  for (const auto& [key, flag] : kGraphFlags) {
    object[key] = manifest.*flag;
  }
  object["method"] = manifest.method;
  if (!manifest.feature_names.empty()) {
    object["feature_names"] = manifest.feature_names;
  }
  if (!manifest.output_names.empty()) {
    object["output_names"] = manifest.output_names;
  }
  object["parts"] = ordered_json::array();
  for (const PartEntry& part : manifest.parts) {
    ordered_json each{{"file", part.file}, {"hash", part.hash}};
    for (const auto& [key, count] : kPartCounts) {
      each[key] = part.*count;
    }
    object["parts"].push_back(each);
  }
  write_file_atomically(manifest_file(folder), object.dump(1) + "\n");
}

PartEntry write_part(const fs::path& folder, std::int64_t part, const GraphPart& content) {
  TensorFile file;
  set_format(file, kPartFormat, kPartsFormatVersion);
  file.tensors = {{"rows", content.rows},  {"in_offsets", content.in_offsets},   {"in_sources", content.in_sources},
                  {"halo", content.halo},  {"halo_counts", content.halo_counts}, {"targets", content.targets},
                  {"split", content.roles}};
  if (is_sparse(content.features)) {
    const SparseRows sparse = sparse_rows(content.features);
    file.tensors.insert(
        file.tensors.end(),
        {{"feature_offsets", sparse.offsets}, {"feature_columns", sparse.columns}, {"feature_values", sparse.values}});
  } else {
    file.tensors.emplace_back("features", content.features);
  }
  if (content.edge_weights.defined()) {
    file.tensors.emplace_back("edge_weights", content.edge_weights);
  }
  PartEntry entry;
  entry.file = part_file_name(part);
  write_safetensors(folder / entry.file, file);
  entry.hash = file_hash(MappedFile(folder / entry.file).bytes());
  entry.rows = content.num_rows();
  entry.edges = content.num_edges();
  entry.halo = content.num_halo();
  const auto* const source = content.in_sources.data_ptr<std::int32_t>();
  entry.cut_edges = std::count_if(source, source + entry.edges, [&](std::int64_t each) { return each >= entry.rows; });
  entry.train = rows_of_role(content, NodeRole::kTrain);
  entry.validation = rows_of_role(content, NodeRole::kValidation);
  entry.test = rows_of_role(content, NodeRole::kTest);
  return entry;
}

GraphPart read_part(const fs::path& folder, const PartsManifest& manifest, std::int64_t number) {
  const PartEntry& entry = manifest.parts.at(static_cast<std::size_t>(number));
  const std::string name = (folder / entry.file).string();
  const auto mapping = std::make_shared<MappedFile>(name);
  require(file_hash(mapping->bytes()) == entry.hash, name, ": it is not the file that ", manifest_file(folder).string(),
          " knows (its hash is ", file_hash(mapping->bytes()), ", there ", entry.hash,
          "); copy it again, or make the parts again");
  const TensorFile file = map_safetensors(mapping, name);
  check_format(file, kPartFormat, kPartsFormatVersion);
  GraphPart part;
  part.rows = take_list(file, "rows", at::kLong, entry.rows);
  part.in_offsets = take_list(file, "in_offsets", at::kLong, entry.rows + 1);
  part.in_sources = take_list(file, "in_sources", at::kInt, entry.edges);
  part.halo = take_list(file, "halo", at::kLong, entry.halo);
  part.halo_counts = take_list(file, "halo_counts", at::kLong, static_cast<std::int64_t>(manifest.parts.size()));
  part.targets = take_list(file, "targets", at::kLong, entry.rows);
  part.roles = take_list(file, "split", at::kByte, entry.rows);
  part.features = take_part_features(file, manifest, entry.rows);
  if (manifest.edge_weights) {
    part.edge_weights = take_list(file, "edge_weights", at::kFloat, entry.edges);
  }
  check_edges(part, name);
  check_nodes(part, manifest, name);
  return part;
}

at::Tensor read_part_rows(const fs::path& folder, const PartsManifest& manifest, std::int64_t number) {
  const PartEntry& entry = manifest.parts.at(static_cast<std::size_t>(number));
  return take_list(map_safetensors(folder / entry.file), "rows", at::kLong, entry.rows);
}

}  // namespace factorgcn
