// Every third request for memory of a training run of two epochs refused.
#include <gtest/gtest.h>

#include <iostream>

#include "memory/training.h"

namespace factorgcn {
namespace {

TEST(TrainingSlow, LosesNothingWhereverMemoryRunsOut) {
  const RefusedRequests counts = SmallTraining().refuse(3);
  EXPECT_GT(counts.told, 100);
  std::cout << "training: " << counts.tried << " of " << counts.requests << " requests refused, " << counts.told
            << " told by an exception, " << counts.done << " done without, " << counts.ended << " met in a destructor"
            << std::endl;
}

}  // namespace
}  // namespace factorgcn
