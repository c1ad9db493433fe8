// A whole lesson on the GPU against the same on the CPU, in values and gradients.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>

#include "nn/aligned/aligned.h"
#include "nn/aligned/random_parts.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::gpu;

class AlignedOnGpu : public testing::OnGpu {};

aligned::AlignedOptions every_loss() {
  aligned::AlignedOptions options;
  options.labels = 3;
  options.hidden = 8;
  options.judge_hidden = 8;
  options.edge_weights = true;
  options.weights.local = 1;
  options.weights.size = 1;
  options.weights.apart = 1;
  options.begin = 0.5;  // at the end half grown: local has not faded yet
  options.growth = 1;
  return options;
}

TEST_F(AlignedOnGpu, LessonsEqualTheCpu) {
  RandomStream random(1, "test/aligned");
  const GraphBatch batch = testing::random_part_graphs(40, random);
  const at::Tensor labels = testing::random_labels(40, 3, random);
  const aligned::AlignedOptions options = every_loss();
  aligned::Aligned here(options, 2), there(options, 2);
  here.to(at::kDouble);
  there.to(at::kDouble);
  there.to(gpu());
  const Lesson lesson{labels, 1, 3};
  const ModelOutput expected = here.lesson(batch, lesson), actual = there.lesson(move_batch(batch, gpu()), lesson);
  EXPECT_LT(testing::difference(actual.prediction.to(at::kCPU), expected.prediction), 1e-9);
  EXPECT_LT(testing::difference(actual.regulariser.to(at::kCPU), expected.regulariser), 1e-9);
  (expected.prediction.sum() + expected.regulariser).backward();
  (actual.prediction.sum() + actual.regulariser).backward();
  const auto parameters = here.named_parameters();
  for (const auto& item : there.named_parameters()) {
    EXPECT_LT(testing::difference(item.value().grad().to(at::kCPU), parameters[item.key()].grad()), 1e-8) << item.key();
  }
  here.eval();
  there.eval();
  EXPECT_LT(testing::difference(there.factor_coefficients(move_batch(batch, gpu()), 0).to(at::kCPU),
                                here.factor_coefficients(batch, 0)),
            1e-9);
}

TEST_F(AlignedOnGpu, TheSameStepEndsInTheSameBits) {
  RandomStream random(4, "test/aligned");
  const GraphBatch batch = testing::random_part_graphs(500, random);
  const at::Tensor labels = testing::random_labels(500, 3, random);
  aligned::Aligned first(every_loss(), 5), second(every_loss(), 5);
  for (aligned::Aligned* model : {&first, &second}) {
    model->to(gpu());
    const ModelOutput output = model->lesson(batch, {labels, 1, 6});
    (output.prediction.sum() + output.regulariser).backward();
  }
  const auto others = second.named_parameters();
  for (const auto& item : first.named_parameters()) {
    EXPECT_TRUE(at::equal(item.value().grad(), others[item.key()].grad())) << item.key();
  }
}

}  // namespace
}  // namespace factorgcn
