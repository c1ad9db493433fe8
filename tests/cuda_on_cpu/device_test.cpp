// The stand-in for a GPU itself: that kernels run as they would there, and that it sees what it is there to see.
#include "cuda_on_cpu/device.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/cuda/launch.cuh"
#include "ops/cuda/instructions.cuh"

namespace factorgcn::cuda {
namespace {

/// The error of launching `kernel` on one block, or "".
template <class... P, class... A>
std::string error_of(void (*kernel)(P...), dim3 block, std::size_t shared, A... arguments) {
  try {
    launch(kernel, 2, block, shared, nullptr, arguments...);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

class Device : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { cuda_on_cpu::set_order(static_cast<std::uint64_t>(GetParam())); }
  void TearDown() override { cuda_on_cpu::set_order(0); }
};
INSTANTIATE_TEST_SUITE_P(Orders, Device, ::testing::Values(0, 1, 2));

void note_places(int* places) {
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x, thread = threadIdx.y * blockDim.x + threadIdx.x;
  places[block * blockDim.x * blockDim.y + thread] += 1 + int(block * 1000 + thread);
}

TEST_P(Device, RunsEveryThreadOfEveryBlockOnce) {
  std::vector<int> places(6 * 80);
  launch(note_places, dim3(3, 2), dim3(40, 2), 0, nullptr, places.data());
  for (int i = 0; i < 6 * 80; ++i) {
    ASSERT_EQ(places[i], 1 + i / 80 * 1000 + i % 80) << i;
  }
}

void sum_block(const int* values, int* sums) {
  int* shared = dynamic_shared<int>();
  shared[threadIdx.x] = values[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      shared[threadIdx.x] += shared[threadIdx.x + step];
    }
    __syncthreads();
  }
  const int odd = __syncthreads_count(values[blockIdx.x * blockDim.x + threadIdx.x] % 2 != 0);
  if (threadIdx.x == 0) {
    sums[2 * blockIdx.x] = shared[0];
    sums[2 * blockIdx.x + 1] = odd;
  }
}

TEST_P(Device, BarriersLetABlockShareItsMemory) {
  std::vector<int> values(4 * 128), sums(8);
  for (int i = 0; i < 4 * 128; ++i) {
    values[i] = i * i % 101;
  }
  launch(sum_block, 4, 128, 128 * sizeof(int), nullptr, values.data(), sums.data());
  for (int block = 0; block < 4; ++block) {
    int sum = 0, odd = 0;
    for (int i = 0; i < 128; ++i) {
      sum += values[block * 128 + i];
      odd += values[block * 128 + i] % 2;
    }
    EXPECT_EQ(sums[2 * block], sum);
    EXPECT_EQ(sums[2 * block + 1], odd);
  }
}

void shuffle_lanes(int* results) {
  const int mine = int(threadIdx.x) * 10;
  int* to = results + threadIdx.x * 3;
  to[0] = __shfl_xor_sync(~0u, mine, 5);
  to[1] = __shfl_down_sync(~0u, mine, 3);
  to[2] = __shfl_up_sync(~0u, mine, 4);
}

TEST_P(Device, ShufflesStayWithinAWarp) {
  std::vector<int> results(64 * 3);
  launch(shuffle_lanes, 1, 64, 0, nullptr, results.data());
  for (int i = 0; i < 64; ++i) {
    const int lane = i % 32;
    EXPECT_EQ(results[i * 3], (i ^ 5) * 10);
    EXPECT_EQ(results[i * 3 + 1], (lane + 3 < 32 ? i + 3 : i) * 10);
    EXPECT_EQ(results[i * 3 + 2], (lane >= 4 ? i - 4 : i) * 10);
  }
}

void read_unwritten(unsigned* seen) {
  seen[blockIdx.x] = dynamic_shared<unsigned>()[0];
  dynamic_shared<unsigned>()[0] = 7;
}

TEST_P(Device, SharedMemoryIsPoisonedForEachBlock) {
  std::vector<unsigned> seen(3);
  launch(read_unwritten, 3, 1, sizeof(unsigned), nullptr, seen.data());
  EXPECT_EQ(seen, std::vector<unsigned>(3, 0xffffffffu));
}

void miss_barrier() {
  if (threadIdx.x < 40) {
    __syncthreads();
  }
}
void split_barrier() {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
void miss_shuffle(int* result) {
  if (threadIdx.x != 9) {
    *result = __shfl_down_sync(~0u, 1, 1);
  }
}

TEST_P(Device, SeesBarriersAndShufflesThatSomeThreadsMiss) {
  int result = 0;
  EXPECT_NE(error_of(miss_barrier, 64, 0).find("have ended or wait elsewhere"), std::string::npos);
  EXPECT_NE(error_of(split_barrier, 64, 0).find("device_test.cpp"), std::string::npos);
  EXPECT_NE(error_of(miss_shuffle, 32, 0, &result).find("have ended or wait elsewhere"), std::string::npos);
  // A block of fewer threads than a warp has no whole warp to shuffle.
  EXPECT_NE(error_of(shuffle_lanes, 16, 0, &result).find("have ended or wait elsewhere"), std::string::npos);
  std::vector<int> places(80);
  launch(note_places, 1, 80, 0, nullptr, places.data());
  EXPECT_EQ(places[79], 80) << "after a failure";
}

/// The error of launching `kernel` in two clusters of four blocks, or "".
std::string cluster_error_of(void (*kernel)(int*)) {
  std::vector<int> result(8);
  try {
    launch_clusters(kernel, 8, 4, 48, sizeof(int), nullptr, result.data());
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

/// Each block tells the others of its cluster a number; each notes all it was told.
void tell_cluster(int* told) {
  int* mine = dynamic_shared<int>();
  const unsigned cluster = 3, first = blockIdx.x / cluster * cluster;
  if (threadIdx.x == 7) {
    *mine = int(blockIdx.y * 100 + blockIdx.x);
  }
  arrive_at_cluster();
  wait_for_cluster();
  if (threadIdx.x < cluster) {
    told[((blockIdx.y * gridDim.x + blockIdx.x) * cluster + threadIdx.x)] = *shared_of_block(mine, threadIdx.x);
  }
  arrive_at_cluster();
  __syncthreads();
  if (threadIdx.x == 40 && blockIdx.x - first == 2) {
    told[(blockIdx.y * gridDim.x + blockIdx.x) * cluster] += 1000;
  }
  wait_for_cluster();
}

TEST_P(Device, BlocksOfAClusterReadEachOthersMemory) {
  std::vector<int> told(2 * 6 * 3);
  launch_clusters(tell_cluster, dim3(6, 2), 3, 48, sizeof(int), nullptr, told.data());
  for (int i = 0; i < 2 * 6 * 3; ++i) {
    const int teller = i % 3, block = i / 3 % 6, row = i / 18;
    EXPECT_EQ(told[i], row * 100 + block / 3 * 3 + teller + (block % 3 == 2 && teller == 0 ? 1000 : 0)) << i;
  }
}

/// Nobody waits before others read and before blocks end: some read what is not there yet or no more.
void read_too_early(int* result) {
  int* mine = dynamic_shared<int>();
  *mine = 1;
  __syncthreads();
  result[blockIdx.x] = *shared_of_block(mine, (blockIdx.x + 1) % 4);
}

TEST_P(Device, ReadingAnotherBlockWithoutABarrierIsSeen) {
  std::vector<int> result(4);
  launch_clusters(read_too_early, 4, 4, 48, sizeof(int), nullptr, result.data());
  EXPECT_NE(result, std::vector<int>(4, 1));
}

void miss_cluster(int*) {
  if (blockIdx.x % 4 != 2) {
    arrive_at_cluster();
    wait_for_cluster();
  }
}
void miss_cluster_in_some_threads(int*) {
  if (blockIdx.x % 4 != 2 || threadIdx.x < 40) {
    arrive_at_cluster();
    wait_for_cluster();
  }
}
void wait_without_arriving(int*) {
  if (blockIdx.x != 6 || threadIdx.x != 5) {
    arrive_at_cluster();
  }
  wait_for_cluster();
}
void end_without_waiting(int*) { arrive_at_cluster(); }
void wait_elsewhere(int*) {
  arrive_at_cluster();
  if (blockIdx.x % 2 == 0) {
    wait_for_cluster();
  } else {
    wait_for_cluster();
  }
}

TEST_P(Device, SeesClusterBarriersThatSomeThreadsMiss) {
  EXPECT_NE(cluster_error_of(miss_cluster).find("have ended or wait elsewhere"), std::string::npos);
  EXPECT_NE(cluster_error_of(miss_cluster_in_some_threads).find("have ended or wait elsewhere"), std::string::npos);
  EXPECT_NE(cluster_error_of(wait_without_arriving).find("thread 5 of the cluster's block 2 arrived 0 times before"),
            std::string::npos);
  EXPECT_NE(cluster_error_of(end_without_waiting).find("arrived 1 times before it ended"), std::string::npos);
  EXPECT_NE(cluster_error_of(wait_elsewhere).find(", thread 0 of the cluster's block 1 at "), std::string::npos);
  EXPECT_EQ(cluster_error_of([](int*) { arrive_at_cluster(), wait_for_cluster(); }), "") << "after failures";
}

void do_nothing() {}

TEST(DeviceLimits, RefusesWhatAGpuRefuses) {
  EXPECT_NE(error_of(do_nothing, 1025, 0), "");
  EXPECT_NE(error_of(do_nothing, 0, 0), "");
  EXPECT_NE(error_of(do_nothing, 32, 50 * 1024).find("cudaFuncSetAttribute"), std::string::npos);
  cudaFuncSetAttribute(do_nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 50 * 1024);
  EXPECT_EQ(error_of(do_nothing, 32, 50 * 1024), "");
  cudaFuncSetAttribute(do_nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 * 1024);
  EXPECT_NE(error_of(do_nothing, 32, 300 * 1024), "");
  EXPECT_THROW(launch_clusters(do_nothing, 6, 4, 32, 0, nullptr), std::logic_error);
  EXPECT_THROW(launch_clusters(do_nothing, 32, 32, 32, 0, nullptr), std::logic_error);
}

void last_block_wins(int* winner) { *winner = int(blockIdx.x); }
void last_thread_wins(int* winner) { *winner = int(threadIdx.x); }

TEST(DeviceOrder, DependsOnTheSeedAlone) {
  const auto winners = [](std::uint64_t seed) {
    cuda_on_cpu::set_order(seed);
    std::vector<int> found(2);
    launch(last_block_wins, 100, 1, 0, nullptr, &found[0]);
    launch(last_thread_wins, 1, 100, 0, nullptr, &found[1]);
    cuda_on_cpu::set_order(0);
    return found;
  };
  EXPECT_EQ(winners(0), (std::vector<int>{99, 99}));
  EXPECT_EQ(winners(1), winners(1));
  EXPECT_NE(winners(1), winners(2));
}

}  // namespace
}  // namespace factorgcn::cuda
