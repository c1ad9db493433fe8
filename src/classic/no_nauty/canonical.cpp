// Stands in for classic/nauty in builds without nauty: says what is missing.
#include "factorgcn/classic/canonical.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

bool can_label_canonically() { return false; }

std::vector<std::int32_t> canonical_order(const PlainGraph&, std::span<const std::int64_t>) {
  fail(
      "this build cannot label graphs canonically: build with nauty (Debian: libnauty2-dev, "
      "-DFACTORGCN_WITH_NAUTY=ON)");
}

}  // namespace factorgcn
