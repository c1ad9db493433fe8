// Processes that train together: what they hand each other. Behind it is c10d, PyTorch's own engine, with Gloo.
//
// All ranks make the same calls in the same order. Tensors are in main memory. A call ends within the timeout: where a
// rank was killed, stopped or cut off, the others get a LostRank that names it. Ranks tell each other that they live
// from a thread of its own, so that one that computes for long is not taken for lost.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/export.h"
#include "factorgcn/collective/place.h"

namespace factorgcn {

/// Another rank is gone, or has said why it gave up.
class FACTORGCN_API LostRank : public Error {
 public:
  using Error::Error;
};

class FACTORGCN_API Group {
 public:
  virtual ~Group() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// [size, ...]: what each rank gave, by rank. `own` has the same shape and type everywhere.
  at::Tensor all_gather(const at::Tensor& own) { return start_all_gather(own)(); }

  /// The same, while this rank does something else: what is returned waits for it. To be called before the next call.
  virtual std::function<at::Tensor()> start_all_gather(const at::Tensor& own) = 0;

  /// The first send[0] rows of `rows` go to rank 0, the next send[1] to rank 1, and so on; `result` gets the rows from
  /// rank 0, then those from rank 1, and so on: receive[r] of them from rank r. Both are contiguous.
  virtual void all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send,
                          std::span<const std::int64_t> receive, at::Tensor& result) = 0;

  /// The same, with a result of its own.
  at::Tensor all_to_all(const at::Tensor& rows, std::span<const std::int64_t> send,
                        std::span<const std::int64_t> receive);

  /// Tells the others why this rank leaves: what they wait for will not come. Never throws.
  virtual void give_up(const std::string& reason) noexcept = 0;

  /// Payload that went to other ranks so far.
  virtual std::int64_t bytes_sent() const = 0;
};

/// Waits until all ranks have come, for at most `timeout`.
FACTORGCN_API std::unique_ptr<Group> join_group(const Place& place, std::chrono::milliseconds timeout);

/// Each rank's text, by rank.
FACTORGCN_API std::vector<std::string> all_gather_texts(Group& group, const std::string& own);

}  // namespace factorgcn
