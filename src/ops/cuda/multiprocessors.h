// How many blocks work is cut up for.
#pragma once

namespace factorgcn::cuda {

/// Of an H200. A fixed number, not the device's own: it decides which rows and graphs a block sums, and so the last
/// bits.
inline constexpr int kMultiprocessors = 132;

}  // namespace factorgcn::cuda
