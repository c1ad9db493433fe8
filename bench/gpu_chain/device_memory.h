// Device memory for the launches of gpu_chain: filled once, given back by the end of the program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <vector>

namespace factorgcn::bench {

inline void check(cudaError_t status, const std::source_location& where = std::source_location::current()) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "gpu-chain: %s:%u: %s\n", where.file_name(), static_cast<unsigned>(where.line()),
                 cudaGetErrorString(status));
    std::exit(1);
  }
}

/// Small positive numbers, all the same: times do not depend on them.
template <class T>
T* values(std::size_t count) {
  T* place = nullptr;
  check(cudaMalloc(reinterpret_cast<void**>(&place), count * sizeof(T)));
  check(cudaMemset(place, 0x3c, count * sizeof(T)));
  return place;
}

template <class T>
T* zeros(std::size_t count) {
  T* const place = values<T>(count);
  check(cudaMemset(place, 0, count * sizeof(T)));
  return place;
}

template <class T>
T* on_device(const std::vector<T>& from) {
  T* const place = values<T>(from.size());
  check(cudaMemcpy(place, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return place;
}

}  // namespace factorgcn::bench
