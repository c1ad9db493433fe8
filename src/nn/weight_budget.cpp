// One budget at a time per thread; the innermost counts.
#include "factorgcn/nn/weight_budget.h"

#include <algorithm>
#include <utility>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

thread_local WeightBudget* active_budget = nullptr;

}  // namespace

WeightBudget::WeightBudget(std::int64_t values, std::string reason)
    : outer_(active_budget), left_(values), reason_(std::move(reason)) {
  active_budget = this;
}

WeightBudget::~WeightBudget() { active_budget = outer_; }

void WeightBudget::charge(const std::int64_t* sizes, std::size_t dimensions) {
  if (active_budget == nullptr) {
    return;
  }
  std::int64_t values = 1;
  std::int64_t& left = active_budget->left_;
  for (std::size_t index = 0; index < dimensions; ++index) {
    require(sizes[index] <= 0 || values <= left / sizes[index], active_budget->reason_);
    values *= std::max<std::int64_t>(sizes[index], 0);
  }
  require(values <= left, active_budget->reason_);
  left -= values;
}

}  // namespace factorgcn
