// Cross entropy of one factor graph's scores against its own number; shared by the operations that need it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace factorgcn::cpu {

/// The loss of one row of `factors` scores; its gradient, times `share`, goes to `gradient`.
template <class T>
double label_loss(const T* logits, std::int64_t factors, std::int64_t label, T share, T* gradient) {
  const T largest = *std::max_element(logits, logits + factors);
  T total = 0;
  for (std::int64_t c = 0; c < factors; ++c) {
    gradient[c] = std::exp(logits[c] - largest);
    total += gradient[c];
  }
  const T scale = share / total;
  for (std::int64_t c = 0; c < factors; ++c) {
    gradient[c] *= scale;
  }
  gradient[label] -= share;
  return static_cast<double>(std::log(total)) + largest - logits[label];
}

}  // namespace factorgcn::cpu
