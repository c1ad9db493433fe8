// A batch straight from graphs: for examples, predictions and tests. Training cuts its batches from a GraphStore.
#include "factorgcn/graph/graph_batch.h"

#include <numeric>
#include <vector>

#include "factorgcn/graph/graph_store.h"

namespace factorgcn {

GraphBatch make_batch(std::span<const Graph> graphs) {
  const GraphStore store = make_store(graphs);
  std::vector<std::int64_t> all(graphs.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return select_graphs(store, all);
}

}  // namespace factorgcn
