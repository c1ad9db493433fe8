// A data set as one safetensors file, so that it can be made once and used anywhere.
//
// Tensors: graphs.* (the arrays of graph/graph_store.h), targets, split.train, split.validation, split.test and truth.*
// (the arrays of graph/ground_truth.h). Metadata: format "factorgcn-dataset", format_version, name, task, num_outputs,
// num_node_types, type_names (a JSON array). Other tensors and metadata are ignored.
#pragma once

#include <filesystem>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/io/safetensors.h"

namespace factorgcn {

inline constexpr const char* kDatasetFormat = "factorgcn-dataset";
inline constexpr int kDatasetFormatVersion = 1;

/// The data set as named tensors and back, both checked; load_dataset() and save_dataset() without the disk.
FACTORGCN_API TensorFile pack_dataset(const Dataset& dataset);
FACTORGCN_API Dataset unpack_dataset(const TensorFile& file);

/// Checks the data set and writes it whole or not at all.
FACTORGCN_API void save_dataset(const std::filesystem::path& path, const Dataset& dataset);

/// Reads and checks a data set; throws Error naming the file and what is wrong with it.
FACTORGCN_API Dataset load_dataset(const std::filesystem::path& path);

}  // namespace factorgcn
