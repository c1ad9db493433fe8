// Products of small matrices by the threads of one block, operands wherever a functor finds them.
//
// float32 runs on the tensor cores as 3xTF32: each value is split into two TF32 parts, and the three larger of the four
// products are taken. Steps of 8 terms are summed by the tensor cores, whose additions truncate, and added up by
// ordinary ones, so the error stays about that of float32. float64 takes plain multiply-adds.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/cuda/instructions.cuh"

namespace factorgcn::cuda {

/// The threads that work together: rank among size.
struct Team {
  int rank, size;
};

struct SplitValue {
  std::uint32_t high, low;
};

/// value = high + low: high is rounded to TF32's 10 bits, low is what is left, of which the tensor cores read as many.
__device__ __forceinline__ SplitValue split(float value) {
  const std::uint32_t high = (__float_as_uint(value) + 0x1000u) & 0xffffe000u;
  return {high, __float_as_uint(value - __uint_as_float(high))};
}

/// Blocks of 8 columns for a warp to take at once: about 1 / shares of them all; 1 where the number of columns is not
/// known (0). More of them split the rows' values less often, fewer keep more warps busy.
__host__ __device__ constexpr int column_blocks(int columns, int shares) {
  const int blocks = ((columns + 7) / 8 + shares - 1) / shares;
  return columns == 0 ? 1 : blocks;
}

/// put(m, n, start(m, n) + sum over k < depth of a(m, k) b(k, n)) for m < rows, n < columns; each place by one thread.
/// kBlocks: blocks of 8 columns a warp takes at once. kColumns, kDepth: columns and depth where they are known when
/// compiling, else 0. `shift`: which warp starts, so that two products between the same barriers keep different warps
/// busy.
template <class T, int kBlocks, int kColumns, int kDepth, class A, class B, class Start, class Put>
__device__ __forceinline__ void tile_product(Team team, int rows, int columns_given, int depth_given, A a, B b,
                                             Start start, Put put, int shift = 0) {
  const int columns = kColumns > 0 ? kColumns : columns_given, depth = kDepth > 0 ? kDepth : depth_given;
  if constexpr (std::is_same_v<T, float>) {
    const int warps = team.size / 32, lane = team.rank % 32, group = lane / 4, member = lane % 4;
    const int row_units = (rows + 15) / 16, column_units = (columns + 8 * kBlocks - 1) / (8 * kBlocks);
    int unit = team.rank / 32 - shift;
    unit += unit < 0 ? warps : 0;
    for (; unit < row_units * column_units; unit += warps) {
      const int first_row = unit / column_units * 16 + group, first_column = unit % column_units * 8 * kBlocks;
      // What lies outside is computed from the last row or column and not stored.
      const int m[2] = {first_row < rows ? first_row : rows - 1, first_row + 8 < rows ? first_row + 8 : rows - 1};
      int n[kBlocks];
      float sum[kBlocks][4];
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
        const int column = first_column + block * 8 + group;
        n[block] = column < columns ? column : columns - 1;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = first_row + i / 2 * 8, at = first_column + block * 8 + member * 2 + i % 2;
          sum[block][i] = row < rows && at < columns ? start(row, at) : 0.0f;
        }
      }
      const auto step = [&](int k0, auto last) {
        std::uint32_t a_high[4], a_low[4];
        const int wanted[2] = {k0 + member, k0 + member + 4};
        int k[2];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const bool inside = !decltype(last)::value || wanted[half] < depth;
          k[half] = inside ? wanted[half] : depth - 1;
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            const SplitValue parts = split(inside ? a(m[i], k[half]) : 0.0f);
            a_high[half * 2 + i] = parts.high;
            a_low[half * 2 + i] = parts.low;
          }
        }
#pragma unroll
        for (int block = 0; block < kBlocks; ++block) {
          std::uint32_t b_high[2], b_low[2];
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const SplitValue parts = split(b(k[half], n[block]));
            b_high[half] = parts.high;
            b_low[half] = parts.low;
          }
          float products[4] = {};
          multiply_blocks(products, a_low, b_high);
          multiply_blocks(products, a_high, b_low);
          multiply_blocks(products, a_high, b_high);
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            sum[block][i] += products[i];
          }
        }
      };
      const int whole = depth / 8 * 8;
#pragma unroll 3
      for (int k0 = 0; k0 < whole; k0 += 8) {
        step(k0, std::false_type{});
      }
      if (whole < depth) {
        step(whole, std::true_type{});
      }
#pragma unroll
      for (int block = 0; block < kBlocks; ++block) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = first_row + i / 2 * 8, column = first_column + block * 8 + member * 2 + i % 2;
          if (row < rows && column < columns) {
            put(row, column, sum[block][i]);
          }
        }
      }
    }
  } else {
    for (int i = team.rank; i < rows * columns; i += team.size) {
      const int row = i / columns, column = i - row * columns;
      T sum = start(row, column);
      for (int k = 0; k < depth; ++k) {
        sum += a(row, k) * b(k, column);
      }
      put(row, column, sum);
    }
  }
}

}  // namespace factorgcn::cuda
