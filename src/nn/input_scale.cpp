// Scaling of dense and of sparse features. Sums are taken in double, in the order of nodes.
#include "factorgcn/nn/input_scale.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {
namespace {

constexpr std::array kScales{InputScale::kNone, InputScale::kRows, InputScale::kStandard};

/// The graphs that training reads.
std::vector<bool> graphs_trained_on(const Dataset& dataset) {
  const std::int64_t graphs = dataset.graphs.num_graphs();
  std::vector<bool> trained(static_cast<std::size_t>(graphs), false);
  const auto* const offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  for (const std::int64_t item : dataset.split.train) {
    const std::int64_t graph =
        dataset.node_split ? std::upper_bound(offsets, offsets + graphs + 1, item) - offsets - 1 : item;
    trained[static_cast<std::size_t>(graph)] = true;
  }
  return trained;
}

/// The same with other values at the same places.
at::Tensor with_values(const SparseRows& rows, const at::Tensor& values) {
  return sparse_features({rows.offsets, rows.columns, values, rows.width});
}

/// Features of either kind, row by row.
class FeatureReader {
 public:
  explicit FeatureReader(const at::Tensor& features) : width_(features.size(1)) {
    if (!is_sparse(features)) {
      values_ = features.data_ptr<float>();
      return;
    }
    rows_ = sparse_rows(features);
    values_ = rows_.values.data_ptr<float>();
    offsets_ = rows_.offsets.data_ptr<std::int32_t>();
    columns_ = rows_.columns.data_ptr<std::int32_t>();
  }

  /// Calls `take(column, value)` with each stored value of a row.
  template <class Take>
  void each(std::int64_t row, const Take& take) const {
    const std::int64_t begin = offsets_ != nullptr ? offsets_[row] : row * width_;
    const std::int64_t end = offsets_ != nullptr ? offsets_[row + 1] : begin + width_;
    for (std::int64_t place = begin; place < end; ++place) {
      take(columns_ != nullptr ? columns_[place] : place - begin, values_[place]);
    }
  }

 private:
  SparseRows rows_;  // keeps what is pointed to
  std::int64_t width_;
  const float* values_ = nullptr;
  const std::int32_t *offsets_ = nullptr, *columns_ = nullptr;
};

}  // namespace

const char* input_scale_name(InputScale scale) {
  switch (scale) {
    case InputScale::kNone:
      return "none";
    case InputScale::kRows:
      return "rows";
    case InputScale::kStandard:
      return "standard";
  }
  return "unknown";
}

InputScale input_scale_from_name(const std::string& name, const std::string& what) {
  for (const InputScale scale : kScales) {
    if (name == input_scale_name(scale)) {
      return scale;
    }
  }
  throw UsageError(concat(what, " is \"", name, "\": choose none, rows or standard"));
}

namespace {

/// Nodes as a list of ranges.
using NodeRanges = std::vector<std::pair<std::int64_t, std::int64_t>>;

at::Tensor sums_of(const FeatureReader& reader, std::int64_t width, const NodeRanges& ranges) {
  at::Tensor sums = at::zeros({width}, at::kDouble);
  auto* const sum = sums.data_ptr<double>();
  for (const auto& [begin, end] : ranges) {
    for (std::int64_t node = begin; node < end; ++node) {
      reader.each(node, [&](std::int64_t column, float value) { sum[column] += value; });
    }
  }
  return sums;
}

/// The mean is subtracted first: squares of large values would swallow a small deviation. What a sparse matrix does not
/// hold is 0, each time the mean away from it.
at::Tensor squares_of(const FeatureReader& reader, const at::Tensor& means, const NodeRanges& ranges) {
  const std::int64_t width = means.numel();
  const auto* const mean = means.data_ptr<double>();
  at::Tensor squares = at::zeros({width}, at::kDouble);
  auto* const square = squares.data_ptr<double>();
  std::vector<std::int64_t> held(static_cast<std::size_t>(width), 0);
  std::int64_t nodes = 0;
  for (const auto& [begin, end] : ranges) {
    nodes += end - begin;
    for (std::int64_t node = begin; node < end; ++node) {
      reader.each(node, [&](std::int64_t column, float value) {
        const double difference = value - mean[column];
        square[column] += difference * difference;
        ++held[static_cast<std::size_t>(column)];
      });
    }
  }
  for (std::int64_t column = 0; column < width; ++column) {
    square[column] +=
        mean[column] * mean[column] * static_cast<double>(nodes - held[static_cast<std::size_t>(column)]);
  }
  return squares;
}

}  // namespace

at::Tensor column_sums(const at::Tensor& features) {
  return sums_of(FeatureReader(features), features.size(1), {{0, features.size(0)}});
}

at::Tensor column_squares(const at::Tensor& features, const at::Tensor& mean) {
  return squares_of(FeatureReader(features), mean, {{0, features.size(0)}});
}

ColumnScale column_scale(const at::Tensor& means, const at::Tensor& squares, std::int64_t nodes, bool sparse) {
  const std::int64_t width = means.numel();
  const double count = std::max<double>(static_cast<double>(nodes), 1.0);
  ColumnScale scale{at::zeros({width}, at::kFloat), at::empty({width}, at::kFloat)};
  for (std::int64_t column = 0; column < width; ++column) {
    const double mean = means.data_ptr<double>()[column];
    const double deviation = std::sqrt(squares.data_ptr<double>()[column] / count);
    if (!sparse) {
      scale.mean.data_ptr<float>()[column] = static_cast<float>(mean);
    }
    // Below a float's resolution of the values there is nothing but rounding.
    const bool varies = deviation > 1e-6 * std::abs(mean) && deviation > 0;
    scale.factor.data_ptr<float>()[column] = static_cast<float>(varies ? 1 / deviation : 1.0);
  }
  return scale;
}

ColumnScale column_scale(const Dataset& dataset) {
  const at::Tensor& features = dataset.graphs.features;
  const std::vector<bool> trained = graphs_trained_on(dataset);
  const auto* const offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  NodeRanges ranges;
  std::int64_t nodes = 0;
  for (std::int64_t graph = 0; graph < dataset.graphs.num_graphs(); ++graph) {
    if (trained[static_cast<std::size_t>(graph)]) {
      ranges.emplace_back(offsets[graph], offsets[graph + 1]);
      nodes += offsets[graph + 1] - offsets[graph];
    }
  }
  const FeatureReader reader(features);
  const double count = std::max<double>(static_cast<double>(nodes), 1.0);
  const at::Tensor mean = sums_of(reader, features.size(1), ranges).div_(count);
  return column_scale(mean, squares_of(reader, mean, ranges), nodes, is_sparse(features));
}

at::Tensor scaled_columns(const at::Tensor& features, const ColumnScale& scale) {
  if (!is_sparse(features)) {
    return (features - scale.mean) * scale.factor;
  }
  const SparseRows rows = sparse_rows(features);
  return with_values(rows, rows.values * scale.factor.index_select(0, rows.columns));
}

at::Tensor scaled_rows(const at::Tensor& features) {
  if (!is_sparse(features)) {
    const at::Tensor sums = features.abs().sum(1, /*keepdim=*/true);
    return features / sums.masked_fill(sums.eq(0), 1.0);
  }
  const SparseRows rows = sparse_rows(features);
  at::Tensor values = at::empty(rows.values.sizes(), rows.values.options());
  const auto* const offsets = rows.offsets.data_ptr<std::int32_t>();
  const auto* const from = rows.values.data_ptr<float>();
  auto* const to = values.data_ptr<float>();
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    double sum = 0;
    for (std::int64_t entry = offsets[row]; entry < offsets[row + 1]; ++entry) {
      sum += std::abs(from[entry]);
    }
    const auto factor = static_cast<float>(sum == 0 ? 1.0 : 1 / sum);
    for (std::int64_t entry = offsets[row]; entry < offsets[row + 1]; ++entry) {
      to[entry] = from[entry] * factor;
    }
  }
  return with_values(rows, values);
}

at::Tensor drop_entries(const at::Tensor& features, double share, bool active) {
  if (!active || share == 0) {
    return features;
  }
  if (!is_sparse(features)) {
    return at::dropout(features, share, true);
  }
  const SparseRows rows = sparse_rows(features);
  return with_values(rows, at::dropout(rows.values, share, true));
}

double mean_edge_weight(const Dataset& dataset) {
  const at::Tensor& weights = dataset.graphs.edge_weights;
  require_usage(weights.defined(), "data set ", dataset.name,
                " has no edge weights; import it with a column of them (--edge-weight COLUMN)");
  const auto* const weight = weights.data_ptr<float>();
  const auto* const offsets = dataset.graphs.edge_offsets.data_ptr<std::int64_t>();
  const std::vector<bool> trained = graphs_trained_on(dataset);
  double sum = 0;
  std::int64_t count = 0;
  for (std::int64_t graph = 0; graph < dataset.graphs.num_graphs(); ++graph) {
    for (std::int64_t edge = offsets[graph]; edge < offsets[graph + 1]; ++edge) {
      require_usage(weight[edge] >= 0, "data set ", dataset.name, ": an edge has the weight ", weight[edge],
                    "; layers use weights of 0 or more");
      if (trained[static_cast<std::size_t>(graph)]) {
        sum += weight[edge];
        ++count;
      }
    }
  }
  require_usage(sum > 0, "data set ", dataset.name, ": all edge weights are 0; nothing would reach any node");
  return sum / static_cast<double>(count);
}

}  // namespace factorgcn
