// Adam on the GPU against Adam on the CPU.
#include <ATen/TensorOperators.h>

#include "factorgcn/optim/adam.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::gpu;
using testing::random_tensor;

class AdamOnGpu : public testing::OnGpu {};

TEST_F(AdamOnGpu, EqualsTheCpu) {
  for (const int count : {1, 5, 200}) {  // 200: more parameters than the kernel's list of gradients holds
    RandomStream random(1, "test");
    std::vector<at::Tensor> here, there;
    for (int p = 0; p < count; ++p) {
      here.push_back(random_tensor({3, 5 + p % 7}, random).requires_grad_());
      there.push_back(here.back().detach().to(gpu()).requires_grad_());
    }
    const AdamOptions options{.learning_rate = 0.01, .weight_decay = 0.1};
    Adam ours(there, options), reference(here, options);
    for (int step = 0; step < 6; ++step) {
      ours.zero_gradients();
      reference.zero_gradients();
      for (int p = step == 3 ? 1 : 0; p < count; ++p) {  // once a parameter has no gradient
        const at::Tensor factor = random_tensor(here[p].sizes(), random);
        (here[p].sin() * factor).sum().backward();
        (there[p].sin() * factor.to(gpu())).sum().backward();
      }
      if (step == 2) {
        ours.set_learning_rate(0.003);
        reference.set_learning_rate(0.003);
      }
      ours.step();
      reference.step();
      EXPECT_LT(testing::difference(ours.values().to(at::kCPU), reference.values()), 1e-12);
      EXPECT_LT(testing::difference(ours.gradients().to(at::kCPU), reference.gradients()), 1e-12);
    }
    EXPECT_EQ(ours.steps(), 6);
    ours.set_steps(40);
    EXPECT_EQ(ours.steps(), 40);
  }
}

}  // namespace
}  // namespace factorgcn
