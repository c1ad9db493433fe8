// Every request for memory refused to every reader, on each of its stored inputs.
#include <gtest/gtest.h>

#include <iostream>

#include "memory/readers.h"

namespace factorgcn {
namespace {

class ReadersSlow : public ::testing::TestWithParam<FuzzTarget> {};

TEST_P(ReadersSlow, EndInOrderWhereverMemoryRunsOut) {
  RefusedRequests all;
  for (const std::string& input : stored_inputs(GetParam().name)) {
    all += refuse_to_reader(GetParam(), input, 1);
  }
  EXPECT_GT(all.told, 0);
  std::cout << GetParam().name << ": " << all.tried << " requests refused, " << all.told << " told by an exception, "
            << all.done << " done without, " << all.ended << " met in a destructor" << std::endl;
}

INSTANTIATE_TEST_SUITE_P(Targets, ReadersSlow, ::testing::ValuesIn(kFuzzTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace factorgcn
