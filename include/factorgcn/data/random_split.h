// A split for data that come without one.
#pragma once

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// Four fifths of the graphs to train on, a tenth each to choose the model on and to report on, drawn from the seed;
/// for a node task on fewer than ten graphs the nodes are split instead. Throws UsageError where there is too little.
FACTORGCN_API void draw_split(Dataset& dataset, std::uint64_t seed);

}  // namespace factorgcn
