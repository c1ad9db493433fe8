// Random factor graphs: drawn from the seed, on the edges, and not to be trained.
#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

TEST(RandomModel, DrawsCoefficientsFromItsSeed) {
  RandomStream random(1, "test");
  const GraphBatch batch = testing::twin_batch(false, random);
  const ModelInput input = testing::twin_input(Task::kMultiLabel, false);
  const at::Tensor drawn = make_model("random", input, {}, 7)->factor_coefficients(batch, 0);
  EXPECT_EQ(drawn.sizes(), (std::vector<std::int64_t>{batch.num_edges(), 4}));
  EXPECT_GE(drawn.min().item<float>(), 0.0F);
  EXPECT_LT(drawn.max().item<float>(), 1.0F);
  EXPECT_TRUE(make_model("random", input, {}, 7)->factor_coefficients(batch, 0).equal(drawn));
  EXPECT_FALSE(make_model("random", input, {}, 8)->factor_coefficients(batch, 0).equal(drawn));
  EXPECT_FALSE(find_model("random").trained);
  EXPECT_NE(usage_error_text([&] { make_model("random", input, {}, 0)->forward(batch); }).find("is not trained"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
