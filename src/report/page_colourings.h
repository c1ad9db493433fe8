// What a run can colour the nodes of its graphs by: class, prediction, part of the data, node type. Internal to
// report/.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "factorgcn/data/dataset.h"
#include "factorgcn/report/page_graphs.h"

namespace factorgcn {

class NodeColourings {
 public:
  /// `names`: of the outputs. `predicted`: whether predictions of nodes will be handed to colours().
  NodeColourings(const Dataset& dataset, const std::vector<std::string>& names, bool predicted);

  const std::vector<PageColouring>& colourings() const { return colourings_; }

  /// Of the nodes first .. first + count - 1 of the data set, one list per colouring. `prediction`: [count, classes].
  std::vector<std::vector<std::int32_t>> colours(std::int64_t first, std::int64_t count,
                                                 const at::Tensor& prediction) const;

 private:
  enum class Kind { kClass, kPredicted, kTest, kPart, kType };

  const Dataset& dataset_;
  std::vector<PageColouring> colourings_;
  std::vector<Kind> kinds_;
  std::vector<std::int8_t> part_of_;  ///< per node: 0 training, 1 validation, 2 test, -1 none; empty where all count
};

}  // namespace factorgcn
