// The GPU's way of training, in main memory: all of it but the recording.
#include "train/padded_training.h"

namespace factorgcn {
namespace {

class PaddedTraining : public testing::WithPaddedCase {};

INSTANTIATE_TEST_SUITE_P(Cases, PaddedTraining, ::testing::ValuesIn(testing::padded_cases()), testing::case_test_name);

TEST_P(PaddedTraining, PaddingChangesNothing) {
  testing::expect_padding_changes_nothing(GetParam(), at::kCPU, 3e-6, false);
}

TEST_P(PaddedTraining, GivesTheSameBitsHoweverTheDataCome) {
  testing::expect_same_bits_however_trained(GetParam(), at::kCPU);
}

TEST_P(PaddedTraining, EqualsPlainTraining) {
  const Dataset dataset = testing::case_data(GetParam());
  TrainOptions options = testing::padded_options();
  const TrainState padded = testing::train_padded(GetParam(), dataset, options, at::kCPU);
  options.padded = false;
  const TrainState plain = testing::train_padded(GetParam(), dataset, options, at::kCPU);
  testing::expect_near_state(padded, plain, 2e-4);
}

class CrowdedPadding : public testing::WithPaddedCase {};

INSTANTIATE_TEST_SUITE_P(Models, CrowdedPadding, ::testing::ValuesIn(testing::unnormalised_cases()),
                         testing::case_test_name);

TEST_P(CrowdedPadding, IsHarmless) { testing::expect_crowded_padding_is_harmless(GetParam(), at::kCPU); }

TEST(PaddedRuns, NameTheBatchThatDiverges) { testing::expect_divergence_is_reported(at::kCPU); }

TEST(PaddedRuns, CountOnlyTheNodesOfTheSplit) {
  const testing::PaddedCase& item = testing::padded_cases()[2];
  Dataset dataset = testing::case_data(item, 30);
  dataset.node_split = true;
  dataset.split = {};
  for (std::int64_t node = 0; node < dataset.graphs.num_nodes(); ++node) {
    auto& part = node % 5 < 3 ? dataset.split.train : node % 5 == 3 ? dataset.split.validation : dataset.split.test;
    part.push_back(node);
  }
  TrainOptions options = testing::padded_options();
  const TrainState padded = testing::train_padded(item, dataset, options, at::kCPU);
  options.padded = false;
  const TrainState plain = testing::train_padded(item, dataset, options, at::kCPU);
  testing::expect_near_state(padded, plain, 2e-4);
}

}  // namespace
}  // namespace factorgcn
