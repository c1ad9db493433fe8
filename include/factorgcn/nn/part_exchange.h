// One graph in parts: what the parts tell each other, so that a network runs on them as on the whole.
//
// A part owns rows (nodes) and all edges into them. The sources of these edges that other parts own are its halo: of
// their rows it holds copies, behind its own. Some parts lie in this process, others elsewhere: every process makes the
// same calls in the same order. Results follow from the parts alone, not from where they lie.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Tables of one part with a row for each of its nodes, [rows, ...], or for each node of its halo.
using RowTables = std::vector<at::Tensor>;

class FACTORGCN_API PartExchange {
 public:
  virtual ~PartExchange() = default;

  /// Parts of the whole graph, wherever they lie.
  virtual std::int64_t parts() const = 0;

  /// Fills the halos of the parts here from the rows of the parts that own them. Tables of one part follow each other
  /// as those of any other, of the same widths; `halo` holds contiguous tensors.
  virtual void fetch(const std::vector<RowTables>& rows, std::vector<RowTables>& halo) = 0;

  /// The way back: adds what copies hold to the rows they are copies of, part after part in their order. `rows` holds
  /// contiguous tensors.
  virtual void give_back(const std::vector<RowTables>& halo, std::vector<RowTables>& rows) = 0;

  /// What each part of the whole graph has, in the order of the parts: [parts, ...]. `own`: of the parts here, all of
  /// one shape and type.
  virtual at::Tensor gather(const std::vector<at::Tensor>& own) = 0;
};

}  // namespace factorgcn
