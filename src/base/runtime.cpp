// Threads, BLAS and allocator, set once per process.
#include "factorgcn/base/runtime.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>

#include "base/table_allocator.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

/// A function of the BLAS in use, which is only known at run time: Debian lets the administrator choose one.
template <class Function>
Function blas_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// OpenBLAS's; others follow ATen's.
void set_blas_threads(int count) {
  if (auto* set_openblas_threads = blas_function<void (*)(int)>("openblas_set_num_threads")) {
    set_openblas_threads(count);
  }
}

int blas_threads() {
  auto* const count = blas_function<int (*)()>("openblas_get_num_threads");
  return count == nullptr ? 1 : count();
}

}  // namespace

PreparedThreads::PreparedThreads(int threads)
    : own_(num_threads()), aten_(at::get_num_threads()), blas_(blas_threads()) {
  if (threads > 0) {
    set_num_threads(threads);
  }
  at::set_num_threads(1);
  set_blas_threads(1);
}

PreparedThreads::~PreparedThreads() {
  set_num_threads(own_);
  at::set_num_threads(aten_);
  set_blas_threads(blas_);
}

void prepare_process(int threads) {
  set_num_threads(threads > 0 ? threads : available_cores());
  at::set_num_threads(1);
  set_blas_threads(1);
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
  use_table_allocator();
}

std::string blas_name() {
  if (blas_function<void*>("openblas_get_config") != nullptr) {
    return "openblas";
  }
  if (blas_function<void*>("mkl_serv_get_max_threads") != nullptr || blas_function<void*>("MKL_Get_Max_Threads")) {
    return "mkl";
  }
  return "reference";
}

double peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace factorgcn
