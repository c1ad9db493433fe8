// The end of a step whose pieces (shards of a batch, parts of a graph) several processes have worked on: gradients are
// added in the order of the pieces, so that weights are the same bits for any number of processes.
//
// Exchanged is a row of L numbers per piece: gradients, changes of buffers where they are summed, losses, and whether a
// signal asks for an end. Each process adds up its slice of all rows, then slices are gathered: with P processes and n
// pieces each, a process sends (P - 1) / P * n * L numbers, then (P - 1) / P * L. Where it hardly sends more, it sends
// its rows whole to all others in one round, (P - 1) * n * L numbers, and each adds up everything.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "factorgcn/nn/graph_model.h"
#include "factorgcn/optim/adam.h"
#include "train/step_runner.h"

namespace factorgcn {

class Group;

enum class SummedBuffers { kNone, kAll };

class UpdateRows {
 public:
  /// All must outlive this. `first_piece`: of each process, and behind it the number of pieces. Buffers that are summed
  /// move by the sum of their changes in all pieces, each weighted by the piece's share.
  UpdateRows(GraphModel& model, Adam& adam, const TrainOptions& options, std::vector<std::int64_t> first_piece,
             SummedBuffers buffers);

  /// Begins a step: rows are 0 and buffers as they are.
  void begin();

  /// What a piece of this process has come to, by its place among them: the gradients that `parameters` hold, in the
  /// order of the model's; the changes of the model's buffers, which are put back; its losses.
  void take_gradients(std::int64_t piece, const std::vector<at::Tensor>& parameters);
  void take_buffers(std::int64_t piece, double share);
  void take_loss(std::int64_t piece, const BatchLoss& loss);

  /// Sends what this process has, where that goes in one round; finish() follows, in between there may be other work.
  void start();

  /// Adds up all rows and, where the loss is finite, steps. All processes call this together and get the same.
  BatchLoss finish();

  /// A signal has come to some process: the interrupt flag (base/interrupt.h) is then set in all.
  bool stop_asked() const { return stop_asked_; }

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

 private:
  void note_signal();
  at::Tensor exchange();
  at::Tensor every_row();
  at::Tensor padded_rows() const;
  std::int64_t most_pieces() const;  ///< of a process
  void apply(const at::Tensor& sum);

  Adam& adam_;
  Group* group_;
  double clip_norm_;
  std::vector<std::int64_t> first_piece_;
  std::size_t rank_ = 0;
  at::Device device_;
  std::vector<at::Tensor> parameters_, buffers_;
  std::vector<at::Tensor> before_;        ///< buffers, as the step found them
  std::int64_t length_ = 0, extras_ = 0;  ///< of a row; where its extras begin
  at::Tensor rows_;                       ///< [pieces of this process, length]
  bool in_one_round_ = false;
  std::function<at::Tensor()> arriving_;  ///< between start() and finish()
  bool stop_asked_ = false;
};

}  // namespace factorgcn
