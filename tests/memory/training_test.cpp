// Requests for memory refused to a training run; training_slow_test.cpp refuses many more.
#include "memory/training.h"

#include <gtest/gtest.h>

namespace factorgcn {
namespace {

TEST(Training, LosesNothingWhereMemoryRunsOut) {
  const RefusedRequests counts = SmallTraining().refuse(401);
  EXPECT_GT(counts.told, 5);
}

}  // namespace
}  // namespace factorgcn
