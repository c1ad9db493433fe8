// Division by a product and a shift, against the processor's own.
#include "ops/cuda/divisor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace factorgcn::cuda {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

TEST(Divisor, DividesAroundEveryMultipleOfSmallNumbers) {
  for (int d = 1; d <= 600; ++d) {
    const Divisor by(d);
    for (int multiple = 0; multiple <= 4096; multiple += d) {
      for (const int n : {multiple - 1, multiple, multiple + 1}) {
        if (n >= 0) {
          ASSERT_EQ(by(n), n / d) << n << " / " << d;
        }
      }
    }
  }
}

TEST(Divisor, DividesTheLargestNumbersItIsFor) {
  for (int d = 1; d <= 100000; d = d < 600 ? d + 1 : d * 2 - 7) {
    const int most = kMost / d;  // n d < 2^31
    const Divisor by(d);
    for (int back = 0; back < 3 && back <= most; ++back) {
      ASSERT_EQ(by(most - back), (most - back) / d) << most - back << " / " << d;
    }
  }
}

RC_GTEST_PROP(Divisor, DividesAnyNumberItIsFor, ()) {
  const int d = *rc::gen::inRange(1, 1 << 20);
  const int n = *rc::gen::inRange(0, kMost / d);
  RC_ASSERT(Divisor(d)(n) == n / d);
}

}  // namespace
}  // namespace factorgcn::cuda
