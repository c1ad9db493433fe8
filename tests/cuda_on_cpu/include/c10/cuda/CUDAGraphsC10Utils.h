// Stands in for libtorch's header of the same name: nothing is ever recorded here.
#pragma once

namespace c10::cuda {

enum class CaptureStatus { None };

inline CaptureStatus currentStreamCaptureStatusMayInitCtx() { return CaptureStatus::None; }

}  // namespace c10::cuda
