// One kernel on vectors of 16 floats, compiled for each instruction set of x86-64 and chosen as the other kernels are
// (ops/instruction_set.h). Sums of logarithms are logarithms of products of a few, in double.
#include "relations/expected_counts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/instruction_set.h"

namespace factorgcn::relations {
namespace {

using Lanes = float __attribute__((vector_size(64)));

constexpr float kLeastRate = 1e-20F;
constexpr int kAhead = 8;        // links whose rows are asked for before they are needed
constexpr int kMostVectors = 8;  // columns kept in registers: 16 times this

/// 1 / (1 - exp(-rate)); its inverse is the probability of a link.
[[gnu::always_inline]] inline float inverse_probability(float rate) {
  return rate < 0.3F ? 1 / rate + 0.5F + rate * (1.0F / 12 - rate * rate * (1.0F / 720)) : 1 / (1 - std::exp(-rate));
}

[[gnu::always_inline]] inline float lane_sum(const Lanes& lanes) {
  float sum[16];
  std::memcpy(sum, &lanes, sizeof(sum));
  for (int step = 8; step > 0; step /= 2) {
    for (int lane = 0; lane < step; ++lane) {
      sum[lane] += sum[lane + step];
    }
  }
  return sum[0];
}

/// Asks for the row that a link a few places further on will need.
[[gnu::always_inline]] inline void fetch_ahead(const Links& links, const float* values, std::int64_t stride,
                                               std::int64_t at, std::int64_t end, int vectors) {
  if (at + kAhead < end) {
    const float* ahead = values + links.neighbours[at + kAhead] * stride;
    for (int vector = 0; vector < vectors; ++vector) {
      __builtin_prefetch(ahead + vector * Table::kLanes);
    }
  }
}

/// kVectors: how many vectors a row has; 0: as the table says.
template <int kVectors>
[[gnu::always_inline]] inline double count_rows(const Links& links, const Table& y, RowRange rows, Table& counts) {
  const int vectors = kVectors > 0 ? kVectors : y.stride() / Table::kLanes;
  constexpr int kHeld = kVectors > 0 ? kVectors : 64;
  const float* values = y.row(0);
  const std::int64_t stride = y.stride();
  const std::int64_t end = links.offsets[rows.last];
  const bool weighted = links.weighted();
  double likelihood = 0, product = 1;
  int multiplied = 0;
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    Lanes sums[kHeld];
    const auto* mine = reinterpret_cast<const Lanes*>(values + row * stride);
    for (int vector = 0; vector < vectors; ++vector) {
      sums[vector] = Lanes{};
    }
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      fetch_ahead(links, values, stride, at, end, vectors);
      const auto* theirs = reinterpret_cast<const Lanes*>(values + links.neighbours[at] * stride);
      Lanes dots = mine[0] * theirs[0];
      for (int vector = 1; vector < vectors; ++vector) {
        dots += mine[vector] * theirs[vector];
      }
      const float rate = std::max(lane_sum(dots), kLeastRate);
      float factor;
      if (weighted) {
        factor = links.weights[at] / rate;
        likelihood += links.weights[at] * std::log(rate);
      } else {
        factor = inverse_probability(rate);
        likelihood += rate;
        product *= factor;
        if (++multiplied == 12) {
          likelihood -= std::log(product);
          product = 1;
          multiplied = 0;
        }
      }
      for (int vector = 0; vector < vectors; ++vector) {
        sums[vector] += theirs[vector] * factor;
      }
    }
    auto* out = reinterpret_cast<Lanes*>(counts.row(row));
    for (int vector = 0; vector < vectors; ++vector) {
      out[vector] = mine[vector] * sums[vector];
    }
  }
  return likelihood - std::log(product);
}

[[gnu::always_inline]] inline double count_any(const Links& links, const Table& y, RowRange rows, Table& counts) {
  switch (y.stride() / Table::kLanes) {
    case 1:
      return count_rows<1>(links, y, rows, counts);
    case 2:
      return count_rows<2>(links, y, rows, counts);
    case 3:
      return count_rows<3>(links, y, rows, counts);
    case 4:
      return count_rows<4>(links, y, rows, counts);
    default:
      return count_rows<0>(links, y, rows, counts);
  }
}

/// Vectors of a row one after the other, so that any width is held in registers.
[[gnu::always_inline]] inline double sum_neighbours(const Links& links, const Table& from, RowRange rows, Table& sums) {
  const float* values = from.row(0);
  const std::int64_t stride = from.stride();
  const std::int64_t end = links.offsets[rows.last];
  const int vectors = from.stride() / Table::kLanes;
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    auto* out = reinterpret_cast<Lanes*>(sums.row(row));
    for (int vector = 0; vector < vectors; ++vector) {
      out[vector] = Lanes{};
    }
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      fetch_ahead(links, values, stride, at, end, vectors);
      const auto* theirs = reinterpret_cast<const Lanes*>(values + links.neighbours[at] * stride);
      const float weight = links.weighted() ? links.weights[at] : 1.0F;
      for (int vector = 0; vector < vectors; ++vector) {
        out[vector] += theirs[vector] * weight;
      }
    }
  }
  return 0;
}

using CountRows = double (*)(const Links&, const Table&, RowRange, Table&);

double count_baseline(const Links& links, const Table& y, RowRange rows, Table& counts) {
  return count_any(links, y, rows, counts);
}
double sum_baseline(const Links& links, const Table& from, RowRange rows, Table& sums) {
  return sum_neighbours(links, from, rows, sums);
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double sum_avx2(const Links& links, const Table& from, RowRange rows, Table& sums) {
  return sum_neighbours(links, from, rows, sums);
}
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma"))) double sum_avx512(const Links& links,
                                                                                    const Table& from, RowRange rows,
                                                                                    Table& sums) {
  return sum_neighbours(links, from, rows, sums);
}
__attribute__((target("avx2,fma"))) double count_avx2(const Links& links, const Table& y, RowRange rows,
                                                      Table& counts) {
  return count_any(links, y, rows, counts);
}
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma"))) double count_avx512(const Links& links,
                                                                                      const Table& y, RowRange rows,
                                                                                      Table& counts) {
  return count_any(links, y, rows, counts);
}
#endif

struct KernelSet {
  CountRows count, sum;
};

KernelSet chosen_kernels() {
#if defined(__x86_64__)
  const std::string set = instruction_set();
  if (set != "baseline") {
    return set == "avx512" ? KernelSet{count_avx512, sum_avx512} : KernelSet{count_avx2, sum_avx2};
  }
#endif
  return {count_baseline, sum_baseline};
}

}  // namespace

Table::Table(std::int64_t rows, int columns)
    : rows_(rows), columns_(columns), stride_((std::max(columns, 1) + kLanes - 1) / kLanes * kLanes) {
  const std::size_t bytes = static_cast<std::size_t>(std::max<std::int64_t>(rows, 1)) * stride_ * sizeof(float);
  values_.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
  if (values_ == nullptr) {
    throw std::bad_alloc();
  }
  std::memset(values_.get(), 0, bytes);
}

void Table::swap(Table& other) {
  std::swap(rows_, other.rows_);
  std::swap(columns_, other.columns_);
  std::swap(stride_, other.stride_);
  values_.swap(other.values_);
}

Table Table::copy() const {
  Table twin(rows_, columns_);
  std::memcpy(twin.row(0), row(0), static_cast<std::size_t>(rows_) * stride_ * sizeof(float));
  return twin;
}

double expected_counts(const Links& links, const Table& y, Table& counts) {
  const CountRows count = chosen_kernels().count;
  std::vector<double> likelihoods(links.tasks.size());
  parallel_tasks(static_cast<std::int64_t>(links.tasks.size()),
                 [&](std::int64_t task) { likelihoods[task] = count(links, y, links.tasks[task], counts); });
  double sum = 0;
  for (const double likelihood : likelihoods) {
    sum += likelihood;
  }
  return sum / 2;
}

void neighbour_sums(const Links& links, const Table& from, Table& sums) {
  const CountRows sum = chosen_kernels().sum;
  parallel_tasks(static_cast<std::int64_t>(links.tasks.size()),
                 [&](std::int64_t task) { sum(links, from, links.tasks[task], sums); });
}

}  // namespace factorgcn::relations
