// Batch normalisation on the CPU: blocks of rows, and the ordered merging of their sums.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <cmath>

#include "ops/batch_norm_checks.h"
#include "ops/batch_norm_schema.h"
#include "ops/cpu/batch_norm_pieces.h"
#include "ops/cpu/dispatch.h"
#include "ops/cpu/large_tables.h"
#include "ops/cpu/row_ranges.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kBlockRows = 256;  // 256 rows of 144 columns fit a second-level cache

/// Mean and sum of squared deviations of each column, merged block by block in double precision.
template <class T>
void batch_moments(const BatchNormProblem<T>& problem, std::int64_t rows, T* mean, T* variance) {
  const std::int64_t columns = problem.columns, blocks = (rows + kBlockRows - 1) / kBlockRows;
  std::vector<T> means(static_cast<std::size_t>(blocks * columns)), squares(means.size());
  const auto& kernel = kernels().of<T>();
  parallel_rows(rows, kBlockRows, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t at = begin / kBlockRows * columns;
    kernel.column_moments(problem, begin, end, means.data() + at, squares.data() + at);
  });
  std::vector<double> merged_mean(static_cast<std::size_t>(columns)), merged_squares(merged_mean.size());
  for (std::int64_t block = 0; block < blocks; ++block) {
    const double before = static_cast<double>(block * kBlockRows);
    const double count = static_cast<double>(std::min(rows - block * kBlockRows, kBlockRows));
    for (std::int64_t c = 0; c < columns; ++c) {
      const double difference = means[block * columns + c] - merged_mean[c];
      merged_mean[c] += difference * count / (before + count);
      merged_squares[c] += squares[block * columns + c] + difference * difference * before * count / (before + count);
    }
  }
  for (std::int64_t c = 0; c < columns; ++c) {
    mean[c] = static_cast<T>(merged_mean[c]);
    variance[c] = static_cast<T>(merged_squares[c] / static_cast<double>(rows));
  }
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> batch_norm_cpu(const at::Tensor& x_given, const at::Tensor& gamma,
                                                              const at::Tensor& beta, const OptionalTensor& mean_given,
                                                              const OptionalTensor& variance_given,
                                                              const OptionalTensor& row_scale_given, double eps,
                                                              double slope) {
  const at::Tensor x = x_given.contiguous();
  const at::Tensor row_scale = check_norm_rows(x, row_scale_given);
  check_norm_columns("gamma", gamma, x);
  check_norm_columns("beta", beta, x);
  at::Tensor mean = value_or_undefined(mean_given), variance = value_or_undefined(variance_given);
  const bool own_moments = !mean.defined();
  if (own_moments) {
    mean = at::empty({x.size(1)}, x.options());
    variance = at::empty({x.size(1)}, x.options());
  }
  check_norm_columns("mean", mean, x);
  check_norm_columns("variance", variance, x);
  at::Tensor y = large_table(x.sizes(), x.options());
  with_floating(x, "batch_norm", [&](auto scalar) {
    using T = decltype(scalar);
    BatchNormProblem<T> problem;
    problem.columns = x.size(1);
    problem.x = x.data_ptr<T>();
    problem.row_scale = values_or_null<T>(row_scale);
    problem.slope = static_cast<T>(slope);
    problem.y = y.data_ptr<T>();
    if (own_moments) {
      batch_moments(problem, x.size(0), mean.data_ptr<T>(), variance.data_ptr<T>());
    }
    const T *means = mean.data_ptr<T>(), *variances = variance.data_ptr<T>();
    const T *gammas = gamma.data_ptr<T>(), *betas = beta.data_ptr<T>();
    std::vector<T> factor(static_cast<std::size_t>(problem.columns)), shift(factor.size());
    for (std::int64_t c = 0; c < problem.columns; ++c) {
      factor[c] = gammas[c] / std::sqrt(variances[c] + static_cast<T>(eps));
      shift[c] = betas[c] - means[c] * factor[c];
    }
    problem.factor = factor.data();
    problem.shift = shift.data();
    parallel_rows(x.size(0), kBlockRows, [&](std::int64_t begin, std::int64_t end) {
      kernels().of<T>().batch_norm_rows(problem, begin, end);
    });
  });
  return {y, mean, variance};
}

/// The arguments of the backward pass, checked and laid out for the kernels.
template <class T>
struct NormBackwardProblem : BatchNormProblem<T> {
  std::vector<T> factors, shifts, inverses;

  NormBackwardProblem(const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta,
                      const at::Tensor& mean, const at::Tensor& variance, const at::Tensor& row_scale, double eps,
                      double slope) {
    const std::int64_t columns = x.size(1);
    factors.resize(static_cast<std::size_t>(columns));
    shifts.resize(factors.size());
    inverses.resize(factors.size());
    for (std::int64_t c = 0; c < columns; ++c) {
      const T deviation = std::sqrt(variance.data_ptr<T>()[c] + static_cast<T>(eps));
      inverses[c] = T(1) / deviation;
      factors[c] = gamma.data_ptr<T>()[c] / deviation;  // this and the shift to the last digit as in the forward pass
      shifts[c] = beta.data_ptr<T>()[c] - mean.data_ptr<T>()[c] * factors[c];
    }
    this->columns = columns;
    this->x = x.data_ptr<T>();
    this->row_scale = values_or_null<T>(row_scale);
    this->slope = static_cast<T>(slope);
    this->shift = shifts.data();
    this->grad_y = grad_y.data_ptr<T>();
    this->mean = mean.data_ptr<T>();
    this->inverse_deviation = inverses.data();
    this->factor = factors.data();
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> batch_norm_backward_cpu(
    const at::Tensor& grad_given, const at::Tensor& x_given, const at::Tensor& gamma, const at::Tensor& beta,
    const at::Tensor& mean, const at::Tensor& variance, const OptionalTensor& row_scale_given, double eps, double slope,
    bool own_moments) {
  const at::Tensor x = x_given.contiguous(), grad_y = grad_given.contiguous();
  const at::Tensor row_scale = value_or_undefined(row_scale_given);
  const at::Tensor sums = norm_backward_sums(grad_y, x, gamma, beta, mean, variance, row_scale, eps, slope);
  const at::Tensor grad_x =
      norm_backward_rows(grad_y, x, gamma, beta, mean, variance, row_scale, eps, slope,
                         own_moments ? sums : at::Tensor(), static_cast<double>(x.size(0)));
  return {grad_x, sums[1].to(x.scalar_type()), sums[0].to(x.scalar_type())};
}

void update_running_moments_cpu(at::Tensor& running_mean, at::Tensor& running_variance, const at::Tensor& mean,
                                const at::Tensor& variance, double momentum, double unbiased) {
  running_mean.mul_(1 - momentum).add_(mean, momentum);
  running_variance.mul_(1 - momentum).add_(variance, momentum * unbiased);
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("update_running_moments", update_running_moments_cpu);
  library.impl("batch_norm", batch_norm_cpu);
  library.impl("batch_norm_backward", batch_norm_backward_cpu);
}

}  // namespace

std::pair<at::Tensor, at::Tensor> norm_moments(const at::Tensor& x_given, const at::Tensor& row_scale_given) {
  const at::Tensor x = x_given.contiguous();
  const at::Tensor row_scale = check_norm_rows(x, optional(row_scale_given));
  at::Tensor mean = at::empty({x.size(1)}, x.options()), variance = at::empty({x.size(1)}, x.options());
  with_floating(x, "norm_moments", [&](auto scalar) {
    using T = decltype(scalar);
    BatchNormProblem<T> problem;
    problem.columns = x.size(1);
    problem.x = x.data_ptr<T>();
    problem.row_scale = values_or_null<T>(row_scale);
    batch_moments(problem, x.size(0), mean.data_ptr<T>(), variance.data_ptr<T>());
  });
  return {mean, variance};
}

at::Tensor norm_backward_sums(const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma,
                              const at::Tensor& beta, const at::Tensor& mean, const at::Tensor& variance,
                              const at::Tensor& row_scale_given, double eps, double slope) {
  const at::Tensor row_scale = check_norm_rows(x, optional(row_scale_given));
  require(grad_y.sizes() == x.sizes(), "batch_norm_backward: grad_y has shape ", grad_y.sizes(), ", expected ",
          x.sizes());
  const std::int64_t rows = x.size(0), columns = x.size(1), blocks = (rows + kBlockRows - 1) / kBlockRows;
  at::Tensor result = at::empty({2, columns}, at::kDouble);
  with_floating(x, "batch_norm_backward", [&](auto scalar) {
    using T = decltype(scalar);
    const NormBackwardProblem<T> problem(grad_y, x, gamma, beta, mean, variance, row_scale, eps, slope);
    std::vector<T> sums(static_cast<std::size_t>(blocks * columns)), hat_sums(sums.size());
    parallel_rows(rows, kBlockRows, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t at = begin / kBlockRows * columns;
      kernels().of<T>().batch_norm_backward_sums(problem, begin, end, sums.data() + at, hat_sums.data() + at);
    });
    for (std::int64_t c = 0; c < columns; ++c) {
      double sum = 0, hat_sum = 0;
      for (std::int64_t block = 0; block < blocks; ++block) {
        sum += sums[block * columns + c];
        hat_sum += hat_sums[block * columns + c];
      }
      result.data_ptr<double>()[c] = sum;
      result.data_ptr<double>()[columns + c] = hat_sum;
    }
  });
  return result;
}

at::Tensor norm_backward_rows(const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma,
                              const at::Tensor& beta, const at::Tensor& mean, const at::Tensor& variance,
                              const at::Tensor& row_scale_given, double eps, double slope, const at::Tensor& sums,
                              double rows) {
  const at::Tensor row_scale = check_norm_rows(x, optional(row_scale_given));
  at::Tensor grad_x = large_table(x.sizes(), x.options());
  with_floating(x, "batch_norm_backward", [&](auto scalar) {
    using T = decltype(scalar);
    NormBackwardProblem<T> problem(grad_y, x, gamma, beta, mean, variance, row_scale, eps, slope);
    problem.grad_x = grad_x.data_ptr<T>();
    std::vector<T> mean_term, variance_term;
    if (sums.defined()) {
      for (std::int64_t c = 0; c < problem.columns; ++c) {
        mean_term.push_back(static_cast<T>(sums.data_ptr<double>()[c] / rows));
        variance_term.push_back(static_cast<T>(sums.data_ptr<double>()[problem.columns + c] / rows));
      }
      problem.grad_mean_term = mean_term.data();
      problem.grad_variance_term = variance_term.data();
    }
    parallel_rows(x.size(0), kBlockRows, [&](std::int64_t begin, std::int64_t end) {
      kernels().of<T>().batch_norm_backward_rows(problem, begin, end);
    });
  });
  return grad_x;
}

}  // namespace factorgcn::cpu
