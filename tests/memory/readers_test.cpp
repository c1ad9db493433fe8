// Requests for memory refused to the readers; readers_slow_test.cpp refuses every one.
#include "memory/readers.h"

#include <gtest/gtest.h>

namespace factorgcn {
namespace {

TEST(Readers, EndInOrderWhereMemoryRunsOut) {
  for (const FuzzTarget& target : kFuzzTargets) {
    SCOPED_TRACE(target.name);
    for (const std::string& input : stored_inputs(target.name)) {
      const RefusedRequests counts = refuse_to_reader(target, input, 23);
      EXPECT_EQ(counts.tried, counts.done + counts.told + counts.ended);
    }
  }
}

}  // namespace
}  // namespace factorgcn
