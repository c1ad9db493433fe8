// One place that knows which data set suffers from what.
#include "factorgcn/train/protocol.h"

#include "factorgcn/data/folds.h"

namespace factorgcn {

ProtocolSlips protocol_slips(const std::string& protocol, const Dataset& dataset) {
  ProtocolSlips slips;
  if (protocol != "published") {
    return slips;
  }
  slips.test_on_validation = dataset.name == "synthetic";
  slips.choose_on_last_batch = dataset.name == "pattern";
  slips.factors_on_training = dataset.name == "zinc";
  slips.dropout_at_evaluation = published_folds(dataset.name).has_value();
  slips.choose_on_test = dataset.task == Task::kGraphClass && dataset.split.validation.empty();
  return slips;
}

}  // namespace factorgcn
