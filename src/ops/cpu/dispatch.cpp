// Chooses the widest instruction set that the processor and the operating system support.
#include "ops/cpu/dispatch.h"

#include <atomic>
#include <cstdlib>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/instruction_set.h"

namespace factorgcn {
namespace cpu {
namespace {

/// What can run here, slowest first. __builtin_cpu_supports also asks whether the system saves the wide registers; a
/// table of kernels is asked for after it, as already the function that returns it may use them.
std::vector<const CpuKernels*> usable_kernels() {
  std::vector<const CpuKernels*> usable{baseline_kernels()};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && avx2_kernels() != nullptr) {
    usable.push_back(avx2_kernels());
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && avx512_kernels() != nullptr) {
    usable.push_back(avx512_kernels());
  }
#endif
  return usable;
}

const CpuKernels* find_kernels(const std::string& name, const std::string& asked_by) {
  std::string known;
  for (const CpuKernels* kernels : usable_kernels()) {
    if (name == kernels->name) {
      return kernels;
    }
    known += known.empty() ? "" : ", ";
    known += kernels->name;
  }
  throw UsageError(concat(asked_by, " is \"", name, "\": this machine can use ", known));
}

const CpuKernels* choose_at_start() {
  const char* asked = std::getenv("FACTORGCN_CPU");
  if (asked != nullptr && *asked != '\0') {
    return find_kernels(asked, "FACTORGCN_CPU");
  }
  return usable_kernels().back();
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
  for (const cpu::CpuKernels* kernels : cpu::usable_kernels()) {
    names.emplace_back(kernels->name);
  }
  return names;
}

void use_instruction_set(const std::string& name) {
  cpu::current().store(name.empty() ? cpu::choose_at_start() : cpu::find_kernels(name, "instruction set"));
}

}  // namespace factorgcn
