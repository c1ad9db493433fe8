// What is done to feature values before a network's first layer.
//
//   kRows       x_ij / sum over j of |x_ij|                   rows of zeros stay
//   kStandard   (x_ij - mean_j) / deviation_j                 sparse features: x_ij / deviation_j, to stay sparse
//
// Means and deviations are those of the graphs trained on (of one graph: of all its nodes, which training sees,
// labelled or not); columns that do not vary are divided by 1. Dense and sparse features (graph/sparse_features.h)
// alike.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

enum class InputScale { kNone, kRows, kStandard };

FACTORGCN_API const char* input_scale_name(InputScale scale);
/// `what` is named in the error, e.g. "model gcn: scale".
FACTORGCN_API InputScale input_scale_from_name(const std::string& name, const std::string& what = "scale");

struct FACTORGCN_API ColumnScale {
  at::Tensor mean, factor;  ///< [F]: what is taken off, and 1 / deviation
};

/// Of the training part. Cost: O(values).
FACTORGCN_API ColumnScale column_scale(const Dataset& dataset);

/// The same from pieces: each column's sum over the nodes of a piece, double [F]; each column's squared differences
/// from the mean of all, double [F]; and from what these add up to over all pieces, `nodes` together.
FACTORGCN_API at::Tensor column_sums(const at::Tensor& features);
FACTORGCN_API at::Tensor column_squares(const at::Tensor& features, const at::Tensor& mean);
FACTORGCN_API ColumnScale column_scale(const at::Tensor& mean, const at::Tensor& squares, std::int64_t nodes,
                                       bool sparse);

FACTORGCN_API at::Tensor scaled_columns(const at::Tensor& features, const ColumnScale& scale);
FACTORGCN_API at::Tensor scaled_rows(const at::Tensor& features);

/// Dropout: of sparse features, of those that are there.
FACTORGCN_API at::Tensor drop_entries(const at::Tensor& features, double share, bool active);

/// Mean weight of the edges of the graphs trained on. Throws UsageError where edges have no weights, one is below 0, or
/// all are 0.
FACTORGCN_API double mean_edge_weight(const Dataset& dataset);

}  // namespace factorgcn
