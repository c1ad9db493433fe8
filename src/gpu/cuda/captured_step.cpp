// Recording and replaying through libtorch's CUDA graphs, which keep the recorded work's memory for themselves.
#include "factorgcn/gpu/captured_step.h"

#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

namespace factorgcn {

struct CapturedStep::State {
  /// Its kernels, which the step is as long as, come before those of streams beside it wherever both could begin.
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool(/*isHighPriority=*/true);
  at::cuda::CUDAGraph graph{/*keep_graph=*/true};
  std::size_t size = 0;
};

CapturedStep::CapturedStep(const std::function<void()>& step, int warm, const CapturedStep* beside)
    : state_(std::make_unique<State>()) {
  c10::cuda::device_synchronize();
  {
    const c10::cuda::CUDAStreamGuard guard(state_->stream);
    for (int i = 0; i < std::max(warm, 1); ++i) {
      step();
    }
    c10::cuda::device_synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
    if (beside != nullptr) {
      state_->graph.capture_begin(beside->state_->graph.pool());
    } else {
      state_->graph.capture_begin();
    }
    step();
    state_->graph.capture_end();
    C10_CUDA_CHECK(cudaGraphGetNodes(state_->graph.raw_cuda_graph(), nullptr, &state_->size));
    state_->graph.instantiate();
  }
  c10::cuda::device_synchronize();
}

CapturedStep::~CapturedStep() = default;

void CapturedStep::replay() { state_->graph.replay(); }

std::size_t CapturedStep::size() const { return state_->size; }

struct GpuTimer::State {
  std::vector<cudaEvent_t> marks;

  void forget() {
    for (const cudaEvent_t mark : marks) {
      cudaEventDestroy(mark);
    }
    marks.clear();
  }
};

GpuTimer::GpuTimer() : state_(std::make_unique<State>()) {}

GpuTimer::~GpuTimer() { state_->forget(); }

void GpuTimer::mark() {
  cudaEvent_t mark = nullptr;
  C10_CUDA_CHECK(cudaEventCreate(&mark));
  state_->marks.push_back(mark);
  C10_CUDA_CHECK(cudaEventRecord(mark, c10::cuda::getCurrentCUDAStream()));
}

std::vector<double> GpuTimer::intervals() {
  std::vector<double> times;
  if (!state_->marks.empty()) {
    C10_CUDA_CHECK(cudaEventSynchronize(state_->marks.back()));
  }
  for (std::size_t i = 1; i < state_->marks.size(); ++i) {
    float milliseconds = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, state_->marks[i - 1], state_->marks[i]));
    times.push_back(milliseconds);
  }
  state_->forget();
  return times;
}

}  // namespace factorgcn
