// The parts of a split, read from a column.
#pragma once

#include <cstdint>
#include <string_view>

#include "factorgcn/base/export.h"

namespace factorgcn {

enum class SplitPart : std::int8_t { kNone = -1, kTrain = 0, kValidation = 1, kTest = 2, kUnknown = 3 };

/// train, training, val, valid, validation, dev, test, testing in any case; kNone where the value is missing.
FACTORGCN_API SplitPart split_part(std::string_view cell);

}  // namespace factorgcn
