// Names of devices, and what a build or a machine without a GPU says.
#include "factorgcn/gpu/device.h"

#include <gtest/gtest.h>

#include "base/error_text.h"
#include "factorgcn/gpu/captured_step.h"

namespace factorgcn {
namespace {

TEST(Device, IsFoundByName) {
  EXPECT_TRUE(device_from_name("cpu").is_cpu());
  EXPECT_EQ(device_from_name("auto").is_cuda(), gpu_usable());
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:123456789"}) {
    EXPECT_NE(usage_error_text([&] { device_from_name(name); }).find("choose auto, cpu, cuda or cuda:N"),
              std::string::npos)
        << name;
  }
}

TEST(Device, AGpuThatIsNotThereIsRefusedWithTheReason) {
  if (gpu_usable()) {
    EXPECT_TRUE(device_from_name("cuda").is_cuda());
    EXPECT_NE(usage_error_text([] { device_from_name("cuda:99"); }).find("GPUs, cuda:0 to cuda:"), std::string::npos);
    return;
  }
  EXPECT_NE(usage_error_text([] { device_from_name("cuda"); }).find("GPU"), std::string::npos);
}

TEST(Device, WaitingForTheCpuIsNothing) { synchronize(at::Device(at::kCPU)); }

}  // namespace
}  // namespace factorgcn
