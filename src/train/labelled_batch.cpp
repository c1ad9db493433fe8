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

/// The graphs' pieces of an array with one entry per node.
at::Tensor node_pieces(const Dataset& dataset, const at::Tensor& array, std::span<const std::int64_t> graphs) {
  const std::int64_t* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  std::vector<at::Tensor> pieces;
  pieces.reserve(graphs.size());
  for (const std::int64_t graph : graphs) {
    pieces.push_back(array.narrow(0, offsets[graph], offsets[graph + 1] - offsets[graph]));
  }
  return at::cat(pieces);
}

at::Tensor graph_targets(const Dataset& dataset, std::span<const std::int64_t> graphs) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(graphs.size())}, at::kLong);
  std::copy(graphs.begin(), graphs.end(), rows.data_ptr<std::int64_t>());
  return at::index_select(dataset.targets, 0, rows);
}

}  // namespace

at::Tensor LabelledBatch::counted(const at::Tensor& prediction) const {
  return rows.defined() ? at::index_select(prediction, 0, rows) : prediction;
}

LabelledBatch select_batch(const Dataset& dataset, std::span<const std::int64_t> graphs, const at::Tensor& counted) {
  require_usage(dataset.task != Task::kNone, "data set ", dataset.name,
                " has no labels to learn from; import it again with a label column");
  require(!graphs.empty(), "data set ", dataset.name, ": a batch of no graphs was asked for");
  LabelledBatch batch;
  batch.graphs = select_graphs(dataset.graphs, graphs);
  if (!is_node_task(dataset.task)) {
    batch.targets = graph_targets(dataset, graphs);
    return batch;
  }
  batch.targets = node_pieces(dataset, dataset.targets, graphs);
  if (counted.defined()) {
    batch.rows = node_pieces(dataset, counted, graphs).nonzero().flatten();
    batch.targets = at::index_select(batch.targets, 0, batch.rows);
  }
  return batch;
}

PartTargets part_targets(const Dataset& dataset, std::span<const std::int64_t> graphs, const at::Tensor& counted) {
  PartTargets part;
  if (!is_node_task(dataset.task)) {
    part.targets = graph_targets(dataset, graphs);
    part.graph_rows.assign(graphs.size(), 1);
    return part;
  }
  const auto* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  for (const std::int64_t graph : graphs) {
    part.graph_rows.push_back(counted.defined() ? std::count(counted.data_ptr<bool>() + offsets[graph],
                                                             counted.data_ptr<bool>() + offsets[graph + 1], true)
                                                : offsets[graph + 1] - offsets[graph]);
  }
  part.targets = node_pieces(dataset, dataset.targets, graphs);
  if (counted.defined()) {
    part.rows = node_pieces(dataset, counted, graphs).nonzero().flatten();
    part.targets = at::index_select(part.targets, 0, part.rows);
  }
  return part;
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
