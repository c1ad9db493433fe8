// A piece of work on the GPU that is recorded once and then replayed as one launch.
//
// A training step on small graphs is some hundred short kernels; launched one by one, the GPU mostly waits for the
// host. The work must not wait for the GPU (no item(), no copy to the host), must take the same path and shapes each
// time and must read its inputs from the same tensors: write new values into those before a replay.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

class FACTORGCN_API CapturedStep {
 public:
  /// Runs `step` `warm` times, at least once, on the stream that is recorded from, so that all memory and library
  /// handles exist; then records it once. Recording does not run it. `beside`: another recording to share memory with;
  /// the two must never run at the same time, and neither may count on what the other left there.
  explicit CapturedStep(const std::function<void()>& step, int warm = 3, const CapturedStep* beside = nullptr);
  ~CapturedStep();
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;

  /// Runs the recorded work; returns before it is done.
  void replay();

  /// Number of kernels, copies and fills that were recorded.
  std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Times work on the GPU by its own clock, while the host runs ahead: a mark is passed when all work asked for before
/// it is done.
class FACTORGCN_API GpuTimer {
 public:
  GpuTimer();
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  void mark();
  /// Waits for the last mark and returns the times between one mark and the next, in milliseconds; forgets them all.
  std::vector<double> intervals();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace factorgcn
