// One graph in parts: values and gradients are those of the whole graph, bits follow from the parts alone.
#include <ATen/ops/cat.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/types.h>

#include <mutex>
#include <numeric>

#include "base/error_text.h"
#include "collective/ranks.h"
#include "factorgcn/train/parts_traffic.h"
#include "factorgcn/train/trainer.h"
#include "train/parted_cases.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using testing::copies_of;
using testing::factor_gcn;
using testing::largest_difference;
using testing::node_dataset;
using testing::node_options;
using testing::NodeFeatures;
using testing::on_all_ranks;
using testing::PartsOnDisk;
using testing::pass_on_parts;
using testing::PassOnParts;
using testing::same_bits;

RC_GTEST_PROP(PartedTraining, ValuesAndGradientsAreThoseOfTheWholeGraph, ()) {
  const auto nodes = *rc::gen::inRange<std::int64_t>(4, 60);
  const auto edges = *rc::gen::inRange<std::int64_t>(0, 250);
  const auto parts = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(nodes, 6) + 1);
  const auto features = *rc::gen::element(NodeFeatures::kDense, NodeFeatures::kSparse, NodeFeatures::kTypes);
  const PartsOnDisk disk(node_dataset(nodes, edges, *rc::gen::inRange<std::uint64_t>(0, 1000), features), parts,
                         *rc::gen::element<std::string>("hash", "auto"));
  FactorGcnOptions options = node_options(disk.dataset);
  options.norm = *rc::gen::element(EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric);
  options.batch_norm = *rc::gen::arbitrary<bool>();
  options.size_norm = *rc::gen::arbitrary<bool>();
  options.discriminator = *rc::gen::arbitrary<bool>();
  options.discriminator_depth = *rc::gen::element(2, 3);
  options.activation = *rc::gen::element(Activation::kLeakyRelu, Activation::kRelu, Activation::kElu);
  options.tiles = false;
  torch::manual_seed(3);
  const at::Tensor slopes = torch::randn({nodes, disk.dataset.num_outputs});

  FactorGcn whole(options, 5);
  const std::vector<std::int64_t> first{0};
  const ModelOutput expected = whole.forward(select_graphs(disk.dataset.graphs, first), true);
  at::Tensor value = (expected.prediction * slopes).sum();
  if (options.discriminator) {
    value = value + 0.7 * expected.regulariser;
  }
  value.backward();

  FactorGcn model(options, 5);
  const PassOnParts found = pass_on_parts(disk, factor_gcn(options), slopes, nullptr, model);
  for (std::size_t part = 0; part < found.rows.size(); ++part) {
    const at::Tensor own = at::index_select(expected.prediction.detach(), 0, found.rows[part]);
    RC_ASSERT(largest_difference(own, found.predictions[part]) <= 1e-5 * (1 + own.abs().max().item<double>()));
  }
  if (options.discriminator) {
    const double sum = std::accumulate(found.regularisers.begin(), found.regularisers.end(), 0.0);
    RC_ASSERT(std::abs(sum - expected.regulariser.item<double>()) <= 1e-5 * (1 + std::abs(sum)));
  }
  std::size_t index = 0;
  for (const auto& item : whole.named_parameters()) {
    at::Tensor sum = found.gradients[0][index].clone();
    for (std::size_t part = 1; part < found.gradients.size(); ++part) {
      sum.add_(found.gradients[part][index]);
    }
    const at::Tensor gradient = item.value().grad().defined() ? item.value().grad() : at::zeros_like(item.value());
    // A tenth of all gradients' size: with batch norm some are 0 but for rounding.
    RC_ASSERT(largest_difference(sum, gradient) <= 2e-4 * (1 + gradient.abs().max().item<double>()));
    ++index;
  }
  for (const auto& item : whole.named_buffers()) {
    RC_ASSERT(largest_difference(item.value(), model.named_buffers()[item.key()]) <= 1e-5);
  }
}

class PartedRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    static const std::string missing = testing::no_ranks();
    if (!missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }
};

TEST_F(PartedRanks, AnyNumberOfThemGivesTheSameBits) {
  for (const std::uint64_t seed : {1, 2}) {
    const PartsOnDisk disk(node_dataset(90, 400, seed, seed == 1 ? NodeFeatures::kDense : NodeFeatures::kSparse), 5,
                           seed == 1 ? "hash" : "auto");
    FactorGcnOptions options = node_options(disk.dataset);
    options.batch_norm = seed == 1;
    torch::manual_seed(3);
    const at::Tensor slopes = torch::randn({90, disk.dataset.num_outputs});
    FactorGcn model(options, 5);
    const PassOnParts alone = pass_on_parts(disk, factor_gcn(options), slopes, nullptr, model);
    for (const int size : {2, 3, 5}) {
      std::mutex together;
      std::size_t seen = 0;
      const auto thrown = on_all_ranks(size, [&](Group& group) {
        FactorGcn own_model(options, 5);
        const PassOnParts own = pass_on_parts(disk, factor_gcn(options), slopes, &group, own_model);
        const auto first = static_cast<std::size_t>(group.rank() * 5 / size);
        const std::lock_guard lock(together);
        seen += own.predictions.size();
        for (std::size_t part = 0; part < own.predictions.size(); ++part) {
          EXPECT_TRUE(own.predictions[part].equal(alone.predictions[first + part])) << size << " ranks";
          EXPECT_EQ(own.regularisers[part], alone.regularisers[first + part]);
          for (std::size_t index = 0; index < own.gradients[part].size(); ++index) {
            EXPECT_TRUE(own.gradients[part][index].equal(alone.gradients[first + part][index]))
                << size << " ranks, parameter " << index;
          }
        }
      });
      EXPECT_EQ(thrown, std::vector<std::string>(static_cast<std::size_t>(size)));
      EXPECT_EQ(seen, 5U);
    }
  }
}

TEST_F(PartedRanks, BytesSentAreThoseOfTheFormula) {
  const PartsOnDisk disk(node_dataset(120, 500, 4), 4, "hash");
  FactorGcnOptions options = node_options(disk.dataset);
  torch::manual_seed(3);
  const at::Tensor slopes = torch::randn({120, disk.dataset.num_outputs});
  std::mutex together;
  std::int64_t sent = 0;
  constexpr int kRanks = 4;  // a part each
  const auto thrown = on_all_ranks(kRanks, [&](Group& group) {
    PartedGraph graph(disk.folder.path(), disk.manifest, &group);
    FactorGcn model(options, 5);
    const PartNetworks copies = copies_of(model, factor_gcn(options), graph.own_parts());
    const std::int64_t before = group.bytes_sent();
    const std::vector<ModelOutput> outputs = forward_in_parts(copies, graph.pieces(), graph.links(), true);
    (outputs[0].prediction.sum() + outputs[0].regulariser).backward();
    const std::lock_guard lock(together);
    sent += group.bytes_sent() - before;
  });
  EXPECT_EQ(thrown, std::vector<std::string>(kRanks));
  const FactorGcn model(options, 5);
  const std::int64_t numbers = halo_numbers(model, true);
  // h of both layers and the discriminators' features, 3 * 2 and 2 * 3.
  EXPECT_EQ(numbers, 4 + 6 + 6 + 6);
  // Beside the halos the discriminator's means, a row of all hidden columns per layer, to every other rank, both ways.
  const std::int64_t means = 2 * 2 * kRanks * (kRanks - 1) * 4 * options.hidden;
  EXPECT_EQ(sent, 2 * 4 * numbers * disk.manifest.total(&PartEntry::halo) + means);
}

TEST_F(PartedRanks, SayWhichPartsAreNotOfOneCut) {
  PartsOnDisk disk(node_dataset(60, 300, 4), 2, "hash");
  const PartsOnDisk other(node_dataset(60, 300, 5), 2, "auto");
  std::filesystem::copy_file(other.folder.path() / part_file_name(1), disk.folder.path() / part_file_name(1),
                             std::filesystem::copy_options::overwrite_existing);
  disk.manifest.parts[1] = other.manifest.parts[1];
  EXPECT_NE(error_text([&] { PartedGraph(disk.folder.path(), disk.manifest, nullptr); }).find("not parts of one cut"),
            std::string::npos);
}

TrainOptions parted_options() {
  TrainOptions options;
  options.seed = 5;
  options.epochs = 12;
  options.learning_rate = 0.02;
  options.lambda = 0.1;
  return options;
}

TEST(PartedTraining, GoesAsOnTheWholeGraph) {
  const PartsOnDisk disk(node_dataset(150, 500, 7), 4, "auto");
  const FactorGcnOptions settings = node_options(disk.dataset);
  for (const ClassWeights weights : {ClassWeights::kTask, ClassWeights::kNone, ClassWeights::kBalanced}) {
    TrainOptions options = parted_options();
    options.class_weights = weights;
    Observer silent;
    FactorGcn whole(settings, 1);
    Trainer plain(whole, disk.dataset, options);
    ASSERT_EQ(plain.run(silent), RunStatus::kFinished);

    FactorGcn model(settings, 1);
    PartedGraph graph(disk.folder.path(), disk.manifest, nullptr);
    const PartNetworks copies = copies_of(model, factor_gcn(settings), graph.own_parts());
    Trainer parted(model, work_on_parts(model, graph, copies, options), options);
    ASSERT_EQ(parted.run(silent), RunStatus::kFinished);
    for (std::size_t epoch = 0; epoch < plain.history().size(); ++epoch) {
      EXPECT_NEAR(plain.history()[epoch].loss, parted.history()[epoch].loss, 2e-4) << epoch;
      EXPECT_NEAR(plain.history()[epoch].regulariser, parted.history()[epoch].regulariser, 2e-4) << epoch;
      EXPECT_NEAR(plain.history()[epoch].validation_loss, parted.history()[epoch].validation_loss, 5e-4) << epoch;
    }
  }
}

TEST(PartedTraining, GoesOnFromAnyEpoch) {
  const PartsOnDisk disk(node_dataset(80, 300, 8), 3, "hash");
  FactorGcnOptions settings = node_options(disk.dataset);
  settings.dropout = 0.3;
  settings.batch_norm = true;
  const TrainOptions options = parted_options();
  Observer silent;
  PartedGraph graph(disk.folder.path(), disk.manifest, nullptr);
  FactorGcn model(settings, 1), again(settings, 1);
  const PartNetworks copies = copies_of(model, factor_gcn(settings), 3),
                     more = copies_of(again, factor_gcn(settings), 3);
  TrainState middle;
  Trainer trainer(model, work_on_parts(model, graph, copies, options), options);
  int epochs = 0;
  trainer.run(silent, [&](bool) {
    if (++epochs == 5) {
      middle = trainer.capture();
    }
  });
  Trainer continued(again, work_on_parts(again, graph, more, options), options);
  continued.restore(middle);
  continued.run(silent);
  EXPECT_TRUE(same_bits(trainer.capture().weights, continued.capture().weights));
}

TEST(PartedTraining, ScoresAreThoseOfTheWholeGraph) {
  const PartsOnDisk disk(node_dataset(150, 500, 9), 4, "hash");
  const FactorGcnOptions settings = node_options(disk.dataset);
  FactorGcn model(settings, 1);
  PartedGraph graph(disk.folder.path(), disk.manifest, nullptr);
  const PartNetworks copies = copies_of(model, factor_gcn(settings), graph.own_parts());
  for (const Part role : {Part::kTrain, Part::kValidation, Part::kTest}) {
    const PartScores whole = score_part(model, disk.dataset, data_part(disk.dataset, role), 1);
    const PartsScore parts = score_parts(graph, copies, role);
    EXPECT_NEAR(whole.task.loss, parts.loss, 1e-5);
    EXPECT_EQ(whole.samples, parts.confusion.rows());
    std::size_t compared = 0;
    for (const auto& [metric, score] : score_confusion(parts.confusion)) {
      for (const auto& [other, expected] : whole.metrics) {
        if (metric == other) {
          EXPECT_EQ(*expected.value, *score.value) << metric->name;
          EXPECT_EQ(expected.interval->low, score.interval->low) << metric->name;
          ++compared;
        }
      }
    }
    EXPECT_EQ(compared, 3U);
  }
}

}  // namespace
}  // namespace factorgcn
