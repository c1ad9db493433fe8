// Which build of the CPU kernels is used: chosen at start from what the processor offers.
//
// The environment variable FACTORGCN_CPU (baseline, avx2, avx512) overrides the choice, for tests and for comparing.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// The one in use.
FACTORGCN_API std::string instruction_set();

/// Those that this build has and this processor can run, slowest first.
FACTORGCN_API std::vector<std::string> usable_instruction_sets();

/// Switches to another one; an empty name goes back to the start's choice. Not to be called while kernels run.
FACTORGCN_API void use_instruction_set(const std::string& name);

}  // namespace factorgcn
