// The flat storage of true relations.
#include "factorgcn/graph/ground_truth.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error_text.h"

namespace factorgcn {
namespace {

using Ids = std::vector<std::int32_t>;

Ids copy(std::span<const std::int32_t> ids) { return {ids.begin(), ids.end()}; }

GroundTruth small_truth() {
  GroundTruth truth;
  truth.type_names = {"single", "double"};
  truth.begin_graph();
  truth.add_part(1, Ids{0, 1}, Ids{1, 0});
  truth.add_part(0, Ids{2}, Ids{3});
  truth.begin_graph();  // nothing known about this one
  truth.begin_graph();
  truth.add_part(0, Ids{}, Ids{});
  return truth;
}

TEST(GroundTruth, GivesBackItsParts) {
  const GroundTruth truth = small_truth();
  EXPECT_EQ(truth.num_graphs(), 3);
  EXPECT_EQ(truth.num_types(), 2);
  EXPECT_FALSE(truth.empty());
  EXPECT_EQ(truth.num_parts(0), 2);
  EXPECT_EQ(truth.num_parts(1), 0);
  EXPECT_EQ(truth.num_parts(2), 1);
  EXPECT_EQ(truth.part(0, 0).type, 1);
  EXPECT_EQ(copy(truth.part(0, 0).sources), (Ids{0, 1}));
  EXPECT_EQ(copy(truth.part(0, 0).targets), (Ids{1, 0}));
  EXPECT_EQ(truth.part(0, 1).type, 0);
  EXPECT_EQ(copy(truth.part(0, 1).sources), (Ids{2}));
  EXPECT_EQ(copy(truth.part(0, 1).targets), (Ids{3}));
  EXPECT_TRUE(truth.part(2, 0).sources.empty());
}

TEST(GroundTruth, StartsEmpty) {
  const GroundTruth truth;
  EXPECT_EQ(truth.num_graphs(), 0);
  EXPECT_EQ(truth.num_types(), 0);
  EXPECT_TRUE(truth.empty());
}

TEST(GroundTruth, RefusesWhatDoesNotFit) {
  GroundTruth truth = small_truth();
  EXPECT_EQ(error_text([&] { truth.add_part(2, Ids{0}, Ids{1}); }),
            "ground truth: type 2 of a part of graph 2 is unknown; there are 2 types");
  EXPECT_EQ(error_text([&] { truth.add_part(-1, Ids{0}, Ids{1}); }),
            "ground truth: type -1 of a part of graph 2 is unknown; there are 2 types");
  EXPECT_EQ(error_text([&] {
              truth.add_part(0, Ids{0, 1}, Ids{1});
            }),
            "ground truth: a part of graph 2 has 2 sources but 1 targets; there must be as many");
  EXPECT_EQ(error_text([&] { truth.part(3, 0); }), "ground truth: graph 3 was asked for, but there are 3 graphs");
  EXPECT_EQ(error_text([&] { truth.part(0, 2); }), "ground truth: part 2 of graph 0 was asked for, but it has 2 parts");
  EXPECT_EQ(error_text([] {
              GroundTruth none;
              none.type_names = {"a"};
              none.add_part(0, Ids{0}, Ids{1});
            }),
            "ground truth: a part was added before the first graph; call begin_graph() first");
}

}  // namespace
}  // namespace factorgcn
