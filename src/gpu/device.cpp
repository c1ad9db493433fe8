// Names of devices; what needs CUDA is in gpu/cuda/ or, where the build has none, in gpu/no_cuda/.
#include "factorgcn/gpu/device.h"

#include "factorgcn/base/error.h"
#include "gpu/gpu_count.h"

namespace factorgcn {

bool gpu_usable() { return gpu_count() > 0; }

at::Device device_from_name(const std::string& name) {
  if (name == "cpu" || (name == "auto" && gpu_count() == 0)) {
    return at::Device(at::kCPU);
  }
  if (name == "auto") {
    return at::Device(at::kCUDA, 0);
  }
  const std::string prefix = "cuda";
  const bool numbered = name.rfind(prefix + ":", 0) == 0 && name.size() > prefix.size() + 1 && name.size() < 8 &&
                        name.find_first_not_of("0123456789", prefix.size() + 1) == std::string::npos;
  require_usage(name == prefix || numbered, "device is \"", name, "\": choose auto, cpu, cuda or cuda:N");
  const int index = numbered ? std::stoi(name.substr(prefix.size() + 1)) : 0;
  require_usage(gpu_count() > 0, "device is \"", name, "\": ", why_no_gpu());
  require_usage(index < gpu_count(), "device is \"", name, "\": there are ", gpu_count(),
                " GPUs, cuda:0 to cuda:", gpu_count() - 1);
  return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

}  // namespace factorgcn
