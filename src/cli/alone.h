// For commands that one process does by itself, or with processes that it starts itself.
#pragma once

#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/collective/place.h"

namespace factorgcn::cli {

/// Throws UsageError where torchrun or srun started several: each would do all of the work, in the same folder.
inline void require_alone(const std::string& command, const std::string& instead) {
  const Place place = place_from_environment();
  require_usage(place.alone(), command, " was started as one of ", place.size,
                " processes, but does not share its work among them; start it without torchrun", instead);
}

}  // namespace factorgcn::cli
