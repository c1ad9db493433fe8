// What this processor can run. __builtin_cpu_supports also asks whether the system saves the wide registers.
//
// Plain functions without libtorch: the build asks the same questions (cmake/native_set.cpp).
#pragma once

namespace factorgcn::cpu {

/// 16-byte vectors: SSE2 on x86-64, NEON on AArch64.
inline bool has_baseline() { return true; }

#if defined(__x86_64__)
/// 32-byte vectors.
inline bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/// 64-byte vectors.
inline bool has_avx512() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
inline bool has_avx2() { return false; }
inline bool has_avx512() { return false; }
#endif

}  // namespace factorgcn::cpu
