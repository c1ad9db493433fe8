// PATCHY-SAN's network (Niepert, Ahmed and Kutzkov, ICML 2016) on the fields of classic/receptive_fields.h.
//
//   per field   16 filters over its `size` places, label by label, and over the edges between places: ReLU
//   along them  8 filters over 10 consecutive fields, stride 1: ReLU
//   per graph   128 units, ReLU, dropout, linear to the classes
//
// The first convolution reads one-hot labels, so it is a sum of rows of a table: one row for each place and label, and
// one for each ordered pair of places that an edge joins.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/nn/graph_model.h"

namespace factorgcn {

struct FACTORGCN_API PatchySanOptions {
  std::int64_t node_types = 0;  ///< the empty place included
  std::int64_t fields = 0, size = 10;
  std::int64_t field_filters = 16, filters = 8, window = 10, hidden = 128;
  std::int64_t outputs = 0;
  double dropout = 0.5;
  bool edges = true;  ///< fields show their edges, not only their nodes
};

class FACTORGCN_API PatchySan : public GraphModel {
 public:
  PatchySan(const PatchySanOptions& options, std::uint64_t seed);

  /// `batch`: graphs of fields x size nodes with types, as field_dataset() makes them. Throws Error for others.
  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) override;

 private:
  at::Tensor read_fields(const GraphBatch& batch) const;

  PatchySanOptions options_;
  at::Tensor node_table_, edge_table_, field_bias_;
  at::Tensor filter_weight_, filter_bias_, hidden_weight_, hidden_bias_, out_weight_, out_bias_;
};

}  // namespace factorgcn
