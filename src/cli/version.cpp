// `factorgcn --version`: what this program was built with and what it runs on.
#include <fmt/format.h>
#include <torch/version.h>

#include "cli/commands.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/ops/instruction_set.h"
#include "factorgcn/version.h"

namespace factorgcn::cli {

std::string version_text() {
  return fmt::format(
      "factorgcn {}\n"
      "libtorch {}\n"
      "instruction set {}\n"
      "BLAS {}\n"
      "cores {}\n",
      FACTORGCN_VERSION, TORCH_VERSION, instruction_set(), blas_name(), available_cores());
}

}  // namespace factorgcn::cli
