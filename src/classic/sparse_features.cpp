// Cutting sparse rows. Cost: one copy.
#include "factorgcn/classic/sparse_features.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

SparseFeatures first_columns(const SparseFeatures& features, std::int64_t limit) {
  SparseFeatures result;
  for (std::size_t graph = 0; graph + 1 < features.offsets.size(); ++graph) {
    for (auto at = static_cast<std::size_t>(features.offsets[graph]);
         at < static_cast<std::size_t>(features.offsets[graph + 1]) && features.columns[at] < limit; ++at) {
      result.add(features.columns[at], features.values[at]);
    }
    result.end_graph();
  }
  return result;
}

SparseFeatures join_columns(const SparseFeatures& left, std::int64_t left_columns, const SparseFeatures& right) {
  require(left.num_graphs() == right.num_graphs(), "features of ", left.num_graphs(), " and of ", right.num_graphs(),
          " graphs cannot be joined");
  SparseFeatures result;
  for (std::size_t graph = 0; graph + 1 < left.offsets.size(); ++graph) {
    for (auto at = static_cast<std::size_t>(left.offsets[graph]);
         at < static_cast<std::size_t>(left.offsets[graph + 1]); ++at) {
      require(left.columns[at] < left_columns, "column ", left.columns[at], " is not below ", left_columns);
      result.add(left.columns[at], left.values[at]);
    }
    for (auto at = static_cast<std::size_t>(right.offsets[graph]);
         at < static_cast<std::size_t>(right.offsets[graph + 1]); ++at) {
      result.add(left_columns + right.columns[at], right.values[at]);
    }
    result.end_graph();
  }
  return result;
}

}  // namespace factorgcn
