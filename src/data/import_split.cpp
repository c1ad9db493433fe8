// Words for the parts of a split, as people write them.
#include "data/import_split.h"

#include <string>

#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

SplitPart split_part(std::string_view cell) {
  if (is_missing_value(cell)) {
    return SplitPart::kNone;
  }
  const std::string name = plain_column_name(cell);
  if (name == "train" || name == "training") {
    return SplitPart::kTrain;
  }
  if (name == "val" || name == "valid" || name == "validation" || name == "dev") {
    return SplitPart::kValidation;
  }
  if (name == "test" || name == "testing") {
    return SplitPart::kTest;
  }
  return SplitPart::kUnknown;
}

}  // namespace factorgcn
