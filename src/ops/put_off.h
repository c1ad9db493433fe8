// Gradients of weights that are put off until the end of a backward pass.
//
// Nobody but the optimiser looks at a weight's gradient, so an operation's backward need not compute it before what
// flows on. Inside backward_putting_off() it may return a tensor whose memory is there and whose values are not yet
// (promise()), and leave the work with the pass, which does all of it at once when autograd is through.
//
// That holds for weights where nothing can look, or add, before: leaves without a gradient that one single edge of the
// graph leads to, with no hooks on either end. Autograd then takes the tensor itself as the leaf's .grad, which is
// checked before the work is done. The pass travels with libtorch's thread-local state, as autograd's own threads see
// it: other passes at the same time, and plain backward(), never meet it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// What was put off, of one kind of device.
class FACTORGCN_API PutOffWork {
 public:
  PutOffWork() = default;
  virtual ~PutOffWork() = default;
  PutOffWork(const PutOffWork&) = delete;
  PutOffWork& operator=(const PutOffWork&) = delete;

  /// Asks for all of it; what is asked of the caller's stream next comes after it.
  virtual void run() = 0;
};

class FACTORGCN_API PutOffPass : public c10::DebugInfoBase {
 public:
  /// Finds the weights that allow it in the graph behind `roots`. `one`: see is_one().
  explicit PutOffPass(const std::vector<at::Tensor>& roots, const at::Tensor& one = {});
  ~PutOffPass() override;

  /// That of the backward pass which this thread is working on, or null.
  static PutOffPass* current();

  /// Whether the gradient of this tensor, an input of the operation as it was given, may be put off.
  bool allows(const at::Tensor& weight) const { return leaves_.contains(weight.unsafeGetTensorImpl()); }

  /// Whether this gradient is the number 1 that the pass was begun with: what it scales stays as it is.
  bool is_one(const at::Tensor& gradient) const { return one_.defined() && gradient.is_same(one_); }

  /// `gradient` will be returned for that weight and gets its values from the work. No other reference to the tensor
  /// may be left when it is: autograd would make a copy of what is not there yet.
  void promise(const at::Tensor& weight, const at::Tensor& gradient);

  /// How many gradients were promised so far.
  std::size_t promised() const;

  /// The pass's work, made by `make` when there is none; of one kind for each kind of device.
  template <class Make>
  std::shared_ptr<PutOffWork> work(const Make& make) {
    const std::lock_guard lock(mutex_);
    if (work_ == nullptr) {
      work_ = make();
    }
    return work_;
  }

  /// Autograd is through: checks that gradients are where they were promised and does the work.
  void finish();
  /// Autograd has failed: forgets all of it. Weights whose gradient would never be there have none.
  void drop();

 private:
  struct Promise {
    at::Tensor leaf;
    const void* memory;
    std::int64_t version;

    bool kept() const;
  };
  void forget();

  at::Tensor one_;
  std::unordered_map<const c10::TensorImpl*, at::Tensor> leaves_;
  mutable std::mutex mutex_;
  std::vector<Promise> promises_;
  std::shared_ptr<PutOffWork> work_;
};

/// torch::autograd::backward(), in which operations may put off gradients of weights. All are there when it returns.
/// `one`: that of the gradients which is the number 1, if any.
FACTORGCN_API void backward_putting_off(const std::vector<at::Tensor>& roots, const std::vector<at::Tensor>& gradients,
                                        const at::Tensor& one = {});

}  // namespace factorgcn
