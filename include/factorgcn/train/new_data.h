// Other data than a model was trained on, brought into the form that it reads.
//
// Columns and classes are matched by name, in whatever order they are; where one side has no names, by their order.
// What a model reads and the data lack is refused, what the data have beyond that is left out with a note:
//
//   a column                         every one must be there
//   a value of a column of words     city=Lima, where no node of the new data is from Lima: 0 for every node
//   a word the model does not know   city=Paris: all of city's columns are 0, as for a missing value
//   a node type                      every type that occurs must be known; in-degrees beyond the largest known count as
//                                    that
//   a class                          labels of unknown classes count as not known
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/train/trained_on.h"

namespace factorgcn {

struct FACTORGCN_API FittedData {
  Dataset dataset;                           ///< `labelled` says which targets are known; there may be none at all
  std::vector<std::string> notes;            ///< one line each
  std::vector<std::string> unknown_classes;  ///< that labels name and the model does not know
};

/// Throws UsageError, naming `dataset.name` and what is missing or unknown. Cost: a copy of the features where columns
/// change their places, else O(nodes).
FACTORGCN_API FittedData fit_to_model(Dataset dataset, const TrainedOn& trained);

}  // namespace factorgcn
