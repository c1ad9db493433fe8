// Sums of weights' gradients that are put off in a training step's backward pass (ops/put_off.h): to two launches at
// its end, or to streams beside it. In the chain that the step is as long as, each map of each layer had two of its
// own.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/cuda/CUDAStream.h>

#include <initializer_list>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "ops/cuda/beside.h"
#include "ops/cuda/dense.h"
#include "ops/cuda/graph_tile.h"
#include "ops/put_off.h"

namespace factorgcn::cuda {

/// Everything is of one GPU and of one stream of it, and so is the memory that is kept.
class PutOffSums : public PutOffWork {
 public:
  /// Bytes that may be kept for it: about what an H200's cache holds. Where there is more to read, launches are short
  /// beside the work, and memory is what is scarce.
  static constexpr std::int64_t kMostBytes = std::int64_t(64) << 20;

  /// Where the backward pass of an operation may leave the sums of all these weights' gradients, if `bytes` of memory
  /// are kept for them until they are done; null where it must do them itself. Undefined tensors do not count.
  static std::shared_ptr<PutOffSums> of(const std::vector<at::Tensor>& weights, std::int64_t bytes);

  PutOffSums(c10::DeviceIndex device, const c10::cuda::CUDAStream& stream) : device_(device), stream_(stream) {}
  ~PutOffSums() override;

  /// A map's partial sums are to be formed. What it reads and writes must be kept.
  template <class T>
  void form(const DenseBackward<T>& map) {
    std::get<Sums<T>>(sums_).maps.push_back(map);
  }
  /// And partial sums, formed by then or by others, are to be added.
  template <class T>
  void add(const PartialSums<T>& set) {
    std::get<Sums<T>>(sums_).sets.push_back(set);
  }
  template <class T>
  void add(const PartialSumSets<T>& sets) {
    auto& all = std::get<Sums<T>>(sums_).sets;
    all.insert(all.end(), sets.at, sets.at + sets.count);
  }
  /// Or both are done at once, on a stream that a layer's discriminator has left: while more is to flow on, that is
  /// sooner than at the end.
  template <class T>
  void sum_beside(Beside& beside, std::initializer_list<DenseBackward<T>> maps, const PartialSumSets<T>& sets) {
    beside.fork(stream_.stream());
    besides_.push_back(&beside);
    run_weight_sums(maps.begin(), static_cast<int>(maps.size()), beside.stream.stream());
    add_partial_sums(sets, beside.stream.stream());
    beside.mark_weights();
  }
  void keep(const std::vector<at::Tensor>& tensors);
  /// `gradient`, one of what is added, will be returned for `weight`.
  void promise(const at::Tensor& weight, const at::Tensor& gradient);
  /// Some of the partial sums are of a stream beside. The rest of what the layer has kept for that goes at the end.
  void wait_for(c10::intrusive_ptr<Taken> taken) {
    besides_.push_back(&taken->beside);
    taken_.push_back(std::move(taken));
  }

  void run() override;

 private:
  void wait_for_besides();

  template <class T>
  struct Sums {
    std::vector<DenseBackward<T>> maps;
    std::vector<PartialSums<T>> sets;
  };

  c10::DeviceIndex device_;
  c10::cuda::CUDAStream stream_;
  std::int64_t bytes_ = 0;
  std::tuple<Sums<float>, Sums<double>> sums_;
  // Memory, not tensors: a gradient must have no other reference.
  std::vector<c10::Storage> kept_;
  std::vector<c10::intrusive_ptr<Taken>> taken_;
  std::vector<Beside*> besides_;
};

}  // namespace factorgcn::cuda
