// Batch by batch, then put together.
#include "factorgcn/train/factor_values.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>

#include <numeric>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/weights.h"
#include "train/edge_batches.h"
#include "train/edge_pairs.h"

namespace factorgcn {
namespace {

/// Sources above targets of a batch's edges, by target; `first`: the number of its first node.
at::Tensor ends_of_edges(const Adjacency& edges, std::int64_t first) {
  const at::Tensor targets = at::arange(edges.num_nodes(), at::kLong);
  return at::stack({edges.in_sources.to(at::kLong), targets.repeat_interleave(edges.in_offsets.diff(), 0)}) + first;
}

/// Which edges are the user's, bool [E].
at::Tensor users_edges(const Dataset& dataset, const at::Tensor& ends) {
  const at::Tensor loops = ends[0].eq(ends[1]);
  switch (self_loops_of(dataset)) {
    case SelfLoops::kGiven:
      return at::ones_like(loops);
    case SelfLoops::kMarked:
      return loops.logical_not().logical_or(dataset.given_edges);
    case SelfLoops::kAdded:
      break;
  }
  return loops.logical_not();
}

}  // namespace

FactorValues factor_values(const LoadedRun& run, int layer) {
  const int layers = run.model->num_factor_layers();
  require_usage(layers > 0, "model ", run.config.model, " has no factor graphs");
  require_usage(layer >= 1 && layer <= layers, "there is no layer ", layer, ": the model has ", layers,
                " with factor graphs, counted from 1");
  const Dataset& dataset = *run.data;
  std::vector<std::int64_t> graphs(static_cast<std::size_t>(dataset.graphs.num_graphs()));
  std::iota(graphs.begin(), graphs.end(), std::int64_t{0});
  const EvaluationMode mode(*run.model);
  const at::Device device = device_of(*run.model);
  std::vector<at::Tensor> ends, values;
  std::int64_t first = 0;
  for (const auto batch_graphs : batches_of_edges(dataset, graphs, run.config.batch_size)) {
    const GraphBatch batch = select_graphs(dataset.graphs, batch_graphs);
    ends.push_back(ends_of_edges(batch.edges, first));
    values.push_back(run.model->factor_coefficients(move_batch(batch, device), layer - 1).to(at::kCPU, at::kFloat));
    first += batch.num_nodes();
  }
  const at::Tensor all = at::cat(ends, 1);
  const at::Tensor kept = users_edges(dataset, all).nonzero().squeeze(1);
  return {all.index_select(1, kept), at::cat(values).index_select(0, kept)};
}

}  // namespace factorgcn
