// A data set's arrays under fixed names. Loading trusts nothing: types and dimensions are checked here, so that arrays
// can be read at all, and check_dataset() looks at every value. Cost: O(size).
#include "factorgcn/io/dataset_file.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/io/file_format.h"
#include "graph/tensor_checks.h"
#include "io/name_table.h"
#include "io/quoted_text.h"

namespace factorgcn {
namespace {

/// What data sets without sparse features are written as, for readers from before there were any.
constexpr int kDenseFormatVersion = 2;

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

bool flag_metadata(const TensorFile& file, const char* name) {
  const std::string& text = file.metadata_at(name);
  require(text == "true" || text == "false", file.origin, ": ", name, " is ", quoted_text(text),
          "; it must be true or false");
  return text == "true";
}

std::vector<std::string> type_names(const TensorFile& file) {
  const std::string& text = file.metadata_at("type_names");
  const nlohmann::json names = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto is_string = [](const nlohmann::json& name) { return name.is_string(); };
  require(names.is_array() && std::all_of(names.begin(), names.end(), is_string), file.origin, ": type_names is ",
          quoted_text(text), "; it must be a JSON array of strings");
  return names.get<std::vector<std::string>>();
}

/// The array of features decides its own type: values in two dimensions or node types in one. Sparse ones are three.
at::Tensor take_features(const TensorFile& file) {
  if (file.find("graphs.features") == nullptr && file.find("graphs.feature_offsets") != nullptr) {
    SparseRows rows{take(file, "graphs.feature_offsets", at::kInt, 1),
                    take(file, "graphs.feature_columns", at::kInt, 1),
                    take(file, "graphs.feature_values", at::kFloat, 1), integer_metadata(file, "feature_columns")};
    require(rows.offsets.numel() >= 1, file.origin, ": graphs.feature_offsets is empty; it must be [nodes + 1]");
    require(rows.width >= 1 && rows.width <= std::numeric_limits<std::int32_t>::max(), file.origin,
            ": feature_columns is ", rows.width, "; it must be 1 to ", std::numeric_limits<std::int32_t>::max());
    return sparse_features(rows);
  }
  const bool node_types = file.at("graphs.features").scalar_type() == at::kLong;
  return take(file, "graphs.features", node_types ? at::kLong : at::kFloat, node_types ? 1 : 2);
}

Dataset read_arrays(const TensorFile& file, int version) {
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
  if (file.find("graphs.edge_types") != nullptr) {
    dataset.graphs.edge_types = take(file, "graphs.edge_types", at::kInt, 1);
    dataset.num_edge_types = integer_metadata(file, "num_edge_types");
  }
  if (file.find("graphs.edge_weights") != nullptr) {
    dataset.graphs.edge_weights = take(file, "graphs.edge_weights", at::kFloat, 1);
  }
  if (dataset.task != Task::kNone) {
    dataset.targets = file.at("targets");
  }

  dataset.split.train = take_vector<std::int64_t>(file, "split.train");
  dataset.split.validation = take_vector<std::int64_t>(file, "split.validation");
  dataset.split.test = take_vector<std::int64_t>(file, "split.test");

  dataset.truth.type_names = type_names(file);
  dataset.truth.part_offsets = take_vector<std::int64_t>(file, "truth.part_offsets");
  dataset.truth.part_types = take_vector<std::int32_t>(file, "truth.part_types");
  dataset.truth.entry_offsets = take_vector<std::int64_t>(file, "truth.entry_offsets");
  dataset.truth.entry_sources = take_vector<std::int32_t>(file, "truth.entry_sources");
  dataset.truth.entry_targets = take_vector<std::int32_t>(file, "truth.entry_targets");

  if (version >= 2) {
    if (file.find("graphs.given_edges") != nullptr) {
      dataset.given_edges = take(file, "graphs.given_edges", at::kBool, 1);
    }
    if (file.find("labelled") != nullptr) {
      dataset.labelled = take(file, "labelled", at::kBool, 1);
    }
    dataset.node_split = flag_metadata(file, "node_split");
    dataset.added_self_loops = integer_metadata(file, "added_self_loops");
    dataset.directed = file.metadata.contains("directed") && flag_metadata(file, "directed");
    dataset.feature_names = unpack_names(file, "feature_names");
    dataset.output_names = unpack_names(file, "output_names");
    dataset.node_names = unpack_names(file, "node_names");
    dataset.graph_names = unpack_names(file, "graph_names");
  }
  return dataset;
}

void check_offsets(const at::Tensor& offsets, std::int64_t last, const std::string& name, const char* what) {
  const auto* const first = offsets.data_ptr<std::int64_t>();
  require(first[0] == 0 && first[offsets.numel() - 1] == last && std::is_sorted(first, first + offsets.numel()), name,
          ": ", what, " must rise from 0 to ", last);
}

/// What can be checked of a data set without looking at nodes and edges. Cost: O(graphs).
void check_sizes(const Dataset& dataset, const std::string& name) {
  const GraphStore& graphs = dataset.graphs;
  const std::int64_t count = graphs.num_graphs(), nodes = graphs.num_nodes(), edges = graphs.num_edges();
  require(count >= 1, name, ": it has no graphs");
  require_vector(graphs.edge_offsets, at::kLong, count + 1, name, "graphs.edge_offsets");
  require_vector(graphs.in_degrees, at::kInt, nodes, name, "graphs.in_degrees");
  require_vector(graphs.out_degrees, at::kInt, nodes, name, "graphs.out_degrees");
  require_vector(graphs.out_targets, at::kInt, edges, name, "graphs.out_targets");
  require_vector(graphs.in_to_out, at::kInt, edges, name, "graphs.in_to_out");
  if (graphs.edge_types.defined()) {
    require_vector(graphs.edge_types, at::kInt, edges, name, "graphs.edge_types");
  }
  if (graphs.edge_weights.defined()) {
    require_vector(graphs.edge_weights, at::kFloat, edges, name, "graphs.edge_weights");
  }
  if (dataset.given_edges.defined()) {
    require_vector(dataset.given_edges, at::kBool, edges, name, "graphs.given_edges");
  }
  if (dataset.labelled.defined()) {
    require_vector(dataset.labelled, at::kBool, is_node_task(dataset.task) ? nodes : count, name, "labelled");
  }
  if (is_sparse(graphs.features)) {
    const SparseRows rows = sparse_rows(graphs.features);
    const auto* const first = rows.offsets.data_ptr<std::int32_t>();
    require(rows.values.numel() == rows.entries() && first[0] == 0 && first[nodes] == rows.entries() &&
                std::is_sorted(first, first + nodes + 1),
            name, ": the sizes of graphs.feature_* do not fit each other");
  }
  check_offsets(graphs.node_offsets, nodes, name, "graphs.node_offsets");
  check_offsets(graphs.edge_offsets, edges, name, "graphs.edge_offsets");
  if (dataset.task == Task::kMultiLabel || dataset.task == Task::kRegression) {
    require_readable(dataset.targets, at::kFloat, name, "targets");
    require(dataset.targets.dim() == 2 && dataset.targets.size(0) == count &&
                dataset.targets.size(1) == dataset.num_outputs,
            name, ": targets have shape ", shape_text(dataset.targets), "; it must be [", count, ", ",
            dataset.num_outputs, "]");
  } else if (dataset.task != Task::kNone) {
    require_vector(dataset.targets, at::kLong, is_node_task(dataset.task) ? nodes : count, name, "targets");
  }

  const GroundTruth& truth = dataset.truth;
  require(truth.entry_offsets.size() == truth.part_types.size() + 1 &&
              truth.entry_sources.size() == truth.entry_targets.size() && truth.entry_offsets.front() == 0 &&
              truth.entry_offsets.back() == static_cast<std::int64_t>(truth.entry_sources.size()),
          name, ": the sizes of truth.* do not fit each other");
  require((truth.num_graphs() == count || (truth.num_graphs() == 0 && truth.empty())) &&
              truth.part_offsets.front() == 0 &&
              truth.part_offsets.back() == static_cast<std::int64_t>(truth.part_types.size()),
          name, ": the sizes of truth.* do not fit the ", count, " graphs");
  const auto named = [&](const std::vector<std::string>& names, std::int64_t things) {
    return names.empty() || static_cast<std::int64_t>(names.size()) == things;
  };
  const std::int64_t inputs = dataset.num_node_types > 0 ? dataset.num_node_types : graphs.features.size(-1);
  require(named(dataset.feature_names, inputs) && named(dataset.output_names, dataset.num_outputs) &&
              named(dataset.node_names, nodes) && named(dataset.graph_names, count),
          name, ": there must be a name for each feature, output, node and graph or for none");
}

/// A data set's own checks name it by its own name; whoever gave the path wants to read the path.
template <class Read>
Dataset read_naming_file(const TensorFile& file, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    const std::string text = error.what();
    fail(text.starts_with(file.origin) ? text : concat(file.origin, ": ", text));
  }
}

}  // namespace

TensorFile pack_checked_dataset(const Dataset& dataset) {
  TensorFile file;
  const bool sparse = is_sparse(dataset.graphs.features);
  set_format(file, kDatasetFormat, sparse ? kDatasetFormatVersion : kDenseFormatVersion);
  file.metadata["name"] = dataset.name;
  file.metadata["task"] = task_name(dataset.task);
  file.metadata["num_outputs"] = std::to_string(dataset.num_outputs);
  file.metadata["num_node_types"] = std::to_string(dataset.num_node_types);
  file.metadata["node_split"] = dataset.node_split ? "true" : "false";
  file.metadata["directed"] = dataset.directed ? "true" : "false";
  file.metadata["added_self_loops"] = std::to_string(dataset.added_self_loops);
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
      {"split.train", to_tensor(dataset.split.train)},
      {"split.validation", to_tensor(dataset.split.validation)},
      {"split.test", to_tensor(dataset.split.test)},
      {"truth.part_offsets", to_tensor(truth.part_offsets)},
      {"truth.part_types", to_tensor(truth.part_types)},
      {"truth.entry_offsets", to_tensor(truth.entry_offsets)},
      {"truth.entry_sources", to_tensor(truth.entry_sources)},
      {"truth.entry_targets", to_tensor(truth.entry_targets)},
  };
  if (sparse) {
    const SparseRows rows = sparse_rows(graphs.features);
    file.tensors.emplace_back("graphs.feature_offsets", rows.offsets);
    file.tensors.emplace_back("graphs.feature_columns", rows.columns);
    file.tensors.emplace_back("graphs.feature_values", rows.values);
    file.metadata["feature_columns"] = std::to_string(rows.width);
  } else {
    file.tensors.emplace_back("graphs.features", graphs.features);
  }
  if (graphs.edge_types.defined()) {
    file.tensors.emplace_back("graphs.edge_types", graphs.edge_types);
    file.metadata["num_edge_types"] = std::to_string(dataset.num_edge_types);
  }
  if (graphs.edge_weights.defined()) {
    file.tensors.emplace_back("graphs.edge_weights", graphs.edge_weights);
  }
  if (dataset.task != Task::kNone) {
    file.tensors.emplace_back("targets", dataset.targets);
  }
  if (dataset.given_edges.defined()) {
    file.tensors.emplace_back("graphs.given_edges", dataset.given_edges);
  }
  if (dataset.labelled.defined()) {
    file.tensors.emplace_back("labelled", dataset.labelled);
  }
  pack_names(file, "feature_names", dataset.feature_names);
  pack_names(file, "output_names", dataset.output_names);
  pack_names(file, "node_names", dataset.node_names);
  pack_names(file, "graph_names", dataset.graph_names);
  return file;
}

TensorFile pack_dataset(const Dataset& dataset) {
  check_dataset(dataset);
  return pack_checked_dataset(dataset);
}

Dataset unpack_dataset(const TensorFile& file) {
  const int version = check_format(file, kDatasetFormat, kDatasetFormatVersion);
  return read_naming_file(file, [&] {
    Dataset dataset = read_arrays(file, version);
    check_dataset(dataset);
    return dataset;
  });
}

Dataset unpack_checked_dataset(const TensorFile& file) {
  const int version = check_format(file, kDatasetFormat, kDatasetFormatVersion);
  return read_naming_file(file, [&] {
    Dataset dataset = read_arrays(file, version);
    check_sizes(dataset, file.origin);
    return dataset;
  });
}

void save_dataset(const std::filesystem::path& path, const Dataset& dataset) {
  write_safetensors(path, pack_dataset(dataset));
}

Dataset load_dataset(const std::filesystem::path& path) {
  // What has no size, a pipe say, cannot be mapped.
  std::error_code ignored;
  const bool regular = std::filesystem::is_regular_file(path, ignored);
  return unpack_dataset(regular ? map_safetensors(path) : read_safetensors(path));
}

}  // namespace factorgcn
