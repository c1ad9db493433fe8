// One pass over the values that are there.
#include "factorgcn/data/feature_facts.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {

FeatureFacts feature_facts(const at::Tensor& features) {
  FeatureFacts facts;
  if (features.scalar_type() == at::kLong) {
    return facts;
  }
  facts.sparse = is_sparse(features);
  const at::Tensor values = facts.sparse ? sparse_rows(features).values : features;
  const auto* const value = values.data_ptr<float>();
  const std::int64_t count = values.numel();
  facts.bags = facts.sparse && std::all_of(value, value + count, [](float each) { return each >= 0; });
  // One-hot columns, shares and what is scaled already lie within these bounds; years, prices and counts do not.
  constexpr float kUsualSize = 5;
  facts.uneven = std::any_of(value, value + count, [](float each) { return std::abs(each) > kUsualSize; });
  return facts;
}

}  // namespace factorgcn
