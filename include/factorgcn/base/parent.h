// A program that was started to do part of another's work ends with it, even where that is killed.
#pragma once

#include "factorgcn/base/export.h"

namespace factorgcn {

/// The variable that names the starter's process.
inline constexpr const char* kStartedBy = "FACTORGCN_STARTED_BY";

/// Called first thing by the program: from now on it gets SIGTERM when its starter is gone. Nothing where that variable
/// names no starter of this process.
FACTORGCN_API void end_with_starter();

}  // namespace factorgcn
