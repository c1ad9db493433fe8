// Built without Gloo: a process can only work alone.
#include "factorgcn/collective/group.h"

namespace factorgcn {

std::unique_ptr<Group> join_group(const Place& place, std::chrono::milliseconds /*timeout*/) {
  throw UsageError(concat("this program was built without Gloo (Debian: libgloo-dev; FACTORGCN_WITH_GLOO) and cannot ",
                          "be one of ", place.size, " processes; build it again with Gloo, or start it alone"));
}

}  // namespace factorgcn
