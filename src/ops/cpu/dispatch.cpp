// Chooses the widest instruction set that the processor and the operating system support.
#include "ops/cpu/dispatch.h"

#include <atomic>
#include <cstdlib>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/cpu/kernel_builds.h"

namespace factorgcn {
namespace cpu {
namespace {

/// What can run here, slowest first.
const std::vector<CpuKernels>& usable_kernels() {
  static const std::vector<CpuKernels> usable = [] {
    std::vector<CpuKernels> found;
    for (const KernelBuild& build : kernel_builds()) {
      if (build.runs_here()) {
        found.push_back({build.name, build.single_precision(), build.double_precision()});
      }
    }
    require(!found.empty(), "this build has kernels for ", kernel_builds().front().name,
            " processors alone, which this one is not; build with -DFACTORGCN_CPU_KERNELS=all");
    return found;
  }();
  return usable;
}

const CpuKernels* find_kernels(const std::string& name, const std::string& asked_by) {
  std::string known;
  for (const CpuKernels& kernels : usable_kernels()) {
    if (name == kernels.name) {
      return &kernels;
    }
    known += known.empty() ? "" : ", ";
    known += kernels.name;
  }
  throw UsageError(concat(asked_by, " is \"", name, "\": this build on this machine can use ", known));
}

const CpuKernels* choose_at_start() {
  const char* asked = std::getenv("FACTORGCN_CPU");
  if (asked != nullptr && *asked != '\0') {
    return find_kernels(asked, "FACTORGCN_CPU");
  }
  return &usable_kernels().back();
}

std::atomic<const CpuKernels*>& current() {
  static std::atomic<const CpuKernels*> chosen{choose_at_start()};
  return chosen;
}

}  // namespace

const CpuKernels& kernels() { return *current().load(std::memory_order_relaxed); }

}  // namespace cpu

std::string instruction_set() { return cpu::kernels().name; }

std::vector<std::string> usable_instruction_sets() {
  std::vector<std::string> names;
  for (const cpu::CpuKernels& kernels : cpu::usable_kernels()) {
    names.emplace_back(kernels.name);
  }
  return names;
}

void use_instruction_set(const std::string& name) {
  cpu::current().store(name.empty() ? cpu::choose_at_start() : cpu::find_kernels(name, "instruction set"));
}

}  // namespace factorgcn
