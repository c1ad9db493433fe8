// The published evaluation's slips, and where each applies.
//
// The corrected protocol has none: the best model on all validation data, dropout off, scored on the test split. With
// --protocol published they are repeated, so that the paper's own numbers can be compared with.
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct FACTORGCN_API ProtocolSlips {
  bool test_on_validation = false;     ///< synthetic: the "test" score was computed on validation data
  bool choose_on_last_batch = false;   ///< PATTERN: the model was chosen on the last validation batch alone
  bool factors_on_training = false;    ///< ZINC: factor graphs were scored on a batch of training molecules
  bool dropout_at_evaluation = false;  ///< TU sets: dropout stayed on
  bool choose_on_test = false;         ///< TU sets: no validation graphs; the test curve itself picks the epoch
};

/// `protocol` is "corrected" (no slips) or "published" (those of the data set).
FACTORGCN_API ProtocolSlips protocol_slips(const std::string& protocol, const Dataset& dataset);

}  // namespace factorgcn
