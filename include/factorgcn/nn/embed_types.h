// Node types to rows of a table that is learnt.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// table: [types, width]; types: int64 [N], in range. Returns [N, width]. Differentiable in the table; unlike
/// libtorch's own embedding, the same bits on every run of a GPU too, for tables of up to 4096 types.
FACTORGCN_API at::Tensor embed_types(const at::Tensor& table, const at::Tensor& types);

}  // namespace factorgcn
