// The published evaluation's slips, where a run repeats them.
//
// The corrected protocol has none: the best model on all validation data, dropout off, scored on the test split. With
// --protocol published those of the data set's entry (data/registry.h) are repeated, so that the paper's own numbers
// can be compared with.
#pragma once

#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/protocol_slips.h"

namespace factorgcn {

/// `protocol` is "corrected" (no slips) or "published" (those of the data set). Classes of graphs without validation
/// graphs let the published protocol choose on the test curve.
FACTORGCN_API ProtocolSlips protocol_slips(const std::string& protocol, const Dataset& dataset);

}  // namespace factorgcn
