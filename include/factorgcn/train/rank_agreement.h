// Before several processes work together: whether they are about to do the same.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "factorgcn/base/export.h"

namespace factorgcn {

class Group;

/// Throws UsageError that names a rank and what it has otherwise than rank 0: program, libtorch, kernels, or something
/// of `own`. All ranks call this, and all of them throw.
FACTORGCN_API void check_ranks_agree(Group& group, const nlohmann::ordered_json& own);

}  // namespace factorgcn
