// Read before each source by clang-tidy (tools/tidy.sh) and in the fuzzers' build by clang (fuzz/CMakeLists.txt).
//
// In C++20 libstdc++ declares std::vector's members constexpr, and clang instantiates constexpr functions as soon as it
// sees them named. libtorch's ivalue.h names them while its element type is still incomplete: GCC accepts that, clang
// stops. Here <vector> is read with plain members; it has an include guard, so this reading is the one that counts.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#ifdef __GLIBCXX__
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_a1_of_bits  // already declared constexpr by <algorithm>
#endif
#include <vector>
#ifdef __GLIBCXX__
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
#endif
