// A build without CUDA: there is no GPU, and whoever needs one is told what is missing.
#include "factorgcn/base/error.h"
#include "factorgcn/gpu/captured_step.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/gpu/host_feed.h"
#include "gpu/gpu_count.h"

namespace factorgcn {

struct CapturedStep::State {};
struct GpuTimer::State {};
struct HostFeed::State {};

int gpu_count() { return 0; }

std::string why_no_gpu() {
  return "this build has no GPU part; build with -DFACTORGCN_WITH_CUDA=ON, which needs nvcc and a libtorch with CUDA";
}

void use_device(at::Device device) {
  if (!device.is_cpu()) {
    fail(why_no_gpu());
  }
}

void synchronize(at::Device device) { use_device(device); }

GpuMemory gpu_memory(at::Device) { fail(why_no_gpu()); }
double gpu_peak_mib(at::Device) { fail(why_no_gpu()); }
void reset_gpu_peak(at::Device) { fail(why_no_gpu()); }

CapturedStep::CapturedStep(const std::function<void()>&, int, const CapturedStep*) { fail(why_no_gpu()); }
CapturedStep::~CapturedStep() = default;
void CapturedStep::replay() { fail(why_no_gpu()); }
std::size_t CapturedStep::size() const { fail(why_no_gpu()); }

GpuTimer::GpuTimer() { fail(why_no_gpu()); }
GpuTimer::~GpuTimer() = default;
void GpuTimer::mark() { fail(why_no_gpu()); }
std::vector<double> GpuTimer::intervals() { fail(why_no_gpu()); }

HostFeed::HostFeed(std::int64_t, at::Device) { fail(why_no_gpu()); }
HostFeed::~HostFeed() = default;
at::Tensor HostFeed::fill(int) { fail(why_no_gpu()); }
void HostFeed::send(int) { fail(why_no_gpu()); }
void HostFeed::receive(int, const at::Tensor&) { fail(why_no_gpu()); }

}  // namespace factorgcn
