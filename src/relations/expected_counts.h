// The pass over all links that every round consists of: how many of a node's links each community accounts for.
//
// Links are counts with rate lambda_ij = <y_i, y_j>, y >= 0. A link without weight says "at least one": relations are
// laid over each other, and a pair that two of them join is one edge. So node i expects in community c
//   n_ic = y_ic sum_j y_jc / (1 - exp(-lambda_ij)),     with weights  n_ic = y_ic sum_j w_ij y_jc / lambda_ij,
// and the links' log-likelihood, less the sum of all rates, is the sum of log(exp(lambda) - 1), or of w log(lambda).
//
// Cost: O(links x columns), twice an edge; rows are summed by one thread in a fixed order.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "factorgcn/base/export.h"
#include "relations/links.h"

namespace factorgcn::relations {

/// Rows of floats, aligned and padded with zeros to whole vectors.
class FACTORGCN_API Table {
 public:
  static constexpr int kLanes = 16;

  Table() = default;
  Table(std::int64_t rows, int columns);

  float* row(std::int64_t index) { return values_.get() + index * stride_; }
  const float* row(std::int64_t index) const { return values_.get() + index * stride_; }
  std::int64_t rows() const { return rows_; }
  int columns() const { return columns_; }
  int stride() const { return stride_; }
  void swap(Table& other);
  Table copy() const;

 private:
  struct Free {
    void operator()(float* values) const { std::free(values); }
  };
  std::int64_t rows_ = 0;
  int columns_ = 0, stride_ = 0;
  std::unique_ptr<float, Free> values_;
};

/// Fills `counts` with n_ic and returns the links' log-likelihood as above (in nats, each link once).
FACTORGCN_API double expected_counts(const Links& links, const Table& y, Table& counts);

/// Row i of `sums` becomes the sum of `from`'s rows over i's neighbours, each with the link's weight.
void neighbour_sums(const Links& links, const Table& from, Table& sums);

}  // namespace factorgcn::relations
