// How a model errs on the graphs or nodes it was tested on: scores of each class, which class is taken for which,
// whether probabilities mean what they say. Internal to report/.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/report/page.h"
#include "factorgcn/train/data_part.h"

namespace factorgcn {

class GraphModel;

/// Predictions and targets of what counts, row by row.
struct FACTORGCN_API TestedRows {
  at::Tensor prediction;  ///< float [n, outputs]: logits
  at::Tensor targets;     ///< as the data set has them

  std::int64_t count() const { return prediction.defined() ? prediction.size(0) : 0; }
};

/// One forward pass over the part.
FACTORGCN_API TestedRows test_rows(GraphModel& model, const Dataset& dataset, const DataPart& part,
                                   std::int64_t batch_size);

/// The same of several models, one after the other.
FACTORGCN_API TestedRows join_rows(const std::vector<TestedRows>& parts);

/// Adds the parts that the task has: tables for classes and labels, the confusion of classes, reliability of both.
/// `what`: "test nodes". Nothing is added for regression or where there are no rows.
FACTORGCN_API void add_prediction_parts(const TestedRows& rows, Task task, const std::vector<std::string>& names,
                                        const std::string& what, Page& page);

}  // namespace factorgcn
