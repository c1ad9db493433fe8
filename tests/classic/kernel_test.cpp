// Kernel matrices against their formulas on dense rows.
#include "factorgcn/classic/kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

using Rows = std::vector<std::vector<double>>;

SparseFeatures sparse(const Rows& rows) {
  SparseFeatures features;
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (row[column] != 0) {
        features.add(static_cast<std::int64_t>(column), row[column]);
      }
    }
    features.end_graph();
  }
  return features;
}

Rows random_rows(std::size_t count, std::size_t columns) {
  RandomStream random(1, "test/kernel");
  Rows rows(count, std::vector<double>(columns, 0.0));
  for (auto& row : rows) {
    for (double& value : row) {
      value = random.chance(0.6) ? random.uniform(-1, 2) : 0;
    }
  }
  rows.back().assign(columns, 0.0);  // a graph without features
  return rows;
}

double product(const std::vector<double>& left, const std::vector<double>& right) {
  double sum = 0;
  for (std::size_t column = 0; column < left.size(); ++column) {
    sum += left[column] * right[column];
  }
  return sum;
}

std::vector<double> unit(std::vector<double> row) {
  const double length = std::sqrt(product(row, row));
  for (double& value : row) {
    value = length > 0 ? value / length : 0;
  }
  return row;
}

TEST(Kernel, EqualsItsFormula) {
  const Rows rows = random_rows(7, 9);
  const GramMatrix products = inner_products(sparse(rows));
  for (const bool normalised : {false, true}) {
    for (std::size_t left = 0; left < rows.size(); ++left) {
      std::vector<double> linear(rows.size()), cubic(rows.size()), rbf(rows.size());
      const auto row = static_cast<std::int64_t>(left);
      kernel_row(products, {KernelKind::kLinear, normalised, 1, 2}, row, linear);
      kernel_row(products, {KernelKind::kPolynomial, normalised, 0.5, 3}, row, cubic);
      kernel_row(products, {KernelKind::kRbf, normalised, 0.7, 2}, row, rbf);
      for (std::size_t right = 0; right < rows.size(); ++right) {
        const auto x = normalised ? unit(rows[left]) : rows[left];
        const auto y = normalised ? unit(rows[right]) : rows[right];
        EXPECT_NEAR(linear[right], product(x, y), 1e-12);
        EXPECT_NEAR(cubic[right], std::pow(0.5 * product(x, y) + 1, 3), 1e-11);
        std::vector<double> difference(x.size());
        for (std::size_t column = 0; column < x.size(); ++column) {
          difference[column] = x[column] - y[column];
        }
        EXPECT_NEAR(rbf[right], std::exp(-0.7 * product(difference, difference)), 1e-12);
      }
    }
  }
}

TEST(Kernel, IsSymmetricToTheLastBitAndTheSameForAnyNumberOfThreads) {
  const SparseFeatures features = sparse(random_rows(30, 20));
  const int before = num_threads();
  set_num_threads(1);
  const GramMatrix one = inner_products(features);
  set_num_threads(3);
  const GramMatrix three = inner_products(features);
  set_num_threads(before);
  std::vector<std::vector<double>> kernel(30, std::vector<double>(30));
  for (std::int64_t row = 0; row < 30; ++row) {
    kernel_row(one, {KernelKind::kRbf, true, 3, 2}, row, kernel[static_cast<std::size_t>(row)]);
    for (std::int64_t column = 0; column < 30; ++column) {
      EXPECT_EQ(one.at(row, column), three.at(row, column));
    }
  }
  for (std::size_t row = 0; row < 30; ++row) {
    for (std::size_t column = 0; column < 30; ++column) {
      EXPECT_EQ(kernel[row][column], kernel[column][row]);
    }
  }
}

TEST(SparseFeatures, AreCutAndJoined) {
  const SparseFeatures features = sparse({{1, 0, 2}, {0, 3, 4}});
  const SparseFeatures first = first_columns(features, 2);
  EXPECT_EQ(first.columns, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(first.offsets, (std::vector<std::int64_t>{0, 1, 2}));
  const SparseFeatures joined = join_columns(first, 2, features);
  EXPECT_EQ(joined.columns, (std::vector<std::int64_t>{0, 2, 4, 1, 3, 4}));
  EXPECT_EQ(joined.values, (std::vector<double>{1, 1, 2, 3, 3, 4}));
  EXPECT_NE(error_text([&] { join_columns(features, 2, first); }).find("not below 2"), std::string::npos);
}

TEST(KernelFunction, HasNames) {
  EXPECT_EQ((KernelFunction{KernelKind::kRbf, true, 10, 2}).text(), "rbf, gamma 10");
  EXPECT_EQ(kernel_kind_from_name("polynomial"), KernelKind::kPolynomial);
  EXPECT_NE(usage_error_text([] { kernel_kind_from_name("gauss"); }).find("'gauss'"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
