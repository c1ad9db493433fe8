// Splits of nodes or graphs: read from a column, or drawn.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

enum class SplitPart : std::int8_t { kNone = -1, kTrain = 0, kValidation = 1, kTest = 2, kUnknown = 3 };

/// train, training, val, valid, validation, dev, test, testing in any case; kNone where the value is missing.
FACTORGCN_API SplitPart split_part(std::string_view cell);

/// Draws a split of the items with a class (those with -1 are left out). Going through the classes one after the other,
/// each shuffled, an item goes where most is lacking; the first of each class is for training. So parts have their
/// shares, both of the whole and of each class, up to rounding. Indices rise within each part.
FACTORGCN_API Split draw_stratified_split(std::span<const std::int64_t> classes, const std::array<double, 3>& shares,
                                          std::uint64_t seed);

}  // namespace factorgcn
