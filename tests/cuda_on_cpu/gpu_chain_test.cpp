// The launches of bench/gpu_chain on the stand-in: they stay inside their memory, wait for all that they need, and find
// the same whatever runs first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../bench/gpu_chain/step_chain.h"

namespace factorgcn::bench {
namespace {

using cuda_on_cpu::Pace;

void append(const cuda::MapGradient<float>& map, std::vector<double>& to) {
  to.insert(to.end(), map.weight, map.weight + map.rows * map.columns);
  to.insert(to.end(), map.bias, map.bias + map.rows);
}

/// A pass's result, the gradients and the losses that one step leaves. All memory is new, so that what was not waited
/// for shows.
std::vector<double> found_by_step(std::int64_t edges, bool power_law, const LeftOut& without) {
  const RandomGraph graph(edges, power_law, StepChain::kLayers * StepChain::kPassesEachWay);
  EXPECT_EQ(graph.by_target.search.pieces != nullptr, power_law);
  StepChain chain(graph);
  chain.launch(without);
  cuda_on_cpu::finish_streams();
  std::vector<double> found(chain.losses(), chain.losses() + 3);
  const float* const grad_hidden = chain.layer(0).back.tables[0].result;
  found.insert(found.end(), grad_hidden, grad_hidden + graph.nodes * kColumns / 8);
  for (std::size_t i = 0; i < StepChain::kLayers; ++i) {
    for (const cuda::PartialSums<float>& set : chain.layer(i).sets) {
      append(set.maps[0], found);
    }
  }
  append(chain.head_gradient(), found);
  return found;
}

class GpuChain : public ::testing::TestWithParam<bool> {
 protected:
  void TearDown() override { cuda_on_cpu::set_pace(Pace::kAtOnce); }
};

TEST_P(GpuChain, FindsTheSameWhateverRunsFirst) {
  constexpr std::int64_t kEdges = 2000;
  const std::vector<double> first = found_by_step(kEdges, GetParam(), {});
  double largest = 0;
  for (const double value : first) {
    ASSERT_TRUE(std::isfinite(value));
    largest = std::max(largest, std::abs(value));
  }
  EXPECT_GT(largest, 0);
  for (const auto& [pace, seed] :
       {std::pair{Pace::kLate, 0}, {Pace::kAhead, 0}, {Pace::kDrawn, 1}, {Pace::kDrawn, 2}}) {
    cuda_on_cpu::set_pace(pace, static_cast<std::uint64_t>(seed));
    EXPECT_EQ(found_by_step(kEdges, GetParam(), {}), first) << static_cast<int>(pace) << ", seed " << seed;
  }
}

TEST_P(GpuChain, DoesSoWithPartsLeftOut) {
  constexpr std::int64_t kEdges = 600;
  const std::vector<double> whole = found_by_step(kEdges, GetParam(), {});
  for (const LeftOut& without :
       {LeftOut{.first_judge = true}, LeftOut{.first_judge = true, .second_judge = true},
        LeftOut{.score = true, .sums_to_score = true}, LeftOut{.joins = true}, LeftOut{.norms = true},
        LeftOut{.head = true}, LeftOut{.adding = true, .adam = true, .loss_row = true}}) {
    cuda_on_cpu::set_pace(Pace::kAtOnce);
    const std::vector<double> at_once = found_by_step(kEdges, GetParam(), without);
    EXPECT_NE(at_once, whole);
    cuda_on_cpu::set_pace(Pace::kDrawn, 3);
    EXPECT_EQ(found_by_step(kEdges, GetParam(), without), at_once);
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, GpuChain, ::testing::Bool(),
                         [](const auto& given) { return given.param ? "PowerLaw" : "Uniform"; });

}  // namespace
}  // namespace factorgcn::bench
