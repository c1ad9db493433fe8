// One graph in parts: a folder of files from which each process reads its own parts alone.
//
//   DIR/parts.json                  what the graph is, what each part holds and how to know its file; written last
//   DIR/part-00000.safetensors ...  one per part, metadata format "factorgcn-part", tensors:
//       rows         int64 [n]   the part's nodes by their numbers in the whole graph, rising; numbers may have gaps
//       in_offsets   int64 [n + 1], in_sources int32 [E]   edges into them, in the whole graph's order; a source below
//                                n is a row of this part, n + h is the halo's node h
//       halo         int64 [m]   sources that other parts own, part by part, rising within each
//       halo_counts  int64 [P]   how many of them each part owns
//       features     float [n, F] or int64 [n]; sparse ones: feature_offsets, feature_columns, feature_values
//       edge_weights float [E], where edges have weights
//       targets      int64 [n], split uint8 [n]   class, and PartRole
//
// Two parts agree through node numbers alone: no file tells where a node lies within another one, which is asked for
// when processes meet.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

inline constexpr const char* kPartsFormat = "factorgcn-parts";
inline constexpr const char* kPartFormat = "factorgcn-part";
inline constexpr int kPartsFormatVersion = 1;

/// What a node's label is used for.
enum class NodeRole : std::uint8_t { kNone, kTrain, kValidation, kTest };

struct FACTORGCN_API GraphPart {
  at::Tensor rows, in_offsets, in_sources, halo, halo_counts, features, edge_weights, targets, roles;

  std::int64_t num_rows() const { return rows.numel(); }
  std::int64_t num_halo() const { return halo.numel(); }
  std::int64_t num_edges() const { return in_sources.numel(); }
};

struct FACTORGCN_API PartEntry {
  std::string file, hash;  ///< its name; the hash of its bytes (base/content_hash.h)
  std::int64_t rows = 0, edges = 0, halo = 0;
  std::int64_t cut_edges = 0;  ///< whose source another part owns
  std::int64_t train = 0, validation = 0, test = 0;
};

/// What is known of the whole graph.
struct FACTORGCN_API PartsManifest {
  std::string name;
  Task task = Task::kNodeClass;
  std::int64_t nodes = 0, edges = 0, outputs = 0;
  std::int64_t node_types = 0;       ///< for int64 features; otherwise 0
  std::int64_t feature_columns = 0;  ///< otherwise
  bool sparse_features = false, edge_weights = false;
  bool bags = false, uneven = false;  ///< of feature values: see train/presets.h
  std::int64_t added_self_loops = 0;
  std::vector<std::string> feature_names, output_names;  ///< may be empty
  std::string method;                                    ///< that cut the graph: metis, hash
  std::vector<PartEntry> parts;

  /// 16 hexadecimal digits for all that training reads: follows from the parts' hashes.
  std::string content() const;
  std::int64_t total(std::int64_t PartEntry::*count) const;
  std::int64_t largest(std::int64_t PartEntry::*count) const;
};

FACTORGCN_API std::string part_file_name(std::int64_t part);

/// True where the path is a folder with a manifest.
FACTORGCN_API bool is_parts_folder(const std::filesystem::path& folder);

/// Throws Error that names the file where it is damaged or newer than this program.
FACTORGCN_API PartsManifest read_manifest(const std::filesystem::path& folder);
FACTORGCN_API void write_manifest(const std::filesystem::path& folder, const PartsManifest& manifest);

/// Writes the part's file whole or not at all, and tells what the manifest has of it; `part`: from 0.
FACTORGCN_API PartEntry write_part(const std::filesystem::path& folder, std::int64_t part, const GraphPart& content);

/// The part's arrays, mapped (base/mapped_file.h). Throws Error that names the file where its bytes are not those that
/// the manifest knows, or do not fit each other. Cost: one pass over the file.
FACTORGCN_API GraphPart read_part(const std::filesystem::path& folder, const PartsManifest& manifest,
                                  std::int64_t part);

/// The part's rows alone, mapped and not checked: for whoever has just written them.
FACTORGCN_API at::Tensor read_part_rows(const std::filesystem::path& folder, const PartsManifest& manifest,
                                        std::int64_t part);

}  // namespace factorgcn
