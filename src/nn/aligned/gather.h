// Rows of a table by number, with a gradient that is added up in a fixed order on every device: libtorch's own adds
// atomically on a GPU, and no two runs would end in the same bits. Cost: a copy of the rows; backward the same and a
// sum over segments.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "factorgcn/base/export.h"

namespace factorgcn::aligned {

/// Where each row is used: those of row r are uses[offsets[r]] .. uses[offsets[r + 1] - 1], int64 both. `uses`
/// undefined: 0, 1, 2 ..., for an index that rises.
struct RowUses {
  at::Tensor offsets, uses;
};

/// Of an index in main memory into `rows` rows; sent to `device`.
FACTORGCN_API RowUses uses_of(const at::Tensor& index, std::int64_t rows, at::Device device);

/// x[index], int64.
FACTORGCN_API at::Tensor gather_rows(const at::Tensor& x, const at::Tensor& index, const RowUses& uses);

}  // namespace factorgcn::aligned
