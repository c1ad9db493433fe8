// Random factor graphs: the paper's bottom line, and what it is on edges alone.
#include "factorgcn/train/random_factors.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error_text.h"
#include "factorgcn/data/synthetic.h"

namespace factorgcn {
namespace {

TEST(RandomFactors, GiveThePapersBottomLine) {
  SyntheticOptions options;
  options.train = 10;
  options.validation = 10;
  options.test = 1500;
  const Dataset dataset = make_synthetic(options);
  const RandomFactorScores scores = score_random_factors(dataset, dataset.split.test, 4, 0);
  EXPECT_NEAR(scores.all_pairs.ged_e, 32.09, 2.0);  // the paper's value
  EXPECT_LT(scores.edges.ged_e, 18.0);
  EXPECT_GT(scores.edges.ged_e, 10.0);
  EXPECT_NEAR(scores.all_pairs.c_score, 0.315, 0.06);
  EXPECT_EQ(scores.edges.samples, 1500);
  EXPECT_EQ(score_random_factors(dataset, dataset.split.test, 4, 0).edges.ged_e, scores.edges.ged_e);
  EXPECT_NE(score_random_factors(dataset, dataset.split.test, 4, 1).edges.ged_e, scores.edges.ged_e);
}

TEST(RandomFactors, NeedATruth) {
  SyntheticOptions options;
  options.train = options.validation = options.test = 2;
  Dataset dataset = make_synthetic(options);
  dataset.truth = {};
  EXPECT_EQ(usage_error_text([&] { score_random_factors(dataset, dataset.split.test, 4, 0); }),
            "data set synthetic has no true relations to score factor graphs against; synthetic and zinc have them");
}

}  // namespace
}  // namespace factorgcn
