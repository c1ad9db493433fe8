// Every request for memory refused to every reader, on each of its stored inputs.
#include <gtest/gtest.h>

#include <iostream>

#include "memory/readers.h"

namespace factorgcn {
namespace {

TEST(ReadersSlow, EndInOrderWhereverMemoryRunsOut) {
  RefusedRequests all;
  for (const FuzzTarget& target : kFuzzTargets) {
    if (writes_too(target.name)) {
      continue;
    }
    SCOPED_TRACE(target.name);
    RefusedRequests own;
    for (const std::string& input : stored_inputs(target.name)) {
      own += refuse_to_reader(target, input, 1);
    }
    EXPECT_GT(own.told, 0);
    std::cout << target.name << ": " << own.tried << " requests refused, " << own.told << " told by an exception, "
              << own.done << " done without, " << own.ended << " met in a destructor" << std::endl;
    all += own;
  }
  std::cout << "in all: " << all.tried << " refused, " << all.told << " told, " << all.done << " done, " << all.ended
            << " in a destructor" << std::endl;
}

}  // namespace
}  // namespace factorgcn
