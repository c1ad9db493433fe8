// Cutting batches. Targets per node follow the graphs' node ranges.
#include "factorgcn/train/labelled_batch.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/graph_store.h"

namespace factorgcn {
namespace {

at::Tensor node_targets(const Dataset& dataset, std::span<const std::int64_t> graphs) {
  const std::int64_t* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  std::vector<at::Tensor> pieces;
  pieces.reserve(graphs.size());
  for (const std::int64_t graph : graphs) {
    pieces.push_back(dataset.targets.narrow(0, offsets[graph], offsets[graph + 1] - offsets[graph]));
  }
  return at::cat(pieces);
}

at::Tensor graph_targets(const Dataset& dataset, std::span<const std::int64_t> graphs) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(graphs.size())}, at::kLong);
  std::copy(graphs.begin(), graphs.end(), rows.data_ptr<std::int64_t>());
  return at::index_select(dataset.targets, 0, rows);
}

}  // namespace

LabelledBatch select_batch(const Dataset& dataset, std::span<const std::int64_t> graphs) {
  require(!graphs.empty(), "data set ", dataset.name, ": a batch of no graphs was asked for");
  return {select_graphs(dataset.graphs, graphs),
          is_node_task(dataset.task) ? node_targets(dataset, graphs) : graph_targets(dataset, graphs)};
}

std::vector<std::span<const std::int64_t>> cut_batches(std::span<const std::int64_t> graphs, std::int64_t batch_size) {
  require(batch_size >= 1, "batch size is ", batch_size, "; it must be at least 1");
  std::vector<std::span<const std::int64_t>> batches;
  const auto size = static_cast<std::size_t>(batch_size);
  for (std::size_t begin = 0; begin < graphs.size(); begin += size) {
    batches.push_back(graphs.subspan(begin, std::min(size, graphs.size() - begin)));
  }
  return batches;
}

}  // namespace factorgcn
