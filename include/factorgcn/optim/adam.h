// Adam over one flat buffer.
//
//   g = gradient + weight_decay * value                (L2, as torch::optim::Adam, not decoupled)
//   m = beta1 m + (1 - beta1) g;   v = beta2 v + (1 - beta2) g^2
//   value -= rate / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
//
// Why not torch::optim::Adam: here parameters and gradients become views into two flat tensors, so a step is one pass
// over four arrays instead of ten small operations per parameter, zeroing is one fill, the state is three tensors, and
// the arithmetic is the same bits on every machine (no fused multiply-add, no library pow). Unlike there, a parameter
// that never got a gradient is decayed too. Cost: one pass over 4 P values.
//
// On a GPU a step is one kernel, and the number of steps and the learning rate live there too, so that a recorded step
// can be replayed. Gradients are not views there: autograd hands over the ones it made, and step() reads them into the
// flat array on its way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0.0;
};

class FACTORGCN_API Adam {
 public:
  /// Moves the parameters' values into the flat buffer. All must be leaves on one device, of one type, float32 or
  /// float64.
  /// From here on a parameter's value may be written in place, but its storage must not be replaced.
  Adam(std::vector<at::Tensor> parameters, const AdamOptions& options);

  void zero_gradients();
  /// Scales all gradients by one number where their norm, taken over all parameters, is above `most`. Between
  /// backward() and step(); nothing waits for a GPU. Cost: two passes over the gradients.
  void limit_gradients(double most);
  void step();

  void set_learning_rate(double rate);
  double learning_rate() const { return options_.learning_rate; }

  /// On a GPU this waits for it.
  std::int64_t steps() const;
  void set_steps(std::int64_t steps);

  /// The moments of parameter i, shaped like it: views, to be saved or written in place.
  at::Tensor first_moment(std::size_t index) const { return view(first_, index); }
  at::Tensor second_moment(std::size_t index) const { return view(second_, index); }

  /// All that a step changes, to be kept and brought back in place; on the CPU without the number of steps.
  std::vector<at::Tensor> state() const;

  /// The flat arrays; parameters start at multiples of 64 bytes, the gaps stay zero. On a GPU gradients() holds what
  /// the last step() used.
  const at::Tensor& values() const { return values_; }
  const at::Tensor& gradients() const { return gradients_; }

 private:
  at::Tensor view(const at::Tensor& flat, std::size_t index) const;
  bool on_gpu() const { return !values_.device().is_cpu(); }

  std::vector<at::Tensor> parameters_;
  std::vector<std::int64_t> offsets_, counts_;
  AdamOptions options_;
  at::Tensor values_, gradients_, first_, second_;
  std::int64_t steps_ = 0;
  at::Tensor gpu_steps_, gpu_rate_;  ///< on a GPU, instead of steps_ and the options' rate
  at::Tensor gpu_ended_;             ///< scratch of the GPU's step
};

}  // namespace factorgcn
