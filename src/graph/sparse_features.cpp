// Compressed rows as a tensor, and cutting pieces out of them.
#include "factorgcn/graph/sparse_features.h"

#include <ATen/ops/_sparse_csr_tensor_unsafe.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "graph/tensor_checks.h"

namespace factorgcn {
namespace {

// libtorch warns of this layout when the first such tensor is made. What it warns of, operations that are missing, is
// not used here.
#if TORCH_VERSION_MAJOR >= 2
namespace warnings = c10::WarningUtils;
class Unheard : public c10::WarningHandler {
 public:
  void process(const c10::Warning& /*warning*/) override {}
};
#else
namespace warnings = c10::Warning;
class Unheard : public c10::WarningHandler {
 public:
  void process(const c10::SourceLocation& /*source*/, const std::string& /*text*/, bool /*verbatim*/) override {}
};
#endif

void check_int32_offsets(const SparseRows& rows, const std::string& name) {
  require_readable(rows.offsets, at::kInt, name, "the features' offsets");
  require(rows.offsets.dim() == 1 && rows.offsets.numel() >= 1 && rows.offsets.is_contiguous(), name,
          ": the features' offsets have shape ", shape_text(rows.offsets), "; it must be [nodes + 1]");
  const auto* const offsets = rows.offsets.data_ptr<std::int32_t>();
  require(offsets[0] == 0 && offsets[rows.rows()] == rows.entries() &&
              std::is_sorted(offsets, offsets + rows.offsets.numel()),
          name, ": the features' offsets must rise from 0 to ", rows.entries());
}

}  // namespace

bool is_sparse(const at::Tensor& features) { return features.defined() && features.layout() == at::kSparseCsr; }

at::Tensor sparse_features(const SparseRows& rows) {
  Unheard nobody;
  const warnings::WarningHandlerGuard quiet(&nobody);
  return at::_sparse_csr_tensor_unsafe(rows.offsets, rows.columns, rows.values, {rows.rows(), rows.width},
                                       rows.values.options().layout(at::kSparseCsr));
}

SparseRows sparse_rows(const at::Tensor& features) {
  require(is_sparse(features), "sparse_rows(): features are not sparse");
  return {features.crow_indices(), features.col_indices(), features.values(), features.size(1)};
}

void check_sparse_rows(const SparseRows& rows, const std::string& name) {
  require(rows.width >= 1 && rows.width <= std::numeric_limits<std::int32_t>::max(), name, ": features have ",
          rows.width, " columns; 1 to ", std::numeric_limits<std::int32_t>::max(), " are possible");
  const std::int64_t entries = rows.columns.defined() ? rows.entries() : 0;
  require_vector(rows.columns, at::kInt, entries, name, "the features' columns");
  require_vector(rows.values, at::kFloat, entries, name, "the features' values");
  check_int32_offsets(rows, name);
  const auto* const offsets = rows.offsets.data_ptr<std::int32_t>();
  const auto* const columns = rows.columns.data_ptr<std::int32_t>();
  const auto* const values = rows.values.data_ptr<float>();
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    std::int64_t former = -1;
    for (std::int64_t entry = offsets[row]; entry < offsets[row + 1]; ++entry) {
      if (columns[entry] <= former || columns[entry] >= rows.width) [[unlikely]] {
        fail(name, ": node ", row, " has a feature in column ", columns[entry], " after column ", former,
             "; columns must rise within 0 .. ", rows.width - 1);
      }
      if (!std::isfinite(values[entry])) [[unlikely]] {
        fail(name, ": feature ", columns[entry], " of node ", row, " is ", values[entry], "; features must be finite");
      }
      former = columns[entry];
    }
  }
}

at::Tensor dense_features(const at::Tensor& features) {
  if (!is_sparse(features)) {
    return features;
  }
  const SparseRows rows = sparse_rows(features);
  at::Tensor dense = at::zeros({rows.rows(), rows.width}, rows.values.options());
  const auto* const offsets = rows.offsets.data_ptr<std::int32_t>();
  const auto* const columns = rows.columns.data_ptr<std::int32_t>();
  const auto* const values = rows.values.data_ptr<float>();
  auto* const to = dense.data_ptr<float>();
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    for (std::int64_t entry = offsets[row]; entry < offsets[row + 1]; ++entry) {
      to[row * rows.width + columns[entry]] = values[entry];
    }
  }
  return dense;
}

at::Tensor compressed_features(const at::Tensor& features) {
  require(features.dim() == 2 && features.scalar_type() == at::kFloat, "compressed_features(): features have shape ",
          shape_text(features), "; float [nodes, columns] is needed");
  const at::Tensor dense = features.contiguous();
  const std::int64_t count = dense.size(0), width = dense.size(1);
  const auto* const from = dense.data_ptr<float>();
  const std::int64_t entries = dense.numel() - std::count(from, from + dense.numel(), 0.0F);
  require(entries <= std::numeric_limits<std::int32_t>::max(), "compressed_features(): ", entries,
          " values are not 0; sparse features hold at most ", std::numeric_limits<std::int32_t>::max());
  SparseRows rows{at::empty({count + 1}, at::kInt), at::empty({entries}, at::kInt), at::empty({entries}, at::kFloat),
                  width};
  auto* const offsets = rows.offsets.data_ptr<std::int32_t>();
  auto* column = rows.columns.data_ptr<std::int32_t>();
  auto* value = rows.values.data_ptr<float>();
  offsets[0] = 0;
  for (std::int64_t row = 0; row < count; ++row) {
    offsets[row + 1] = offsets[row];
    for (std::int64_t index = 0; index < width; ++index) {
      if (from[row * width + index] != 0.0F) {
        *column++ = static_cast<std::int32_t>(index);
        *value++ = from[row * width + index];
        ++offsets[row + 1];
      }
    }
  }
  return sparse_features(rows);
}

at::Tensor feature_rows(const at::Tensor& features, std::int64_t first, std::int64_t count) {
  return is_sparse(features) ? gathered_rows(features, std::span(&first, 1), std::span(&count, 1))
                             : features.narrow(0, first, count);
}

at::Tensor gathered_rows(const at::Tensor& features, std::span<const std::int64_t> first,
                         std::span<const std::int64_t> count) {
  const SparseRows from = sparse_rows(features);
  const auto* const offsets = from.offsets.data_ptr<std::int32_t>();
  std::vector<std::int64_t> row_begin(first.size() + 1), entry_begin(first.size() + 1);
  for (std::size_t piece = 0; piece < first.size(); ++piece) {
    row_begin[piece + 1] = row_begin[piece] + count[piece];
    entry_begin[piece + 1] = entry_begin[piece] + offsets[first[piece] + count[piece]] - offsets[first[piece]];
  }
  const std::int64_t rows = row_begin.back(), entries = entry_begin.back();
  require(entries <= std::numeric_limits<std::int32_t>::max(), "a batch would have ", entries,
          " features that are not 0; at most ", std::numeric_limits<std::int32_t>::max(),
          " are possible, so take fewer graphs at a time");
  SparseRows to{at::empty({rows + 1}, at::kInt), at::empty({entries}, at::kInt),
                at::empty({entries}, from.values.options()), from.width};
  auto* const to_offsets = to.offsets.data_ptr<std::int32_t>();
  to_offsets[0] = 0;
  // Each piece writes its own places, so how they are spread over threads cannot change the result.
  parallel_tasks(static_cast<std::int64_t>(first.size()), [&](std::int64_t index) {
    const auto piece = static_cast<std::size_t>(index);
    const std::int32_t* const own = offsets + first[piece];
    const std::int64_t shift = entry_begin[piece] - own[0];
    for (std::int64_t row = 1; row <= count[piece]; ++row) {
      to_offsets[row_begin[piece] + row] = static_cast<std::int32_t>(own[row] + shift);
    }
    const std::int64_t held = own[count[piece]] - own[0];
    std::copy_n(from.columns.data_ptr<std::int32_t>() + own[0], held,
                to.columns.data_ptr<std::int32_t>() + entry_begin[piece]);
    std::copy_n(from.values.data_ptr<float>() + own[0], held, to.values.data_ptr<float>() + entry_begin[piece]);
  });
  return sparse_features(to);
}

}  // namespace factorgcn
