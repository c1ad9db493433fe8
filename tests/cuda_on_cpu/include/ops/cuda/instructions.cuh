// Stands in for src/ops/cuda/instructions.cuh.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace factorgcn::cuda {

inline float power_of_two(float x) { return std::exp2(x); }
inline float reciprocal_of(float x) { return 1.0f / x; }

template <class T>
const T* row_at(const T* table, std::int32_t n, int bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(table) + std::int64_t(n) * bytes);
}

inline void prefetch_line(const void*) {}

/// At once. That a thread waits before others read what it copied cannot be seen here.
template <class T>
void start_copy(T* to, const T* from) {
  *to = *from;
}
inline void wait_for_copies() {}

inline void arrive_at_cluster() { cuda_on_cpu::arrive_at_cluster(); }
inline void arrive_at_cluster_as_reader() { cuda_on_cpu::arrive_at_cluster(); }
inline void wait_for_cluster(std::source_location where = std::source_location::current()) {
  cuda_on_cpu::wait_for_cluster(where);
}

template <class T>
T* shared_of_block(T* mine, unsigned rank) {
  return static_cast<T*>(cuda_on_cpu::shared_memory_of(mine, rank));
}

/// The 16 x 8 and the 8 x 8 block are gathered from the lanes that hold them. The tensor cores read 10 bits of each
/// value and truncate sums; here sums are in double precision.
inline void multiply_blocks(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                            std::source_location where = std::source_location::current()) {
  using Given = std::array<std::uint32_t, 6>;
  const auto read = [](std::uint32_t bits) { return double(__uint_as_float(bits & 0xffffe000u)); };
  const Given mine{a[0], a[1], a[2], a[3], b[0], b[1]};
  cuda_on_cpu::wait_for_warp(&mine, sizeof mine, where);
  const auto given = [](int lane) {
    Given values;
    std::memcpy(&values, cuda_on_cpu::given_by(lane), sizeof values);
    return values;
  };
  // Lane 4 g + m holds rows g and g + 8 of a and column g of b, at depths m and m + 4; of the result, rows g and g + 8
  // at columns 2 m and 2 m + 1.
  const int lane = cuda_on_cpu::lane_number(), group = lane / 4, member = lane % 4;
  double total[4] = {};
  for (int m = 0; m < 4; ++m) {
    const Given rows = given(group * 4 + m);
    for (int j = 0; j < 2; ++j) {
      const Given column = given((member * 2 + j) * 4 + m);
      for (int half = 0; half < 2; ++half) {
        total[j] += read(rows[half * 2]) * read(column[4 + half]);
        total[2 + j] += read(rows[half * 2 + 1]) * read(column[4 + half]);
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    sum[i] = float(double(sum[i]) + total[i]);
  }
}

}  // namespace factorgcn::cuda
