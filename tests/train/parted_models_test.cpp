// Every network of the table on one graph in parts: the values and gradients of the whole graph, bits that follow from
// the parts alone, the bytes of the formula; or refused by name.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <torch/types.h>

#include <mutex>

#include "base/holds.h"
#include "collective/ranks.h"
#include "factorgcn/nn/registry.h"
#include "train/parted_cases.h"

namespace factorgcn {
namespace {

using testing::copies_of;
using testing::holds;
using testing::largest_difference;
using testing::NetworkMaker;
using testing::node_dataset;
using testing::NodeFeatures;
using testing::on_all_ranks;
using testing::PartsOnDisk;
using testing::pass_on_parts;
using testing::PassOnParts;

// Spelt out: what a new network can do is to be looked at.
const std::vector<std::string> kInParts{"mlp", "gcn", "gat", "disengcn", "gatedgcn", "gin", "graphsage"};

Settings small_settings(const std::string& model) {
  Settings settings{{"hidden", std::int64_t{8}},
                    {"layers", std::int64_t{3}},
                    {"readout", std::string("node_linear")},
                    {"batch_norm", true},
                    {"residual", true}};
  if (model == "gat") {
    settings["heads"] = std::int64_t{2};
  }
  if (model == "disengcn") {
    settings["capsules"] = std::int64_t{2};
    settings["rounds"] = std::int64_t{3};
  }
  return settings;
}

NetworkMaker maker(const std::string& model, const Dataset& dataset, const Settings& settings) {
  return [=, input = model_input(dataset)] { return make_model(model, input, settings, 5); };
}

RC_GTEST_PROP(PartedModels, ValuesAndGradientsAreThoseOfTheWholeGraph, ()) {
  const std::string name = *rc::gen::elementOf(kInParts);
  const auto nodes = *rc::gen::inRange<std::int64_t>(4, 60);
  const auto edges = *rc::gen::inRange<std::int64_t>(0, 250);
  const auto parts = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(nodes, 6) + 1);
  const auto features = *rc::gen::element(NodeFeatures::kDense, NodeFeatures::kSparse, NodeFeatures::kTypes);
  const PartsOnDisk disk(node_dataset(nodes, edges, *rc::gen::inRange<std::uint64_t>(0, 1000), features), parts,
                         *rc::gen::element<std::string>("hash", "auto"));
  Settings settings = small_settings(name);
  settings["batch_norm"] = *rc::gen::arbitrary<bool>();
  settings["size_norm"] = *rc::gen::arbitrary<bool>();
  settings["residual"] = *rc::gen::arbitrary<bool>();
  settings["activation"] = *rc::gen::element<std::string>("relu", "leaky_relu", "elu");
  settings["readout"] = *rc::gen::element<std::string>("node_linear", "node_mlp");
  if (name == "gcn") {
    settings["norm"] = *rc::gen::element<std::string>("none", "source", "symmetric");
  }
  torch::manual_seed(3);
  const at::Tensor slopes = torch::randn({nodes, disk.dataset.num_outputs});
  const NetworkMaker make = maker(name, disk.dataset, settings);

  const auto whole = make(), model = make();
  const std::vector<std::int64_t> first{0};
  const ModelOutput expected = whole->forward(select_graphs(disk.dataset.graphs, first), true);
  (expected.prediction * slopes).sum().backward();
  const PassOnParts found = pass_on_parts(disk, make, slopes, nullptr, *model);
  for (std::size_t part = 0; part < found.rows.size(); ++part) {
    const at::Tensor own = at::index_select(expected.prediction.detach(), 0, found.rows[part]);
    RC_ASSERT(largest_difference(own, found.predictions[part]) <= 1e-5 * (1 + own.abs().max().item<double>()));
  }
  std::size_t index = 0;
  for (const auto& item : whole->named_parameters()) {
    at::Tensor sum = found.gradients[0][index].clone();
    for (std::size_t part = 1; part < found.gradients.size(); ++part) {
      sum.add_(found.gradients[part][index]);
    }
    const at::Tensor gradient = item.value().grad().defined() ? item.value().grad() : at::zeros_like(item.value());
    // A tenth of all gradients' size: with batch norm some are 0 but for rounding.
    RC_ASSERT(largest_difference(sum, gradient) <= 5e-4 * (1 + gradient.abs().max().item<double>()));
    ++index;
  }
  for (const auto& item : whole->named_buffers()) {
    RC_ASSERT(largest_difference(item.value(), model->named_buffers()[item.key()]) <= 1e-5);
  }
}

TEST(PartedModels, AnyNumberOfRanksGivesTheSameBitsAndSendsTheFormulasBytes) {
  if (const std::string missing = testing::no_ranks(); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  constexpr std::int64_t kParts = 3;
  const PartsOnDisk disk(node_dataset(90, 400, 1), kParts, "hash");
  torch::manual_seed(3);
  const at::Tensor slopes = torch::randn({90, disk.dataset.num_outputs});
  for (const std::string& name : kInParts) {
    for (const bool norms : {false, true}) {
      Settings settings = small_settings(name);
      settings["batch_norm"] = norms;
      const NetworkMaker make = maker(name, disk.dataset, settings);
      const auto model = make();
      const PassOnParts alone = pass_on_parts(disk, make, slopes, nullptr, *model);
      for (const int size : {2, 3}) {
        std::mutex together;
        std::int64_t sent = 0;
        const auto thrown = on_all_ranks(size, [&](Group& group) {
          const auto own_model = make();
          PartedGraph graph(disk.folder.path(), disk.manifest, &group);
          const PartNetworks copies = copies_of(*own_model, make, graph.own_parts());
          const PassOnParts own = pass_on_parts(disk, make, slopes, &group, *own_model);
          const std::int64_t before = group.bytes_sent();
          const std::vector<ModelOutput> outputs = forward_in_parts(copies, graph.pieces(), graph.links(), false);
          at::Tensor all = outputs[0].prediction.sum();
          for (std::size_t part = 1; part < outputs.size(); ++part) {
            all = all + outputs[part].prediction.sum();
          }
          all.backward();
          const auto first = static_cast<std::size_t>(group.rank() * kParts / size);
          const std::lock_guard lock(together);
          sent += group.bytes_sent() - before;
          for (std::size_t part = 0; part < own.predictions.size(); ++part) {
            EXPECT_TRUE(own.predictions[part].equal(alone.predictions[first + part])) << name << ", " << size;
            for (std::size_t index = 0; index < own.gradients[part].size(); ++index) {
              EXPECT_TRUE(own.gradients[part][index].equal(alone.gradients[first + part][index]))
                  << name << ", " << size << " ranks, parameter " << index;
            }
          }
        });
        EXPECT_EQ(thrown, std::vector<std::string>(static_cast<std::size_t>(size))) << name;
        if (size == kParts && !norms) {  // a part each; norms send their moments besides
          EXPECT_EQ(sent, 2 * 4 * halo_numbers(*model, false) * disk.manifest.total(&PartEntry::halo)) << name;
        }
      }
    }
  }
}

TEST(PartedModels, TheOthersAreRefusedByName) {
  const Dataset dataset = node_dataset(20, 40, 1);
  std::string able = "factorgcn";
  for (const std::string& name : kInParts) {
    able += ", " + name;
  }
  EXPECT_EQ(names_of_models_in_parts(), able);
  const auto reason = [&](const std::string& name, const Settings& settings = {}) {
    return misfit_in_parts(*make_model(name, model_input(dataset), settings, 0));
  };
  EXPECT_TRUE(holds(reason("gat_dis"), "averages over all nodes of the graph; these can: factorgcn"));
  EXPECT_TRUE(holds(reason("ipgdn"), "compares its capsules over all nodes"));
  EXPECT_TRUE(holds(reason("monet"), "before it maps them"));
  EXPECT_EQ(reason("gcn", {{"readout", std::string("node_mlp")}}), "");
}

}  // namespace
}  // namespace factorgcn
