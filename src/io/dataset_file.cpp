// A data set's arrays under fixed names. Loading trusts nothing: types and dimensions are checked here, so that arrays
// can be read at all, and check_dataset() looks at every value. Cost: O(size), twice the file in memory.
#include "factorgcn/io/dataset_file.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/io/file_format.h"
#include "graph/tensor_checks.h"
#include "io/quoted_text.h"

namespace factorgcn {
namespace {

template <class T>
at::Tensor to_tensor(const std::vector<T>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())},
                                at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value));
  std::copy(values.begin(), values.end(), tensor.template data_ptr<T>());
  return tensor;
}

at::Tensor take(const TensorFile& file, const char* name, at::ScalarType type, std::int64_t dimensions) {
  const at::Tensor& tensor = file.at(name);
  require_readable(tensor, type, file.origin, name);
  require(tensor.dim() == dimensions, file.origin, ": ", name, " has shape ", shape_text(tensor), "; it must have ",
          dimensions, dimensions == 1 ? " dimension" : " dimensions");
  return tensor;
}

template <class T>
std::vector<T> take_vector(const TensorFile& file, const char* name) {
  const at::Tensor tensor = take(file, name, c10::CppTypeToScalarType<T>::value, 1);
  const T* const first = tensor.data_ptr<T>();
  return {first, first + tensor.numel()};
}

std::int64_t integer_metadata(const TensorFile& file, const char* name) {
  const std::string& text = file.metadata_at(name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size(), file.origin, ": ", name, " is ", quoted_text(text),
          "; it must be a whole number");
  return value;
}

std::vector<std::string> type_names(const TensorFile& file) {
  const std::string& text = file.metadata_at("type_names");
  const nlohmann::json names = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_string = [](const nlohmann::json& name) { return name.is_string(); };
  require(names.is_array() && std::all_of(names.begin(), names.end(), is_string), file.origin, ": type_names is ",
          quoted_text(text), "; it must be a JSON array of strings");
  return names.get<std::vector<std::string>>();
}

/// The array of features decides its own type: values in two dimensions or node types in one.
at::Tensor take_features(const TensorFile& file) {
  const bool node_types = file.at("graphs.features").scalar_type() == at::kLong;
  return take(file, "graphs.features", node_types ? at::kLong : at::kFloat, node_types ? 1 : 2);
}

Dataset read_arrays(const TensorFile& file) {
  Dataset dataset;
  dataset.name = file.metadata_at("name");
  dataset.task = task_from_name(file.metadata_at("task"));
  dataset.num_outputs = integer_metadata(file, "num_outputs");
  dataset.num_node_types = integer_metadata(file, "num_node_types");

  dataset.graphs.node_offsets = take(file, "graphs.node_offsets", at::kLong, 1);
  dataset.graphs.edge_offsets = take(file, "graphs.edge_offsets", at::kLong, 1);
  dataset.graphs.in_degrees = take(file, "graphs.in_degrees", at::kInt, 1);
  dataset.graphs.in_sources = take(file, "graphs.in_sources", at::kInt, 1);
  dataset.graphs.out_degrees = take(file, "graphs.out_degrees", at::kInt, 1);
  dataset.graphs.out_targets = take(file, "graphs.out_targets", at::kInt, 1);
  dataset.graphs.in_to_out = take(file, "graphs.in_to_out", at::kInt, 1);
  dataset.graphs.features = take_features(file);
  dataset.targets = file.at("targets");

  dataset.split.train = take_vector<std::int64_t>(file, "split.train");
  dataset.split.validation = take_vector<std::int64_t>(file, "split.validation");
  dataset.split.test = take_vector<std::int64_t>(file, "split.test");

  dataset.truth.type_names = type_names(file);
  dataset.truth.part_offsets = take_vector<std::int64_t>(file, "truth.part_offsets");
  dataset.truth.part_types = take_vector<std::int32_t>(file, "truth.part_types");
  dataset.truth.entry_offsets = take_vector<std::int64_t>(file, "truth.entry_offsets");
  dataset.truth.entry_sources = take_vector<std::int32_t>(file, "truth.entry_sources");
  dataset.truth.entry_targets = take_vector<std::int32_t>(file, "truth.entry_targets");
  return dataset;
}

}  // namespace

TensorFile pack_dataset(const Dataset& dataset) {
  check_dataset(dataset);
  TensorFile file;
  set_format(file, kDatasetFormat, kDatasetFormatVersion);
  file.metadata["name"] = dataset.name;
  file.metadata["task"] = task_name(dataset.task);
  file.metadata["num_outputs"] = std::to_string(dataset.num_outputs);
  file.metadata["num_node_types"] = std::to_string(dataset.num_node_types);
  try {
    file.metadata["type_names"] = nlohmann::json(dataset.truth.type_names).dump();
  } catch (const nlohmann::json::exception&) {
    fail(dataset.name, ": a relation type's name is not valid UTF-8 and cannot be written");
  }

  const GraphStore& graphs = dataset.graphs;
  const GroundTruth& truth = dataset.truth;
  file.tensors = {
      {"graphs.node_offsets", graphs.node_offsets},
      {"graphs.edge_offsets", graphs.edge_offsets},
      {"graphs.in_degrees", graphs.in_degrees},
      {"graphs.in_sources", graphs.in_sources},
      {"graphs.out_degrees", graphs.out_degrees},
      {"graphs.out_targets", graphs.out_targets},
      {"graphs.in_to_out", graphs.in_to_out},
      {"graphs.features", graphs.features},
      {"targets", dataset.targets},
      {"split.train", to_tensor(dataset.split.train)},
      {"split.validation", to_tensor(dataset.split.validation)},
      {"split.test", to_tensor(dataset.split.test)},
      {"truth.part_offsets", to_tensor(truth.part_offsets)},
      {"truth.part_types", to_tensor(truth.part_types)},
      {"truth.entry_offsets", to_tensor(truth.entry_offsets)},
      {"truth.entry_sources", to_tensor(truth.entry_sources)},
      {"truth.entry_targets", to_tensor(truth.entry_targets)},
  };
  return file;
}

Dataset unpack_dataset(const TensorFile& file) {
  check_format(file, kDatasetFormat, kDatasetFormatVersion);
  Dataset dataset;
  try {
    dataset = read_arrays(file);
    check_dataset(dataset);
  } catch (const Error& error) {
    // A data set's own checks name it by its own name; whoever gave the path wants to read the path.
    const std::string text = error.what();
    fail(text.starts_with(file.origin) ? text : concat(file.origin, ": ", text));
  }
  return dataset;
}

void save_dataset(const std::filesystem::path& path, const Dataset& dataset) {
  write_safetensors(path, pack_dataset(dataset));
}

Dataset load_dataset(const std::filesystem::path& path) { return unpack_dataset(read_safetensors(path)); }

}  // namespace factorgcn
