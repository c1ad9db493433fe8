// Node features of which most values are 0, bags of words say: a matrix [nodes, columns] in compressed rows.
//
// It is an at::Tensor of libtorch's layout kSparseCsr with 32-bit positions, so that whatever holds features holds
// these too and asks for size(0), size(1) and scalar_type() alike; there is no data_ptr(). They stay sparse up to the
// first product with a network's weights (ops/dense.h takes them), and are made dense for a GPU.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

FACTORGCN_API bool is_sparse(const at::Tensor& features);

/// What a sparse matrix is made of; the tensors are shared with it.
struct FACTORGCN_API SparseRows {
  at::Tensor offsets;  ///< int32 [rows + 1]; entries of row i are offsets[i] .. offsets[i + 1]
  at::Tensor columns;  ///< int32 [entries], rising within a row
  at::Tensor values;   ///< [entries]
  std::int64_t width = 0;

  std::int64_t rows() const { return offsets.numel() - 1; }
  std::int64_t entries() const { return columns.numel(); }
};

/// Nothing is copied and nothing checked: see check_sparse_rows().
FACTORGCN_API at::Tensor sparse_features(const SparseRows& rows);
FACTORGCN_API SparseRows sparse_rows(const at::Tensor& features);

/// Throws Error, naming `name`, unless offsets rise from 0 to the entries, columns rise within each row and are in
/// range, and values are float and finite. Cost: O(rows + entries).
FACTORGCN_API void check_sparse_rows(const SparseRows& rows, const std::string& name);

/// Sparse features as a matrix of all values, others as they are.
FACTORGCN_API at::Tensor dense_features(const at::Tensor& features);

/// The same from a matrix, zeros left out.
FACTORGCN_API at::Tensor compressed_features(const at::Tensor& features);

/// Rows first .. first + count: a view of dense features, a copy of sparse ones.
FACTORGCN_API at::Tensor feature_rows(const at::Tensor& features, std::int64_t first, std::int64_t count);

/// Pieces of rows behind each other: piece p is rows first[p] .. first[p] + count[p] of `features`, which are sparse.
FACTORGCN_API at::Tensor gathered_rows(const at::Tensor& features, std::span<const std::int64_t> first,
                                       std::span<const std::int64_t> count);

}  // namespace factorgcn
