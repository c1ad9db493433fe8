// The launches of a whole training step on one large graph, in the order and on the streams that factorgcn has them:
// two layers of 8 and 4 factors with batch norm, a map to 16 outputs for every node, and Adam.
#pragma once

#include <array>
#include <vector>

#include "layer_launches.h"
#include "ops/cuda/loss_row.h"
#include "ops/cuda/mean_loss.h"
#include "optim/cuda/adam.h"

namespace factorgcn::bench {

/// What a step is timed without, to see what it is worth.
struct LeftOut {
  bool first_judge = false, second_judge = false;
  bool score = false;  ///< the discriminators' last small kernel: scores, loss and their gradient
  bool sums_to_score = false;
  bool joins = false;   ///< the maps that add a discriminator's gradient to what comes from above
  bool norms = false;   ///< batch norm, both ways
  bool head = false;    ///< the map to the outputs, its loss and its way back
  bool adding = false;  ///< of the last weights' partial sums
  bool adam = false;
  bool loss_row = false;
};

class StepChain {
 public:
  explicit StepChain(const RandomGraph& on)
      : graph_(on),
        layers_{LayerLaunches(on, 0, 8, values<float>(static_cast<std::size_t>(on.nodes) * kColumns)),
                LayerLaunches(on, 1, 4, layers_[0].norm.y)} {
    int least_urgent = 0, most_urgent = 0;
    check(cudaDeviceGetStreamPriorityRange(&least_urgent, &most_urgent));
    check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, most_urgent));
    for (std::size_t i = 0; i < beside_.size(); ++i) {  // the later a layer, the more urgent its discriminator
      check(cudaStreamCreateWithPriority(&beside_[i], cudaStreamNonBlocking, -static_cast<int>(i)));
    }
    for (cudaEvent_t& mark : marks_) {
      check(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    }
    layers_[0].norm.grad_y = layers_[1].map_back.grad_x;
    make_end();
    head_sums_ = sums_of(head_weights_);
  }

  cudaStream_t stream = nullptr;
  static constexpr int kLayers = 2, kPassesEachWay = 2;

  const LayerLaunches& layer(std::size_t i) const { return layers_[i]; }
  /// What a step leaves: the gradient of the head's map, which is added up last, and the row of losses, of 3 values.
  const cuda::MapGradient<float>& head_gradient() const { return head_sums_.maps[0]; }
  const double* losses() const { return losses_.rows; }

  void launch(const LeftOut& without) {
    next_mark_ = 0;
    without_ = without;
    cuda::prepare_rows(degrees_, graph_.by_target.search, graph_.by_source.search, stream);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      cuda::run_dense(layers_[i].project, stream);
      cuda::run_pass(layers_[i].forward, cuda::Pass::kSloped, stream);
      const cudaEvent_t fork = mark(stream);
      if (!without.norms) {
        cuda::run_batch_norm(layers_[i].norm, stream);
      }
      if (judged(i)) {
        wait(beside_[i], fork);
        launch_judge(i);
      }
    }
    if (!without.head) {
      cuda::run_dense(head_, stream);
      cuda::run_mean_loss(loss_, stream);
      cuda::run_dense_backward(head_back_, stream);
    }
    Sums last{{head_weights_}, {head_sums_}};
    for (std::size_t i = layers_.size(); i-- > 0;) {
      launch_backward(i, last);
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (judged(i)) {
        wait(stream, ended_[i]);
      }
    }
    cuda::run_weight_sums(last.maps.data(), static_cast<int>(last.maps.size()), stream);
    if (!without.adding) {
      cuda::add_partial_sums(last.sets.data(), static_cast<int>(last.sets.size()), stream);
    }
    if (!without.adam) {
      cuda::adam_step(adam_, gradients_, stream);
    }
    if (!without.loss_row) {
      cuda::write_loss_row(losses_, stream);
    }
  }

 private:
  bool judged(std::size_t i) const { return i == 0 ? !without_.first_judge : !without_.second_judge; }

  cudaEvent_t mark(cudaStream_t on) {
    const cudaEvent_t here = marks_[next_mark_++];
    check(cudaEventRecord(here, on));
    return here;
  }
  static void wait(cudaStream_t on, cudaEvent_t for_mark) { check(cudaStreamWaitEvent(on, for_mark, 0)); }

  void launch_judge(std::size_t i) {
    const LayerLaunches& of = layers_[i];
    const cudaStream_t on = beside_[i];
    cuda::run_pass(of.judge, cuda::Pass::kSloped, on);
    if (!without_.sums_to_score) {
      cuda::reduce_segment_parts<float>(of.judged_rows, graph_.graph_offsets, 1, graph_.nodes, kColumns, of.parts, on);
    }
    if (!without_.score) {
      cuda::judge_graphs(of.score, on);
    }
    cuda::run_dense_backward(of.second_back, on);
    cuda::run_pass(of.judge_back, cuda::Pass::kSources, on);
    found_[i] = mark(on);
    cuda::run_dense_backward(of.second_weights, of.first_weights, on);
    ended_[i] = mark(on);
  }

  /// Gradients of weights: maps whose partial sums are to be formed, and those that are to be added up.
  struct Sums {
    std::vector<cuda::DenseBackward<float>> maps;
    std::vector<cuda::PartialSums<float>> sets;

    void append(const Sums& more) {
      maps.insert(maps.end(), more.maps.begin(), more.maps.end());
      sets.insert(sets.end(), more.sets.begin(), more.sets.end());
    }
  };

  /// A layer's own; its discriminator's partial sums are formed already.
  Sums sums_of_layer(std::size_t i) const {
    const LayerLaunches& of = layers_[i];
    Sums sums{{of.weights, of.gate_weights}, {of.sets.begin(), of.sets.begin() + 2}};
    if (judged(i)) {
      sums.sets.insert(sums.sets.end(), of.sets.begin() + 2, of.sets.end());
    }
    return sums;
  }

  /// The sums of the layer's weights' gradients run beside what flows on, or are left to the last ones.
  void launch_backward(std::size_t i, Sums& last) {
    const LayerLaunches& of = layers_[i];
    if (!without_.norms) {
      cuda::run_batch_norm_backward(of.norm, stream);
    }
    if (judged(i)) {
      wait(stream, found_[i]);
    }
    if (!without_.joins) {
      cuda::run_dense_backward(of.join, stream);
    }
    cuda::run_pass(of.back, cuda::Pass::kSources, stream);
    const Sums own = sums_of_layer(i);
    if (i > 0 && judged(i)) {
      wait(beside_[i], mark(stream));
      cuda::run_weight_sums(own.maps.data(), static_cast<int>(own.maps.size()), beside_[i]);
      cuda::add_partial_sums(own.sets.data(), static_cast<int>(own.sets.size()), beside_[i]);
      ended_[i] = mark(beside_[i]);
    } else {
      last.append(own);
    }
    if (i > 0) {
      cuda::run_dense_backward(of.map_back, stream);
    }
  }

  /// The map to the outputs, its loss, and what ends a step.
  void make_end() {
    constexpr int kOutputs = 16, kParameters = 6000, kPieces = 24;
    const auto n = static_cast<std::size_t>(graph_.nodes);
    degrees_ = {graph_.nodes, graph_.by_target.offsets, graph_.node_weights};
    head_.rows = graph_.nodes;
    head_.in = kColumns;
    head_.out = kOutputs;
    head_.x = layers_[1].norm.y;
    head_.weight = values<float>(kOutputs * kColumns);
    head_.bias = values<float>(kOutputs);
    head_.y = values<float>(n * kOutputs);
    loss_.rows = graph_.nodes;
    loss_.columns = kOutputs;
    loss_.prediction = head_.y;
    loss_.targets = values<float>(n * kOutputs);
    loss_.loss = values<float>(1);
    loss_.gradient = values<float>(n * kOutputs);
    loss_.sums = values<double>(static_cast<std::size_t>(cuda::mean_loss_blocks(graph_.nodes * kOutputs)));
    head_back_.rows = graph_.nodes;
    head_back_.in = kColumns;
    head_back_.out = kOutputs;
    head_back_.grad_y = loss_.gradient;
    head_back_.x = head_.x;
    head_back_.weight = head_.weight;
    head_back_.bias = head_.bias;
    head_weights_ = head_back_;
    leave_partials(head_weights_);
    head_back_.grad_x = const_cast<float*>(layers_[1].norm.grad_y);

    adam_.count = kParameters;
    adam_.values = values<float>(kParameters);
    adam_.gradients = values<float>(kParameters);
    adam_.first = values<float>(kParameters);
    adam_.second = values<float>(kParameters);
    adam_.steps = zeros<std::int64_t>(1);
    adam_.ended = zeros<std::int32_t>(1);
    adam_.rate = values<double>(1);
    adam_.beta1 = 0.9;
    adam_.beta2 = 0.999;
    adam_.eps = 1e-8;
    gradients_.count = kPieces;
    for (int i = 0; i < kPieces; ++i) {
      const std::int64_t size = kParameters / kPieces;
      gradients_.at[i] = {values<float>(static_cast<std::size_t>(size)), i * size, size};
    }
    losses_.task = loss_.loss;
    losses_.regularisers[0] = layers_[0].score.loss;
    losses_.regularisers[1] = layers_[1].score.loss;
    losses_.count = 2;
    losses_.lambda = 0.2;
    losses_.rows = values<double>(3);
  }

  const RandomGraph& graph_;
  std::array<LayerLaunches, kLayers> layers_;
  cuda::NodeDegrees<float> degrees_;
  cuda::DenseForward<float> head_;
  cuda::MeanLossProblem<float> loss_;
  cuda::DenseBackward<float> head_back_, head_weights_;
  cuda::PartialSums<float> head_sums_;
  cuda::AdamStep<float> adam_;
  cuda::GradientPieces<float> gradients_;
  cuda::LossRow<float> losses_;

  std::array<cudaStream_t, kLayers> beside_{};
  std::array<cudaEvent_t, 16> marks_{};
  std::size_t next_mark_ = 0;
  std::array<cudaEvent_t, kLayers> found_{}, ended_{};
  LeftOut without_;
};

}  // namespace factorgcn::bench
