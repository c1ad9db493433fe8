// Part after part: its rows, their in-edges in the graph's order, and the halo that these name.
#include "factorgcn/partition/cut.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/folder_entries.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/feature_facts.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

template <class T>
at::Tensor list_tensor(const std::vector<T>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())},
                                at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value));
  std::copy(values.begin(), values.end(), tensor.template data_ptr<T>());
  return tensor;
}

at::Tensor node_roles(const Dataset& dataset) {
  at::Tensor roles = at::zeros({dataset.graphs.num_nodes()}, at::kByte);
  auto* const role = roles.data_ptr<std::uint8_t>();
  const auto give = [&](const std::vector<std::int64_t>& nodes, NodeRole value) {
    for (const std::int64_t node : nodes) {
      role[node] = static_cast<std::uint8_t>(value);
    }
  };
  give(dataset.split.train, NodeRole::kTrain);
  give(dataset.split.validation, NodeRole::kValidation);
  give(dataset.split.test, NodeRole::kTest);
  return roles;
}

class Cutter {
 public:
  Cutter(const Dataset& dataset, const std::vector<std::int32_t>& part_of, std::int64_t parts)
      : dataset_(dataset),
        part_of_(part_of),
        rows_(static_cast<std::size_t>(parts)),
        place_(part_of.size()),
        first_edge_(part_of.size() + 1, 0),
        roles_(node_roles(dataset)) {
    const auto* const degree = dataset.graphs.in_degrees.data_ptr<std::int32_t>();
    for (std::size_t node = 0; node < part_of.size(); ++node) {
      auto& own = rows_[static_cast<std::size_t>(part_of[node])];
      place_[node] = static_cast<std::int32_t>(own.size());
      own.push_back(static_cast<std::int64_t>(node));
      first_edge_[node + 1] = first_edge_[node] + degree[node];
    }
    require(dataset.graphs.num_edges() == first_edge_.back(), "data set ", dataset.name, ": in-degrees do not fit");
  }

  GraphPart cut(std::int64_t part) {
    const std::vector<std::int64_t>& rows = rows_[static_cast<std::size_t>(part)];
    GraphPart result;
    result.rows = list_tensor(rows);
    const std::vector<std::int64_t> halo = halo_of(part, rows);
    result.halo = list_tensor(halo);
    result.halo_counts = at::zeros({static_cast<std::int64_t>(rows_.size())}, at::kLong);
    std::vector<std::int32_t> former;  // places in their own parts, which halo nodes have back afterwards
    for (std::size_t index = 0; index < halo.size(); ++index) {
      const auto node = static_cast<std::size_t>(halo[index]);
      ++result.halo_counts.data_ptr<std::int64_t>()[part_of_[node]];
      former.push_back(place_[node]);
      place_[node] = static_cast<std::int32_t>(rows.size() + index);
    }
    copy_edges(rows, result);
    for (std::size_t index = 0; index < halo.size(); ++index) {
      place_[static_cast<std::size_t>(halo[index])] = former[index];
    }
    result.targets = at::index_select(dataset_.targets, 0, result.rows);
    result.roles = at::index_select(roles_, 0, result.rows);
    const std::vector<std::int64_t> one_each(rows.size(), 1);
    const at::Tensor& features = dataset_.graphs.features;
    result.features = is_sparse(features) ? gathered_rows(features, rows, one_each)
                                          : at::index_select(features, 0, result.rows);
    return result;
  }

 private:
  /// Sources that other parts own, by owner and number.
  std::vector<std::int64_t> halo_of(std::int64_t part, const std::vector<std::int64_t>& rows) const {
    const auto* const source = dataset_.graphs.in_sources.data_ptr<std::int32_t>();
    std::vector<std::int64_t> halo;
    for (const std::int64_t row : rows) {
      const auto node = static_cast<std::size_t>(row);
      for (std::int64_t edge = first_edge_[node]; edge < first_edge_[node + 1]; ++edge) {
        if (part_of_[static_cast<std::size_t>(source[edge])] != part) {
          halo.push_back(source[edge]);
        }
      }
    }
    std::sort(halo.begin(), halo.end());
    halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
    std::stable_sort(halo.begin(), halo.end(), [&](std::int64_t left, std::int64_t right) {
      return part_of_[static_cast<std::size_t>(left)] < part_of_[static_cast<std::size_t>(right)];
    });
    return halo;
  }

  void copy_edges(const std::vector<std::int64_t>& rows, GraphPart& result) const {
    const auto* const source = dataset_.graphs.in_sources.data_ptr<std::int32_t>();
    const at::Tensor& weights = dataset_.graphs.edge_weights;
    result.in_offsets = at::zeros({static_cast<std::int64_t>(rows.size()) + 1}, at::kLong);
    auto* const offsets = result.in_offsets.data_ptr<std::int64_t>();
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto node = static_cast<std::size_t>(rows[row]);
      offsets[row + 1] = offsets[row] + first_edge_[node + 1] - first_edge_[node];
    }
    result.in_sources = at::empty({offsets[rows.size()]}, at::kInt);
    auto* to = result.in_sources.data_ptr<std::int32_t>();
    if (weights.defined()) {
      result.edge_weights = at::empty({offsets[rows.size()]}, at::kFloat);
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto node = static_cast<std::size_t>(rows[row]);
      for (std::int64_t edge = first_edge_[node]; edge < first_edge_[node + 1]; ++edge) {
        *to++ = place_[static_cast<std::size_t>(source[edge])];
      }
      if (weights.defined()) {
        std::copy_n(weights.data_ptr<float>() + first_edge_[node], first_edge_[node + 1] - first_edge_[node],
                    result.edge_weights.data_ptr<float>() + offsets[row]);
      }
    }
  }

  const Dataset& dataset_;
  const std::vector<std::int32_t>& part_of_;
  std::vector<std::vector<std::int64_t>> rows_;  ///< of each part
  std::vector<std::int32_t> place_;              ///< of each node in its part
  std::vector<std::int64_t> first_edge_;         ///< of each node's in-edges
  at::Tensor roles_;
};

}  // namespace

void check_can_be_cut(const Dataset& dataset) {
  require_usage(dataset.graphs.num_graphs() == 1, "data set ", dataset.name, " has ", dataset.graphs.num_graphs(),
                " graphs; one graph is cut into parts, many graphs are trained on together with --shards");
  require_usage(dataset.task == Task::kNodeClass && dataset.node_split, "data set ", dataset.name,
                ": its task is ", task_name(dataset.task),
                "; a graph in parts is trained on classes of its nodes, so import it with a column of labels");
}

void prepare_parts_folder(const fs::path& folder, bool force) {
  std::error_code error;
  require_usage(!fs::exists(folder) || fs::is_directory(folder), "--out ", folder.string(),
                " is a file; choose another name");
  fs::create_directories(folder, error);
  require(!error, "cannot make folder ", folder.string(), ": ", error.message());
  const auto is_own = [](const fs::path& file) {
    const std::string name = file.filename().string();
    return name == "parts.json" || (name.starts_with("part-") && name.ends_with(".safetensors")) ||
           (name.starts_with(".factorgcn-") && name.ends_with(".tmp"));
  };
  const std::vector<fs::path> former = folder_entries(folder);
  for (const fs::path& path : former) {
    require_usage(force && is_own(path), "--out ", folder.string(),
                  force ? concat(" holds ", path.filename().string(), ", which is no part of a graph")
                        : std::string(" is not empty"),
                  "; choose another name", force ? "" : ", or give --force to replace former parts");
  }
  fs::remove(folder / "parts.json");
  for (const fs::path& file : former) {
    if (fs::is_directory(file)) {  // what a cut that was killed has left
      for (const fs::path& path : folder_entries(file)) {
        fs::remove(path);
      }
    }
    fs::remove(file);
  }
}

PartsManifest cut_dataset(const Dataset& dataset, const PartAssignment& assignment, std::int64_t parts,
                          const fs::path& folder, const std::function<void(std::int64_t)>& progress) {
  check_can_be_cut(dataset);
  require(static_cast<std::int64_t>(assignment.part_of.size()) == dataset.graphs.num_nodes(), "there are ",
          assignment.part_of.size(), " assigned nodes; the graph has ", dataset.graphs.num_nodes());
  PartsManifest manifest;
  manifest.name = dataset.name;
  manifest.task = dataset.task;
  manifest.nodes = dataset.graphs.num_nodes();
  manifest.edges = dataset.graphs.num_edges();
  manifest.outputs = dataset.num_outputs;
  manifest.node_types = dataset.num_node_types;
  const at::Tensor& features = dataset.graphs.features;
  manifest.feature_columns = dataset.num_node_types > 0 ? 0 : features.size(1);
  manifest.sparse_features = is_sparse(features);
  manifest.edge_weights = dataset.graphs.edge_weights.defined();
  const FeatureFacts facts = feature_facts(features);
  manifest.bags = facts.bags;
  manifest.uneven = facts.uneven;
  manifest.added_self_loops = dataset.added_self_loops;
  manifest.feature_names = dataset.feature_names;
  manifest.output_names = dataset.output_names;
  manifest.method = assignment.method;
  Cutter cutter(dataset, assignment.part_of, parts);
  for (std::int64_t part = 0; part < parts; ++part) {
    manifest.parts.push_back(write_part(folder, part, cutter.cut(part)));
    if (progress) {
      progress(part + 1);
    }
  }
  write_manifest(folder, manifest);
  return manifest;
}

}  // namespace factorgcn
