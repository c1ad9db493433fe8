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
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();
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
  cudaEvent_t begin = nullptr, end = nullptr;
};

GpuTimer::GpuTimer() : state_(std::make_unique<State>()) {
  C10_CUDA_CHECK(cudaEventCreate(&state_->begin));
  C10_CUDA_CHECK(cudaEventCreate(&state_->end));
}

GpuTimer::~GpuTimer() {
  cudaEventDestroy(state_->begin);
  cudaEventDestroy(state_->end);
}

void GpuTimer::start() { C10_CUDA_CHECK(cudaEventRecord(state_->begin, c10::cuda::getCurrentCUDAStream())); }

double GpuTimer::stop() {
  C10_CUDA_CHECK(cudaEventRecord(state_->end, c10::cuda::getCurrentCUDAStream()));
  C10_CUDA_CHECK(cudaEventSynchronize(state_->end));
  float milliseconds = 0;
  C10_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, state_->begin, state_->end));
  return milliseconds;
}

}  // namespace factorgcn
