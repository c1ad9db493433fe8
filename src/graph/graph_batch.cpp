// A batch straight from graphs: for examples, predictions and tests. Training cuts its batches from a GraphStore.
#include "factorgcn/graph/graph_batch.h"

#include <numeric>
#include <vector>

#include "factorgcn/graph/graph_store.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {

GraphBatch make_batch(std::span<const Graph> graphs) {
  const GraphStore store = make_store(graphs);
  std::vector<std::int64_t> all(graphs.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return select_graphs(store, all);
}

GraphBatch move_batch(const GraphBatch& batch, at::Device device) {
  const auto moved = [&](const at::Tensor& tensor) { return tensor.defined() ? tensor.to(device) : tensor; };
  GraphBatch result;
  result.edges = {moved(batch.edges.in_offsets), moved(batch.edges.in_sources), moved(batch.edges.out_offsets),
                  moved(batch.edges.out_targets), moved(batch.edges.in_to_out)};
  result.graph_offsets = moved(batch.graph_offsets);
  result.features = moved(device.is_cpu() ? batch.features : dense_features(batch.features));
  result.counts = moved(batch.counts);
  result.edge_types = moved(batch.edge_types);
  result.edge_weights = moved(batch.edge_weights);
  return result;
}

}  // namespace factorgcn
