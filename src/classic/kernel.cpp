// Inner products by columns: for each entry of a row, all graphs that share its column are visited.
#include "factorgcn/classic/kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

constexpr std::array kKindNames{"linear", "polynomial", "rbf"};

/// The features column by column.
struct Columns {
  std::vector<std::size_t> offsets;
  std::vector<std::int64_t> graphs;
  std::vector<double> values;
};

Columns by_column(const SparseFeatures& features) {
  Columns result;
  std::int64_t count = 0;
  for (const std::int64_t column : features.columns) {
    require(column >= 0, "a feature's column is ", column);
    count = std::max(count, column + 1);
  }
  result.offsets.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const std::int64_t column : features.columns) {
    ++result.offsets[static_cast<std::size_t>(column) + 1];
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  std::vector<std::size_t> next(result.offsets.begin(), result.offsets.end() - 1);
  result.graphs.resize(features.columns.size());
  result.values.resize(features.columns.size());
  for (std::size_t graph = 0; graph + 1 < features.offsets.size(); ++graph) {
    for (auto at = static_cast<std::size_t>(features.offsets[graph]);
         at < static_cast<std::size_t>(features.offsets[graph + 1]); ++at) {
      const std::size_t place = next[static_cast<std::size_t>(features.columns[at])]++;
      result.graphs[place] = static_cast<std::int64_t>(graph);
      result.values[place] = features.values[at];
    }
  }
  return result;
}

}  // namespace

const char* kernel_kind_name(KernelKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

KernelKind kernel_kind_from_name(const std::string& name) {
  const auto* const found = std::find(kKindNames.begin(), kKindNames.end(), name);
  require_usage(found != kKindNames.end(), "kernel '", name, "': choose linear, polynomial or rbf");
  return static_cast<KernelKind>(found - kKindNames.begin());
}

std::string KernelFunction::text() const {
  switch (kind) {
    case KernelKind::kLinear:
      return "linear";
    case KernelKind::kPolynomial:
      return concat("polynomial of degree ", degree);
    case KernelKind::kRbf:
      return concat("rbf, gamma ", gamma);
  }
  fail("unknown kernel ", static_cast<int>(kind));
}

GramMatrix inner_products(const SparseFeatures& features) {
  const std::int64_t graphs = features.num_graphs();
  const Columns columns = by_column(features);
  GramMatrix result(graphs);
  parallel_tasks(graphs, [&](std::int64_t graph) {
    const std::span<double> row = result.row(graph);
    for (auto at = static_cast<std::size_t>(features.offsets[static_cast<std::size_t>(graph)]);
         at < static_cast<std::size_t>(features.offsets[static_cast<std::size_t>(graph) + 1]); ++at) {
      const auto column = static_cast<std::size_t>(features.columns[at]);
      const double value = features.values[at];
      for (std::size_t place = columns.offsets[column]; place < columns.offsets[column + 1]; ++place) {
        row[static_cast<std::size_t>(columns.graphs[place])] += value * columns.values[place];
      }
    }
  });
  return result;
}

void kernel_row(const GramMatrix& products, const KernelFunction& kernel, std::int64_t row, std::span<double> out) {
  const std::span<const double> given = products.row(row);
  const double own = products.at(row, row);
  for (std::size_t column = 0; column < out.size(); ++column) {
    const auto index = static_cast<std::int64_t>(column);
    double other = products.at(index, index);
    double product = given[column];
    double self = own;
    if (kernel.normalised) {
      // The product of the roots is the same both ways round, so the matrix stays symmetric to the last bit.
      const double scale = std::sqrt(self) * std::sqrt(other);
      product = index == row ? (self > 0 ? 1.0 : 0.0) : (scale > 0 ? product / scale : 0.0);
      self = self > 0 ? 1.0 : 0.0;
      other = other > 0 ? 1.0 : 0.0;
    }
    switch (kernel.kind) {
      case KernelKind::kLinear:
        out[column] = product;
        break;
      case KernelKind::kPolynomial: {
        const double base = kernel.gamma * product + 1;
        double power = 1;
        for (int factor = 0; factor < kernel.degree; ++factor) {
          power *= base;
        }
        out[column] = power;
        break;
      }
      case KernelKind::kRbf:
        out[column] = std::exp(-kernel.gamma * std::max(0.0, (self + other) - 2 * product));
        break;
    }
  }
}

}  // namespace factorgcn
