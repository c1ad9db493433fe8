// A data set as one safetensors file, so that it can be made once and used anywhere.
//
// Tensors: graphs.* (the arrays of graph/graph_store.h), targets (where there is a task), split.train,
// split.validation, split.test, truth.* (the arrays of graph/ground_truth.h) and, where there are names, the bytes of
// all names and where each begins: output_names.bytes, output_names.offsets and the same for feature_names, node_names
// and graph_names. Metadata: format "factorgcn-dataset", format_version, name, task, num_outputs, num_node_types,
// node_split (true or false), added_self_loops, directed (true or false; missing: false), type_names (a JSON array).
// Where edges have types, graphs.edge_types and num_edge_types tell them, where they have weights, graphs.edge_weights;
// readers from before look neither at these nor at feature_names. Other tensors and metadata are ignored.
// Version 1 has no names, no node_split, no added_self_loops and always a task. Version 3 has sparse features
// (graph/sparse_features.h): graphs.feature_offsets, graphs.feature_columns and graphs.feature_values in place of
// graphs.features, and their width as feature_columns.
#pragma once

#include <filesystem>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/io/safetensors.h"

namespace factorgcn {

inline constexpr const char* kDatasetFormat = "factorgcn-dataset";
inline constexpr int kDatasetFormatVersion = 3;

/// The data set as named tensors and back, both checked; load_dataset() and save_dataset() without the disk.
FACTORGCN_API TensorFile pack_dataset(const Dataset& dataset);
FACTORGCN_API Dataset unpack_dataset(const TensorFile& file);

/// The same for a data set that check_dataset() has passed before: types, shapes and offsets are looked at, values are
/// not. Only for bytes that are known to be those that were written, such as a cache whose checksum is right.
FACTORGCN_API TensorFile pack_checked_dataset(const Dataset& dataset);
FACTORGCN_API Dataset unpack_checked_dataset(const TensorFile& file);

/// Checks the data set and writes it whole or not at all.
FACTORGCN_API void save_dataset(const std::filesystem::path& path, const Dataset& dataset);

/// Reads and checks a data set; throws Error naming the file and what is wrong with it. A regular file is mapped: do
/// not change it in place while the data set is in use (base/mapped_file.h); saving anew under the same name does no
/// harm.
FACTORGCN_API Dataset load_dataset(const std::filesystem::path& path);

}  // namespace factorgcn
