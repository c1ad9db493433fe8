// Rows of numbers, summed in order.
#include "train/update_rows.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGINT, SIGTERM as base/interrupt.h has them

#include <algorithm>
#include <cmath>
#include <utility>

#include "factorgcn/collective/group.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {
namespace {

/// What a row holds after gradients and buffers.
enum RowExtra { kValue, kTask, kRegulariser, kInterrupts, kTerminations, kRowExtras };

/// Sending rows whole takes one round of messages instead of two; worth so many more numbers where steps are short.
constexpr std::int64_t kSpareNumbers = 16 << 10;

at::Tensor added_rows(const at::Tensor& rows) {
  at::Tensor sum = rows[0].clone();
  for (std::int64_t row = 1; row < rows.size(0); ++row) {
    sum.add_(rows[row]);
  }
  return sum;
}

}  // namespace

UpdateRows::UpdateRows(GraphModel& model, Adam& adam, const TrainOptions& options,
                       std::vector<std::int64_t> first_piece, SummedBuffers buffers)
    : adam_(adam),
      group_(options.group),
      clip_norm_(options.clip_norm),
      first_piece_(std::move(first_piece)),
      rank_(group_ == nullptr ? 0 : static_cast<std::size_t>(group_->rank())),
      device_(device_of(model)) {
  for (const auto& item : model.named_parameters()) {
    parameters_.push_back(item.value());
    length_ += item.value().numel();
  }
  for (const auto& item : model.named_buffers()) {
    if (buffers == SummedBuffers::kAll && item.value().is_floating_point()) {
      buffers_.push_back(item.value());
      length_ += item.value().numel();
    }
  }
  extras_ = length_;
  const auto ranks = static_cast<std::int64_t>(first_piece_.size()) - 1;
  const std::int64_t used = length_ + kRowExtras;
  length_ = (used + ranks - 1) / ranks * ranks;  // so that slices are equally long
  const std::int64_t in_one = (ranks - 1) * most_pieces(), in_two = (ranks - 1) * (most_pieces() + 1) / ranks;
  const std::int64_t spare = buffers == SummedBuffers::kAll ? kSpareNumbers : 0;
  in_one_round_ = (in_one - in_two) * length_ <= spare;
  const at::TensorOptions type = at::TensorOptions().dtype(parameters_.front().scalar_type());
  rows_ = at::zeros({first_piece_[rank_ + 1] - first_piece_[rank_], length_}, type);
}

std::int64_t UpdateRows::most_pieces() const {
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank + 1 < first_piece_.size(); ++rank) {
    most = std::max(most, first_piece_[rank + 1] - first_piece_[rank]);
  }
  return most;
}

/// As many rows as any process has.
at::Tensor UpdateRows::padded_rows() const {
  const std::int64_t most = most_pieces(), here = rows_.size(0);
  if (here == most) {
    return rows_;
  }
  at::Tensor padded = at::zeros({most, length_}, rows_.options());
  padded.narrow(0, 0, here).copy_(rows_);
  return padded;
}

/// [pieces of all processes, length]
at::Tensor UpdateRows::every_row() {
  const std::int64_t most = most_pieces();
  const at::Tensor all = std::exchange(arriving_, {})();
  if (first_piece_.back() == all.size(0) * most) {
    return all.view({-1, length_});
  }
  std::vector<at::Tensor> rows;
  for (std::size_t rank = 0; rank + 1 < first_piece_.size(); ++rank) {
    rows.push_back(all[static_cast<std::int64_t>(rank)].narrow(0, 0, first_piece_[rank + 1] - first_piece_[rank]));
  }
  return at::cat(rows);
}

void UpdateRows::begin() {
  before_.clear();
  for (const at::Tensor& buffer : buffers_) {
    before_.push_back(buffer.clone());
  }
  rows_.zero_();
}

void UpdateRows::take_gradients(std::int64_t piece, const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  std::int64_t place = 0;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) {
      rows_[piece].narrow(0, place, parameter.numel()).copy_(parameter.grad().flatten());
    }
    place += parameter.numel();
  }
}

void UpdateRows::take_buffers(std::int64_t piece, double share) {
  const at::NoGradGuard no_grad;
  std::int64_t place = extras_;
  for (std::size_t index = buffers_.size(); index-- > 0;) {
    at::Tensor& buffer = buffers_[index];
    place -= buffer.numel();
    rows_[piece].narrow(0, place, buffer.numel()).copy_(buffer.sub(before_[index]).flatten()).mul_(share);
    buffer.copy_(before_[index]);
  }
}

void UpdateRows::take_loss(std::int64_t piece, const BatchLoss& loss) {
  rows_[piece][extras_ + kValue] = loss.value;
  rows_[piece][extras_ + kTask] = loss.task;
  rows_[piece][extras_ + kRegulariser] = loss.regulariser;
}

void UpdateRows::start() {
  note_signal();
  if (group_ != nullptr && in_one_round_) {
    arriving_ = group_->start_all_gather(padded_rows());
  }
}

BatchLoss UpdateRows::finish() {
  if (!arriving_) {
    start();
  }
  const at::Tensor sum = exchange();
  const auto extra = [&](RowExtra which) { return sum[extras_ + which].item<double>(); };
  if (extra(kInterrupts) > 0 || extra(kTerminations) > 0) {
    stop_asked_ = true;
    if (interrupt_signal() == 0) {
      request_interrupt(extra(kInterrupts) > 0 ? SIGINT : SIGTERM);  // another rank's is ours, too
    }
  }
  const BatchLoss loss{extra(kValue), extra(kTask), extra(kRegulariser)};
  if (std::isfinite(loss.value)) {
    apply(sum);
  }
  return loss;
}

void UpdateRows::note_signal() {
  if (const int signal = interrupt_signal(); signal != 0) {
    rows_[0][extras_ + (signal == SIGTERM ? kTerminations : kInterrupts)] = 1;
  }
}

at::Tensor UpdateRows::exchange() {
  if (group_ == nullptr) {
    return added_rows(rows_);
  }
  const auto ranks = static_cast<std::int64_t>(first_piece_.size()) - 1;
  const std::int64_t slice = length_ / ranks, here = rows_.size(0);
  if (in_one_round_) {
    return added_rows(every_row());
  }
  std::vector<std::int64_t> send(static_cast<std::size_t>(ranks), here), receive;
  for (std::size_t rank = 0; rank + 1 < first_piece_.size(); ++rank) {
    receive.push_back(first_piece_[rank + 1] - first_piece_[rank]);
  }
  const at::Tensor slices = rows_.view({here, ranks, slice}).transpose(0, 1).contiguous().view({-1, slice});
  const at::Tensor mine = group_->all_to_all(slices, send, receive);
  return group_->all_gather(added_rows(mine)).flatten();
}

void UpdateRows::apply(const at::Tensor& sum) {
  const at::NoGradGuard no_grad;
  std::int64_t place = 0;
  for (at::Tensor& parameter : parameters_) {
    const at::Tensor gradient = sum.narrow(0, place, parameter.numel()).view(parameter.sizes());
    if (parameter.grad().defined()) {
      parameter.mutable_grad().copy_(gradient);
    } else {
      parameter.mutable_grad() = gradient.to(device_, parameter.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
    }
    place += parameter.numel();
  }
  for (at::Tensor& buffer : buffers_) {
    buffer.add_(sum.narrow(0, place, buffer.numel()).view(buffer.sizes()).to(device_));
    place += buffer.numel();
  }
  if (clip_norm_ > 0) {
    adam_.limit_gradients(clip_norm_);
  }
  adam_.step();
}

}  // namespace factorgcn
