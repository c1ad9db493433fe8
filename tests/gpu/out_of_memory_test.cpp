// describe_out_of_memory on the texts of old and new versions of libtorch.
#include "factorgcn/gpu/out_of_memory.h"

#include <gtest/gtest.h>

namespace factorgcn {
namespace {

TEST(OutOfMemory, NamesWhatWasNeededAndWhatIsFree) {
  EXPECT_EQ(describe_out_of_memory("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of "
                                   "139.81 GiB of which 512.50 MiB is free. Including non-PyTorch memory, this process "
                                   "has 138.00 GiB memory in use. Of the allocated memory 137.00 GiB is allocated ..."),
            "out of memory on GPU 1: 2.00 GiB more were needed, 512.50 MiB of 139.81 GiB are free; take a smaller "
            "--batch-size or --device cpu");
  EXPECT_EQ(describe_out_of_memory("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.80 GiB total capacity; "
                                   "6.90 GiB already allocated; 13.31 MiB free; 6.95 GiB reserved in total by PyTorch)",
                                   "take a smaller graph"),
            "out of memory on GPU 0: 20.00 MiB more were needed, 13.31 MiB of 7.80 GiB are free; take a smaller graph");
}

TEST(OutOfMemory, LeavesOutWhatTheTextDoesNotName) {
  EXPECT_EQ(describe_out_of_memory("CUDA error: out of memory"),
            "out of memory on the GPU; take a smaller --batch-size or --device cpu");
}

}  // namespace
}  // namespace factorgcn
