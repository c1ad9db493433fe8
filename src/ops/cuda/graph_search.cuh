// Which graph of a batch a node belongs to.
#pragma once

#include <cstdint>

namespace factorgcn::cuda {

/// Graph of a node: a guess from the mean size, which is often right at once, then bisection of what the guess leaves.
__device__ inline int graph_of(const std::int64_t* offsets, int graphs, std::int64_t nodes, std::int64_t node) {
  int low = 0, high = graphs - 1;
  int guess = int(double(node) * graphs / double(nodes));
  guess = guess < high ? guess : high;
  const std::int64_t begin = __ldg(offsets + guess), end = __ldg(offsets + guess + 1);
  if (begin <= node && node < end) {
    return guess;
  }
  if (begin <= node) {
    low = guess;
    for (int step = 1; low + step <= high; step *= 2) {
      if (__ldg(offsets + low + step) > node) {
        high = low + step - 1;
        break;
      }
      low += step;
    }
  } else {
    high = guess;
    for (int step = 1; high - step >= 0; step *= 2) {
      high -= step;
      if (__ldg(offsets + high) <= node) {
        low = high;
        high += step - 1;
        break;
      }
    }
  }
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (__ldg(offsets + middle) <= node) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace factorgcn::cuda
