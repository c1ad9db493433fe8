// A split for data that come without one.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// Draws a split of the items with a class (those with -1 are left out). Going through the classes one after the other,
/// each shuffled, an item goes where most is lacking; the first of each class is for training. So parts have their
/// shares, both of the whole and of each class, up to rounding. Indices rise within each part.
FACTORGCN_API Split draw_stratified_split(std::span<const std::int64_t> classes, const std::array<double, 3>& shares,
                                          std::uint64_t seed);

/// Four fifths of the graphs to train on, a tenth each to choose the model on and to report on, drawn from the seed;
/// for a node task on fewer than ten graphs the nodes are split instead. Throws UsageError where there is too little.
FACTORGCN_API void draw_split(Dataset& dataset, std::uint64_t seed);

}  // namespace factorgcn
