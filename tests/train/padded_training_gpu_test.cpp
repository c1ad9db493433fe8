// Training on the GPU: recorded steps of fixed shape against the CPU, against themselves and against other ways there.
#include "ops/gpu_fixture.h"
#include "train/padded_training.h"

namespace factorgcn {
namespace {

using testing::gpu;

class PaddedTrainingOnGpu : public testing::CaseOnGpu<testing::PaddedCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, PaddedTrainingOnGpu, ::testing::ValuesIn(testing::padded_cases()),
                         testing::case_test_name);

TEST_P(PaddedTrainingOnGpu, PaddingChangesNothing) {
  testing::expect_padding_changes_nothing(GetParam(), gpu(), 3e-6, true);
}

TEST_P(PaddedTrainingOnGpu, GivesTheSameBitsHoweverTheDataCome) {
  testing::expect_same_bits_however_trained(GetParam(), gpu());
}

TEST_P(PaddedTrainingOnGpu, EqualsTheCpu) {
  const Dataset dataset = testing::case_data(GetParam());
  TrainOptions options = testing::padded_options();
  options.padded = false;
  const TrainState there = testing::train_padded(GetParam(), dataset, options, gpu());
  const TrainState here = testing::train_padded(GetParam(), dataset, options, at::kCPU);
  EXPECT_EQ(there.device, "cuda:0");
  EXPECT_EQ(here.device, "cpu");
  testing::expect_near_state(there, here, 5e-4);
  // Either one's state continues on the other.
  ++options.epochs;
  testing::expect_near_state(testing::train_padded(GetParam(), dataset, options, at::kCPU, 0, &there),
                             testing::train_padded(GetParam(), dataset, options, gpu(), 0, &here), 1e-3);
}

class CrowdedPaddingOnGpu : public testing::CaseOnGpu<testing::PaddedCase> {};

INSTANTIATE_TEST_SUITE_P(Models, CrowdedPaddingOnGpu, ::testing::ValuesIn(testing::unnormalised_cases()),
                         testing::case_test_name);

TEST_P(CrowdedPaddingOnGpu, IsHarmless) { testing::expect_crowded_padding_is_harmless(GetParam(), gpu()); }

class TrainingOnGpu : public testing::OnGpu {};

TEST_F(TrainingOnGpu, NamesTheBatchThatDiverges) { testing::expect_divergence_is_reported(gpu()); }

/// A model that does not say that it can be recorded.
class UnrecordedModel : public FactorGcn {
 public:
  using FactorGcn::FactorGcn;
  bool can_be_recorded() const override { return false; }
};

TEST_F(TrainingOnGpu, ServesModelsThatCannotBeRecorded) {
  for (const testing::PaddedCase& item : testing::factor_cases()) {
    SCOPED_TRACE(item.name);
    const Dataset dataset = testing::case_data(item);
    TrainOptions options = testing::padded_options();
    options.padded = false;
    UnrecordedModel model(testing::case_options(item, dataset), 5);
    model.to(gpu());
    Trainer trainer(model, dataset, options);
    Observer observer;
    EXPECT_EQ(trainer.run(observer), RunStatus::kFinished);
    testing::expect_near_state(trainer.capture(), testing::train_padded(item, dataset, options, at::kCPU), 5e-4);
  }
}

/// Many rows: sums that are cut into ranges and spread over blocks must still be added in one order.
TEST_P(PaddedTrainingOnGpu, GivesTheSameBitsAtScale) {
  const testing::PaddedCase& item = GetParam();
  const Dataset dataset = testing::case_data(item, testing::brief() ? 500 : 5000);
  const PackedGraphs packed = move_packed(pack_graphs(dataset.graphs, dataset.targets, is_node_task(item.task)), gpu());
  const auto count = static_cast<std::int64_t>(dataset.split.train.size());
  const PaddedBatch batch =
      make_padded_batch(packed, listed_capacity(dataset.graphs, dataset.split.train, count), gpu());
  assemble_batch(packed,
                 {testing::id_tensor(dataset.split.train, gpu()),
                  testing::id_tensor(std::vector<std::int64_t>{0}, gpu()),
                  count,
                  {}},
                 batch);
  std::vector<at::Tensor> first;
  for (int round = 0; round < 4; ++round) {
    const auto model = testing::case_model(item, dataset, gpu());
    const auto step = testing::step_without_update(item.task, *model, batch.graphs, batch.targets);
    std::vector<at::Tensor> results{step.prediction.detach()};
    std::vector<std::string> names{"prediction"};
    for (const auto& parameter : model->named_parameters()) {
      results.push_back(parameter.value().grad());
      names.push_back(parameter.key());
    }
    for (std::size_t index = 0; round > 0 && index < results.size(); ++index) {
      EXPECT_TRUE(results[index].equal(first[index])) << names[index] << ", round " << round;
    }
    first = round == 0 ? results : first;
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
