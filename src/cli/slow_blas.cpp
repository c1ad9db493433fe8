// One line, for commands that compute.
#include "cli/slow_blas.h"

#include "cli/output.h"
#include "factorgcn/base/runtime.h"

namespace factorgcn::cli {

void warn_of_slow_blas() {
  if (blas_name() == "reference") {
    complain(
        "warning: libtorch uses the reference BLAS, which makes training many times slower; install OpenBLAS "
        "(tools/setup.sh, or on Debian: apt install libopenblas0-pthread)");
  }
}

}  // namespace factorgcn::cli
