// Support vector machines on points whose answer is known.
#include "factorgcn/classic/svm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"
#include "factorgcn/classic/svm_choice.h"

namespace factorgcn {
namespace {

using Points = std::vector<std::pair<double, double>>;

std::vector<double> kernel_of(const Points& points, std::size_t item) {
  std::vector<double> row;
  for (const auto& [x, y] : points) {
    row.push_back(x * points[item].first + y * points[item].second);
  }
  return row;
}

SvmKernel linear_kernel(const Points& points) {
  SvmKernel kernel(static_cast<std::int64_t>(points.size()));
  for (std::size_t item = 0; item < points.size(); ++item) {
    kernel.set_row(static_cast<std::int64_t>(item), kernel_of(points, item));
  }
  return kernel;
}

class Svm : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_train_svm()) {
      GTEST_SKIP() << "this build has no libsvm";
    }
  }
};

TEST_F(Svm, FindsTheWidestStripBetweenTwoClasses) {
  // The strip between x = -1 and x = 1: the decision is x, and only the three points on its borders matter.
  const Points points{{-1, 0}, {-3, 2}, {1, 1}, {1, -1}, {4, 0}};
  const std::vector<std::int64_t> classes{7, 7, 3, 3, 3};
  const std::vector<std::int64_t> items{0, 1, 2, 3, 4};
  const SvmModel model = train_svm(linear_kernel(points), items, classes, {1000, 1e-9});
  ASSERT_EQ(model.classes, (std::vector<std::int64_t>{7, 3}));
  ASSERT_EQ(model.offsets.size(), 1U);
  const Points asked{{-0.1, 5}, {0.1, -5}, {0.5, 0}};
  const std::vector<std::int64_t> answers{7, 3, 3};
  for (std::size_t index = 0; index < asked.size(); ++index) {
    Points all = points;
    all.push_back(asked[index]);
    EXPECT_EQ(predict_svm(model, kernel_of(all, points.size())), answers[index]);
  }
  // The border itself, from the coefficients: points at x = -1 have the decision 1, at x = 1 it is -1.
  for (const auto& [item, decision] : std::vector<std::pair<std::size_t, double>>{{0, 1}, {2, -1}, {3, -1}}) {
    const std::vector<double> row = kernel_of(points, item);
    double sum = -model.offsets[0];
    for (std::size_t at = 0; at < model.support.size(); ++at) {
      sum += model.coefficients[at] * row[static_cast<std::size_t>(model.support[at])];
    }
    EXPECT_NEAR(sum, decision, 1e-6) << item;
  }
  for (const std::int64_t item : model.support) {
    EXPECT_TRUE(item == 0 || item == 2 || item == 3) << item;
  }
}

TEST_F(Svm, TellsThreeClassesApartAndTakesPartsOfTheKernel) {
  Points points;
  std::vector<std::int64_t> classes;
  for (int step = 0; step < 30; ++step) {
    const double angle = 2 * 3.14159265358979 * (step % 3) / 3 + 0.01 * step;
    points.emplace_back(std::cos(angle), std::sin(angle));
    classes.push_back(step % 3);
  }
  const SvmKernel kernel = linear_kernel(points);
  std::vector<std::int64_t> items;
  for (std::int64_t item = 5; item < 25; ++item) {
    items.push_back(item);
  }
  const SvmModel model = train_svm(kernel, items, classes, {10, 1e-3});
  EXPECT_EQ(model.offsets.size(), 3U);
  EXPECT_NO_THROW(check_svm(model, 30, "model"));
  for (std::size_t item = 0; item < points.size(); ++item) {
    EXPECT_EQ(predict_svm(model, kernel_of(points, item)), classes[item]) << "also those it was not trained on";
  }
  for (const std::int64_t item : model.support) {
    EXPECT_TRUE(item >= 5 && item < 25);
  }
}

TEST_F(Svm, OfOneClassAlwaysAnswersIt) {
  const Points points{{1, 0}, {0, 1}};
  const std::vector<std::int64_t> items{0, 1}, classes{4, 4};
  const SvmModel model = train_svm(linear_kernel(points), items, classes, {});
  EXPECT_NO_THROW(check_svm(model, 2, "model"));
  EXPECT_EQ(predict_svm(model, std::vector<double>{0, 0}), 4);
}

TEST_F(Svm, RefusesWhatCannotBe) {
  const SvmKernel kernel = linear_kernel({{1, 0}, {0, 1}});
  const std::vector<std::int64_t> classes{0, 1}, none, both{0, 1}, beyond{0, 2};
  EXPECT_NE(error_text([&] { train_svm(kernel, none, classes, {}); }).find("there are none"), std::string::npos);
  EXPECT_NE(error_text([&] { train_svm(kernel, beyond, classes, {}); }).find("graph 2"), std::string::npos);
  EXPECT_NE(error_text([&] { train_svm(kernel, both, classes, {-1, 1e-3}); }).find("C -1"), std::string::npos);
  EXPECT_NE(error_text([&] { train_svm(kernel, both, none, {}); }).find("0 classes"), std::string::npos);
  EXPECT_NE(error_text([] { SvmKernel(0); }).find("0 graphs"), std::string::npos);
  SvmKernel own(2);
  EXPECT_NE(error_text([&] { own.set_row(0, std::vector<double>{1}); }).find("1 values"), std::string::npos);
  const std::vector<double> bad{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_NE(error_text([&] { own.set_row(0, bad); }).find("nan"), std::string::npos);
}

TEST(SvmModelCheck, FindsPartsThatDoNotFit) {
  const SvmModel good{{0, 1}, {3, 4}, {1, 1}, {0.5, -0.5}, {0.1}};
  EXPECT_NO_THROW(check_svm(good, 5, "m"));
  EXPECT_NE(error_text([&] { check_svm(good, 4, "m"); }).find("support vector 4"), std::string::npos);
  SvmModel bad = good;
  bad.support_counts = {1, 2};
  EXPECT_NE(error_text([&] { check_svm(bad, 5, "m"); }).find("m: "), std::string::npos);
  bad = good;
  bad.coefficients.pop_back();
  EXPECT_NE(error_text([&] { check_svm(bad, 5, "m"); }).find("1 coefficients"), std::string::npos);
  bad = good;
  bad.offsets.clear();
  EXPECT_NE(error_text([&] { check_svm(bad, 5, "m"); }).find("0 offsets"), std::string::npos);
}

TEST(SvmWithoutLibrary, SaysWhatIsMissing) {
  if (can_train_svm()) {
    GTEST_SKIP() << "this build has libsvm";
  }
  EXPECT_NE(error_text([] { SvmKernel(3); }).find("libsvm-dev"), std::string::npos);
}

/// Two sets of features: noise, and one column that is the class.
FeatureChoices noise_and_truth(const std::vector<std::int64_t>& classes) {
  FeatureChoices choices;
  choices.names = {"noise", "truth"};
  choices.kernels = {{KernelKind::kLinear, true, 1, 2}};
  choices.make = [classes](std::size_t which) {
    RandomStream random(1, "test/choice");
    SparseFeatures features;
    for (const std::int64_t own : classes) {
      for (int column = 0; column < 4; ++column) {
        features.add(column, random.uniform());
      }
      if (which == 1) {
        features.add(4 + own, 3.0);
      }
      features.end_graph();
    }
    return features;
  };
  return choices;
}

TEST_F(Svm, ChoosesTheFeaturesThatTell) {
  std::vector<std::int64_t> classes, train, validation, test;
  for (std::int64_t item = 0; item < 60; ++item) {
    classes.push_back(item % 2);
    (item < 30 ? train : item < 45 ? validation : test).push_back(item);
  }
  const FeatureChoices choices = noise_and_truth(classes);
  ChoiceOptions options;
  options.costs = {0.1, 1, 10};
  options.inner_folds = 5;
  std::vector<std::string> told;
  const auto inner =
      choose_svm(choices, classes, train, {}, options, [&](std::size_t, std::size_t total, const auto& what) {
        told.push_back(what);
        return total == 3;
      });
  ASSERT_TRUE(inner.has_value());
  EXPECT_EQ(told.size(), 3U);
  EXPECT_EQ(inner->trials.size(), 6U);
  EXPECT_EQ(inner->chosen.features, 1U);
  EXPECT_EQ(inner->chosen.accuracy, 1.0);
  EXPECT_EQ(inner->chosen.cost, inner->trials[3].cost) << "the first among equals";
  const GramMatrix products = inner_products(choices.make(1));
  EXPECT_EQ(svm_accuracy(inner->model, products, choices.kernels[0], test, classes), 1.0);

  const auto outer = choose_svm(choices, classes, train, validation, options);
  ASSERT_TRUE(outer.has_value());
  EXPECT_EQ(outer->chosen.features, 1U);
  EXPECT_FALSE(choose_svm(choices, classes, train, {}, options, [](auto, auto, const auto&) { return false; }));
}

TEST_F(Svm, ChoiceLooksAtNoTestGraphAndIsTheSameForAnyNumberOfThreads) {
  std::vector<std::int64_t> classes, train;
  for (std::int64_t item = 0; item < 40; ++item) {
    classes.push_back((item * 7 % 5) % 2);
    if (item < 30) {
      train.push_back(item);
    }
  }
  ChoiceOptions options;
  options.costs = {0.1, 1, 10};
  options.inner_folds = 3;
  const FeatureChoices choices = noise_and_truth(std::vector<std::int64_t>(40, 0));
  const int before = num_threads();
  set_num_threads(1);
  const auto one = choose_svm(choices, classes, train, {}, options);
  for (std::size_t item = 30; item < classes.size(); ++item) {
    classes[item] = 1 - classes[item];  // what the test graphs are must not matter
  }
  set_num_threads(3);
  const auto three = choose_svm(choices, classes, train, {}, options);
  set_num_threads(before);
  ASSERT_EQ(one->trials.size(), three->trials.size());
  for (std::size_t trial = 0; trial < one->trials.size(); ++trial) {
    EXPECT_EQ(one->trials[trial].accuracy, three->trials[trial].accuracy);
  }
  EXPECT_EQ(one->model.coefficients, three->model.coefficients);
}

}  // namespace
}  // namespace factorgcn
