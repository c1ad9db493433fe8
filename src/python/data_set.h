// A data set as Python holds it: the library's, opened by name or made of a graph's tensors (python/graph_tensors.h).
#pragma once

#include <torch/custom_class.h>

#include <memory>
#include <string>
#include <utility>

#include "factorgcn/data/dataset.h"
#include "ops/registration.h"

namespace factorgcn::python {

class DataSet : public torch::CustomClassHolder {
 public:
  explicit DataSet(std::shared_ptr<const Dataset> data) : data_(std::move(data)) {}

  /// A built-in name, a file or a folder, as train/run_config.h's dataset; settings: JSON, as "data" there.
  static c10::intrusive_ptr<DataSet> open(const std::string& name, const std::string& settings);

  const std::shared_ptr<const Dataset>& data() const { return data_; }

  /// {"name", "task", "directed", "node_names", "output_names", "feature_names"} as JSON.
  std::string summary() const;
  /// int64 [2, E] by target, nodes counted through all graphs; added self loops are in it.
  at::Tensor edge_index() const;
  /// float [N, F], or int64 [N] node types.
  at::Tensor features() const;

 private:
  std::shared_ptr<const Dataset> data_;
};

}  // namespace factorgcn::python
