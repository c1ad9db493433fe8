// Linux's signal at the parent's death.
#include "factorgcn/base/parent.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGTERM
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace factorgcn {

void end_with_starter() {
  const char* const starter = std::getenv(kStartedBy);
  if (starter != nullptr && std::to_string(::getppid()) == starter) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  }
}

}  // namespace factorgcn
