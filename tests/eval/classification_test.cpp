// Metrics against values worked out by hand.
#include "factorgcn/eval/classification.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error_text.h"

namespace factorgcn {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

at::Tensor floats(std::initializer_list<float> values, std::int64_t columns) {
  return at::tensor(at::ArrayRef<float>(values)).view({-1, columns});
}

at::Tensor classes(std::initializer_list<std::int64_t> values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

TEST(MicroF1, ByHandOverTwoBatches) {
  MicroF1 metric;
  // TP: (0,0); FP: (0,2); FN: (1,1). A logit of exactly 0 is not a prediction.
  metric.add(floats({2, -1, 0.5, -3, 0, -1}, 3), floats({1, 0, 0, 0, 1, 0}, 3));
  EXPECT_DOUBLE_EQ(metric.value(), 2.0 / 4.0);
  metric.add(floats({1, 1, -1}, 3), floats({1, 1, 0}, 3));  // two more TP
  EXPECT_DOUBLE_EQ(metric.value(), 6.0 / 8.0);
}

TEST(MicroF1, EmptyAndAllNegative) {
  EXPECT_DOUBLE_EQ(MicroF1().value(), 1);
  MicroF1 metric;
  metric.add(floats({-1, -2}, 2), floats({0, 0}, 2));
  metric.add(at::empty({0, 2}), at::empty({0, 2}));
  EXPECT_DOUBLE_EQ(metric.value(), 1);
  metric.add(floats({-1, -2}, 2), floats({1, 0}, 2));
  EXPECT_DOUBLE_EQ(metric.value(), 0);
}

TEST(MicroF1, NanIsWrongWhateverTheTarget) {
  MicroF1 wanted, unwanted;
  wanted.add(floats({kNan, 1}, 2), floats({1, 1}, 2));  // FN, TP
  EXPECT_DOUBLE_EQ(wanted.value(), 2.0 / 3.0);
  unwanted.add(floats({kNan, 1}, 2), floats({0, 1}, 2));  // FP, TP
  EXPECT_DOUBLE_EQ(unwanted.value(), 2.0 / 3.0);
}

TEST(MicroF1, OtherTypesAndLayouts) {
  MicroF1 metric;
  const at::Tensor logits = floats({2, -1, 0.5, -3}, 2).to(at::kDouble).t();  // [[2, 0.5], [-1, -3]]
  metric.add(logits, classes({1, 0, 1, 0}).view({2, 2}));                     // TP, FP; FN, TN
  EXPECT_DOUBLE_EQ(metric.value(), 0.5);
}

TEST(MicroF1, Refuses) {
  MicroF1 metric;
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({2, 3}), at::zeros({2, 1}));
            }),
            "micro-F1: logits of shape [2, 3] against targets of shape [2, 1]; they must be the same");
  EXPECT_EQ(error_text([&] { metric.add(at::zeros({2}), at::zeros({2})); }),
            "micro-F1: logits of shape [2]; they must be [rows, labels]");
  EXPECT_EQ(error_text([&] {
              metric.add(floats({1, 1}, 2), floats({1, 0.5}, 2));
            }),
            "micro-F1: a target is 0.5; targets must be 0 or 1");
  EXPECT_EQ(error_text([&] {
              metric.add(at::Tensor(), at::zeros({1, 1}));
            }),
            "micro-F1: logits and targets must both be given");
  EXPECT_DOUBLE_EQ(metric.value(), 1) << "a refused batch must not count";
}

TEST(MeanAbsoluteError, ByHand) {
  MeanAbsoluteError metric;
  EXPECT_TRUE(std::isnan(metric.value()));
  metric.add(floats({1, 2, 3}, 1), floats({2, 2, 1}, 1));
  EXPECT_DOUBLE_EQ(metric.value(), 1);
  metric.add(floats({-4}, 1), floats({1}, 1));
  EXPECT_DOUBLE_EQ(metric.value(), 2);
  metric.add(at::empty({0, 1}), at::empty({0, 1}));
  EXPECT_DOUBLE_EQ(metric.value(), 2);
}

TEST(MeanAbsoluteError, SumsInDouble) {
  // 2^24 + 1 cannot be reached by adding ones in float.
  MeanAbsoluteError metric;
  metric.add(floats({16777216}, 1), floats({0}, 1));
  for (int i = 0; i < 4; ++i) {
    metric.add(floats({1}, 1), floats({0}, 1));
  }
  EXPECT_DOUBLE_EQ(metric.value(), 16777220.0 / 5.0);
}

TEST(MeanAbsoluteError, NanShows) {
  MeanAbsoluteError metric;
  metric.add(floats({1, kNan}, 1), floats({1, 1}, 1));
  EXPECT_TRUE(std::isnan(metric.value()));
}

TEST(MeanAbsoluteError, RefusesToBroadcast) {
  MeanAbsoluteError metric;
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({4, 1}), at::zeros({4}));
            }),
            "mean absolute error: predictions of shape [4, 1] against targets of shape [4]; they must be the same");
}

TEST(Accuracy, ByHandWithTies) {
  Accuracy metric;
  EXPECT_TRUE(std::isnan(metric.value()));
  metric.add(floats(
                 {
                     1, 2, 0,    //
                     3, 3, 3,    // a tie: class 0
                     0, 5, 5,    // a tie: class 1
                     -1, -2, -3  //
                 },
                 3),
             classes({1, 0, 2, 0}));
  EXPECT_DOUBLE_EQ(metric.value(), 0.75);
  metric.add(floats({0, 1, 2}, 3), classes({2}));
  EXPECT_DOUBLE_EQ(metric.value(), 0.8);
}

TEST(Accuracy, NanRowsAreWrong) {
  Accuracy metric;
  metric.add(floats({kNan, kNan, 1, kNan, kNan, 1, 5, 1}, 2), classes({0, 0, 1, 0}));
  EXPECT_DOUBLE_EQ(metric.value(), 0.25);
}

TEST(Accuracy, Refuses) {
  Accuracy metric;
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({2, 3}), classes({0, 3}));
            }),
            "accuracy: row 1 has class 3, which is not among the 3 classes scored");
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({1, 3}), classes({-1}));
            }),
            "accuracy: row 0 has class -1, which is not among the 3 classes scored");
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({2, 3}), classes({0}));
            }),
            "accuracy: classes of shape [1] for scores of shape [2, 3]; one class a row is needed");
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({2}), classes({0, 0}));
            }),
            "accuracy: scores of shape [2]; they must be [rows, classes] with at least one class");
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({2, 3}), at::zeros({2}));
            }),
            "accuracy: classes must be integers, not Float");
  EXPECT_TRUE(std::isnan(metric.value()));
}

TEST(MeanRecall, ByHandWithAnAbsentClass) {
  MeanRecall metric(3);
  EXPECT_TRUE(std::isnan(metric.value()));
  // Class 0: 1 of 3 found; class 1: 1 of 1; class 2 does not occur and does not count.
  metric.add(floats({1, 0, 0, 0, 1, 0, 0, 0, 1}, 3), classes({0, 0, 0}));
  metric.add(floats({0, 1, 0}, 3), classes({1}));
  EXPECT_DOUBLE_EQ(metric.value(), (1.0 / 3.0 + 1.0) / 2.0);
}

TEST(MeanRecall, NanRowsAreWrong) {
  MeanRecall metric(2);
  metric.add(floats({kNan, 0, 0, 1}, 2), classes({0, 1}));
  EXPECT_DOUBLE_EQ(metric.value(), 0.5);
}

TEST(MeanRecall, Refuses) {
  EXPECT_EQ(error_text([] { MeanRecall(0); }), "mean recall: 0 classes; at least 1 is needed");
  MeanRecall metric(2);
  EXPECT_EQ(error_text([&] {
              metric.add(at::zeros({1, 3}), classes({0}));
            }),
            "mean recall: scores of 3 classes where 2 were announced");
}

}  // namespace
}  // namespace factorgcn
