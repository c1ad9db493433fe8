// What gpu/cuda/ and gpu/no_cuda/ each know of GPUs.
#pragma once

#include <string>

namespace factorgcn {

/// GPUs that can be used; 0 in a build without CUDA.
int gpu_count();

/// Why gpu_count() is 0, and what to do about it.
std::string why_no_gpu();

}  // namespace factorgcn
