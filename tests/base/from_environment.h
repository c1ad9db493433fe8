// How much of something a test does, where whoever runs it says so.
#pragma once

#include <cstdlib>

namespace factorgcn::testing {

inline int from_environment(const char* name, int otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : std::atoi(value);
}

}  // namespace factorgcn::testing
