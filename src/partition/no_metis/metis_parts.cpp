// Built without METIS: parts by hash alone.
#include "factorgcn/base/error.h"
#include "partition/metis.h"

namespace factorgcn {

std::string metis_limits(std::int64_t /*nodes*/, std::int64_t /*edges*/) {
  return "this program was built without METIS (Debian: libmetis-dev; FACTORGCN_WITH_METIS)";
}

std::vector<std::int32_t> metis_parts(const GraphStore& /*graph*/, std::int64_t /*parts*/, std::uint64_t /*seed*/) {
  throw UsageError(metis_limits(0, 0));
}

}  // namespace factorgcn
