// Scores whose batches several processes share, here threads: the bits of one process, whatever their number.
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <nlohmann/json.hpp>

#include "collective/ranks.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/presets.h"
#include "factorgcn/train/run_metrics.h"
#include "partition/node_dataset.h"

namespace factorgcn {
namespace {

using testing::on_all_ranks;

/// What `text` gives on one process and on each of several.
void expect_same_everywhere(const std::function<std::string(Group*)>& text) {
  if (const std::string missing = testing::no_ranks(); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  const std::string alone = text(nullptr);
  for (const int size : {2, 3}) {
    std::mutex together;
    int told = 0;
    std::int64_t sent = 0;
    const auto thrown = on_all_ranks(size, [&](Group& group) {
      const std::string own = text(&group);
      const std::lock_guard lock(together);
      EXPECT_EQ(own, alone) << size << " processes";
      sent += group.bytes_sent();
      ++told;
    });
    EXPECT_EQ(thrown, std::vector<std::string>(static_cast<std::size_t>(size)));
    EXPECT_EQ(told, size);
    EXPECT_GT(sent, 0) << "each did all of it";
  }
}

std::string measured(const Dataset& dataset, const Settings& settings, std::int64_t batch_size,
                     const std::string& protocol, Group* group) {
  RunConfig config;
  config.batch_size = batch_size;
  config.protocol = protocol;
  config.metric_layer = 1;
  const auto model = make_model("factorgcn", model_input(dataset), settings, 3);
  return to_json(measure(*model, dataset, config, group)).dump();
}

TEST(SharedEvaluation, OfManyGraphsAndTheirFactorsIsThatOfOneProcess) {
  SyntheticOptions options;
  options.train = 4;
  options.validation = 5;  // of two batches, so that the third process has none
  options.test = 23;
  const Dataset dataset = make_synthetic(options);
  for (const char* protocol : {"corrected", "published"}) {
    expect_same_everywhere([&](Group* group) { return measured(dataset, {}, 4, protocol, group); });
  }
}

TEST(SharedEvaluation, OfNodesThatCountIsThatOfOneProcess) {
  const Dataset dataset = testing::node_dataset(60, 200, 4);
  expect_same_everywhere([&](Group* group) {
    return measured(dataset, {{"readout", std::string("node_linear")}}, 1, "corrected", group);
  });
}

}  // namespace
}  // namespace factorgcn
