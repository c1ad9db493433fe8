// Tensors' memory as a GPU's allocator hands it out: by stream.
//
// libtorch gives a tensor memory of the stream that is current when it is made. Freed, the memory is at once free for
// whatever is asked of that stream next; another stream that still uses it is not waited for. So here: memory of the
// caller's stream is gone as soon as its tensor is, memory of another stream once that has come so far. Memory is
// filled with 0xff (NaN, -1) when it is handed out and when it is gone, so that who reads too early or too late finds
// no values; who writes too late is found at the end. With AddressSanitizer every access to what is gone is an error.
#pragma once

#include <cstdint>

#include "cuda_on_cpu/streams.h"

namespace factorgcn::cuda_on_cpu {

/// While this lives, tensors on the CPU stand for the GPU's: their memory is as above, and streams run at that pace.
/// libtorch's operations take place at once; the caller's stream catches up before each that touches values. At the end
/// all streams are done, and a test has failed if memory was written after its time or a step threw.
class WithStreams {
 public:
  explicit WithStreams(Pace pace, std::uint64_t seed = 0);
  ~WithStreams();
  WithStreams(const WithStreams&) = delete;
  WithStreams& operator=(const WithStreams&) = delete;

 private:
  std::uint64_t callback_;
};

}  // namespace factorgcn::cuda_on_cpu
