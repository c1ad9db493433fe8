// Training on the GPU: recorded steps of fixed shape against the CPU, against themselves and against other ways there.
#include "ops/gpu_fixture.h"
#include "train/padded_training.h"

namespace factorgcn {
namespace {

using testing::gpu;

class TrainingOnGpu : public testing::OnGpu {};

TEST_F(TrainingOnGpu, PaddingChangesNothing) { testing::expect_padding_changes_nothing(gpu(), 3e-6); }

TEST_F(TrainingOnGpu, GivesTheSameBitsHoweverTheDataCome) { testing::expect_same_bits_however_trained(gpu()); }

TEST_F(TrainingOnGpu, NamesTheBatchThatDiverges) { testing::expect_divergence_is_reported(gpu()); }

TEST_F(TrainingOnGpu, EqualsTheCpu) {
  for (const testing::PaddedCase& item : testing::padded_cases()) {
    SCOPED_TRACE(item.name);
    const Dataset dataset = testing::case_data(item);
    TrainOptions options = testing::padded_options();
    options.padded = false;
    const TrainState there = testing::train_padded(item, dataset, options, gpu());
    const TrainState here = testing::train_padded(item, dataset, options, at::kCPU);
    EXPECT_EQ(there.device, "cuda:0");
    EXPECT_EQ(here.device, "cpu");
    testing::expect_near_state(there, here, 5e-4);
    // Either one's state continues on the other.
    options.epochs = 4;
    testing::expect_near_state(testing::train_padded(item, dataset, options, at::kCPU, 0, &there),
                               testing::train_padded(item, dataset, options, gpu(), 0, &here), 1e-3);
  }
}

TEST_F(TrainingOnGpu, CountsOnlyTheNodesOfTheSplit) {
  const testing::PaddedCase& item = testing::padded_cases()[2];
  Dataset dataset = testing::case_data(item, 30);
  dataset.node_split = true;
  dataset.split = {};
  for (std::int64_t node = 0; node < dataset.graphs.num_nodes(); ++node) {
    auto& part = node % 5 < 3 ? dataset.split.train : node % 5 == 3 ? dataset.split.validation : dataset.split.test;
    part.push_back(node);
  }
  const TrainOptions options = testing::padded_options();
  TrainOptions plain = options;
  plain.padded = false;
  testing::expect_near_state(testing::train_padded(item, dataset, options, gpu()),
                             testing::train_padded(item, dataset, plain, at::kCPU), 5e-4);
}

}  // namespace
}  // namespace factorgcn
