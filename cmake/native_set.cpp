// Exits with the place of this machine's widest instruction set in the list of CpuKernels.cmake.
#include "../src/ops/cpu/processor.h"

int main() {
  using namespace factorgcn::cpu;
  return has_avx512() ? 2 : has_avx2() ? 1 : 0;
}
