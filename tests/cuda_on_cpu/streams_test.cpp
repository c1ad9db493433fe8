// The stand-in's streams and their memory: that they run as asked, and that they show what they are there to show.
#include "cuda_on_cpu/streams.h"

#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda_on_cpu/device_arrays.h"
#include "cuda_on_cpu/stream_memory.h"
#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda_on_cpu {
namespace {

void add_to(int* sum, int value) { *sum += value; }

class Streams : public ::testing::Test {
 protected:
  void TearDown() override { set_pace(Pace::kAtOnce); }

  std::function<void()> note(int number) {
    return [this, number] { order_.push_back(number); };
  }

  Stream* const a_ = new_stream();
  Stream* const b_ = new_stream();
  Event* const mark_ = new_event();
  std::vector<int> order_;
};

TEST_F(Streams, LateOnesDoNoMoreThanIsWaitedFor) {
  set_pace(Pace::kLate);
  submit(a_, note(1));
  record(mark_, a_);
  submit(a_, note(2));
  submit(nullptr, note(3));
  EXPECT_EQ(order_, (std::vector{3}));
  wait(nullptr, mark_);
  EXPECT_EQ(order_, (std::vector{3, 1}));
  EXPECT_EQ(steps_left(), 1);
  finish_streams();
  EXPECT_EQ(order_, (std::vector{3, 1, 2}));
}

TEST_F(Streams, AWaitIsForWhatTheEventStoodForThen) {
  set_pace(Pace::kLate);
  Event* const other = new_event();
  wait(nullptr, other);  // never recorded
  submit(a_, note(1));
  record(mark_, a_);
  submit(b_, note(2));
  wait(b_, mark_);
  submit(b_, note(3));
  record(other, b_);
  submit(a_, note(4));
  record(mark_, a_);
  wait(nullptr, other);
  EXPECT_EQ(order_, (std::vector{2, 1, 3}));
  wait(nullptr, mark_);
  EXPECT_EQ(order_, (std::vector{2, 1, 3, 4}));
}

TEST_F(Streams, OnesAheadWaitForTheCallerWhereTheyAreTold) {
  set_pace(Pace::kAhead);
  submit(nullptr, note(1));
  submit(a_, note(2));
  EXPECT_EQ(order_, (std::vector{2}));
  record(mark_, nullptr);
  submit(nullptr, note(3));
  wait(a_, mark_);
  submit(a_, note(4));
  EXPECT_EQ(order_, (std::vector{2, 1, 4}));
  catch_up();
  EXPECT_EQ(order_, (std::vector{2, 1, 4, 3}));
}

TEST_F(Streams, TheCallerCatchesUpBeforeLibtorchTouchesValues) {
  const WithStreams with_streams(Pace::kAhead);
  const at::Tensor tensor = at::empty({1}, at::kLong);
  submit(nullptr, [to = tensor.data_ptr<std::int64_t>()] { *to = 7; });
  const at::Tensor view = tensor.narrow(0, 0, 1).detach(), other = at::empty({3}, at::kLong);
  EXPECT_EQ(steps_left(), 1);
  EXPECT_EQ(view.item<std::int64_t>(), 7);
  EXPECT_EQ(steps_left(), 0);
}

TEST_F(Streams, DrawnOnesKeepTheirOrderAndInterleave) {
  bool mixed = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    order_.clear();
    set_pace(Pace::kDrawn, seed);
    for (int i = 0; i < 4; ++i) {
      submit(a_, note(i));
      submit(b_, note(10 + i));
    }
    finish_streams();
    std::vector<int> of_a, of_b;
    for (const int number : order_) {
      (number < 10 ? of_a : of_b).push_back(number);
    }
    EXPECT_EQ(of_a, (std::vector{0, 1, 2, 3}));
    EXPECT_EQ(of_b, (std::vector{10, 11, 12, 13}));
    mixed = mixed || order_ != std::vector{0, 10, 1, 11, 2, 12, 3, 13};
  }
  EXPECT_TRUE(mixed);
}

TEST_F(Streams, LaunchesCopyTheirArguments) {
  set_pace(Pace::kLate);
  int sum = 0, value = 3;
  cuda::launch(add_to, 1, 1, 0, a_, &sum, value);
  value = 100;
  cudaMemsetAsync(&value, 0, sizeof value, a_);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(value, 100);
  finish_streams();
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(value, 0);
}

TEST_F(Streams, MemoryOfAStreamOutlivesWhatTheStreamWasAskedFor) {
  int seen = 0;
  {
    const WithStreams with_streams(Pace::kLate);
    const c10::cuda::CUDAStreamGuard guard{c10::cuda::CUDAStream(a_)};
    const at::Tensor tensor = testing::integers({7});
    const auto* const values = tensor.data_ptr<std::int64_t>();
    submit(a_, [&seen, values] { seen = static_cast<int>(*values); });
  }
  EXPECT_EQ(seen, 7);
}

TEST_F(Streams, MemoryOfAStreamMayBeReadUntilTheStreamUsesItAgain) {
  const WithStreams with_streams(Pace::kAhead);
  int seen = 0;
  {
    const c10::cuda::CUDAStreamGuard guard{c10::cuda::CUDAStream(a_)};
    const at::Tensor tensor = testing::integers({7});
    const auto* const values = tensor.data_ptr<std::int64_t>();
    submit(nullptr, [&seen, values] { seen = static_cast<int>(*values); });
  }
  record(mark_, nullptr);
  wait(a_, mark_);
  submit(a_, [] {});
  EXPECT_EQ(seen, 7);
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends the program instead
TEST_F(Streams, MemoryOfTheCallerIsGoneWithItsTensor) {
  const WithStreams with_streams(Pace::kLate);
  std::int64_t seen = 0;
  {
    const at::Tensor tensor = testing::integers({7});
    const auto* const values = tensor.data_ptr<std::int64_t>();
    submit(a_, [&seen, values] { seen = *values; });
  }
  finish_streams();
  EXPECT_EQ(seen, -1);
}

void write_too_late(Stream* stream) {
  const WithStreams with_streams(Pace::kLate);
  const at::Tensor tensor = testing::integers({7});
  auto* const values = tensor.data_ptr<std::int64_t>();
  submit(stream, [values] { *values = 8; });
}

TEST_F(Streams, WritingToMemoryThatIsGoneIsAFailure) {
  EXPECT_NONFATAL_FAILURE(write_too_late(new_stream()), "memory of 8 bytes was written after it had been given back");
}
#endif

}  // namespace
}  // namespace factorgcn::cuda_on_cpu
