// What a data set's published evaluation did that it should not have.
#pragma once

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API ProtocolSlips {
  bool test_on_validation = false;     ///< the "test" score was computed on validation data
  bool choose_on_last_batch = false;   ///< the model was chosen on the last validation batch alone
  bool factors_on_training = false;    ///< factor graphs were scored on a batch of training graphs
  bool dropout_at_evaluation = false;  ///< dropout stayed on
  bool choose_on_test = false;         ///< no validation graphs; the test curve itself picks the epoch
};

}  // namespace factorgcn
