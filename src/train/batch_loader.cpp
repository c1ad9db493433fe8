// See the header. Host work per batch: a sum over its graphs' sizes and, where the data are not on the device, the
// copy.
#include "train/batch_loader.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "factorgcn/base/error.h"

namespace factorgcn {

BatchLoader::BatchLoader(std::shared_ptr<const DeviceData> data, std::vector<BatchCapacity> capacities,
                         std::int64_t batch_size, std::int64_t most_graphs, const at::Tensor& counted)
    : data_(std::move(data)), batch_size_(batch_size) {
  for (const BatchCapacity& capacity : capacities) {
    Tier tier;
    tier.capacity = capacity;
    tiers_.push_back(std::move(tier));
  }
  const auto whole = at::TensorOptions().dtype(at::kLong);
  order_buffer_ = at::zeros({most_graphs}, whole.device(data_->device));
  host_buffer_ = at::zeros({most_graphs}, whole);
  choice_.position = at::zeros({1}, whole.device(data_->device));
  host_choice_.position = at::zeros({1}, whole);
  choice_.batch_size = host_choice_.batch_size = batch_size;
  host_choice_.counted = counted;
  choice_.counted = counted.defined() && data_->resident ? counted.to(data_->device) : counted;
  host_node_offsets_ = data_->packed.node_offsets.to(at::kCPU);
  host_edge_offsets_ = data_->packed.edge_offsets.to(at::kCPU);
}

void BatchLoader::begin(std::span<const std::int64_t> graphs) {
  const auto count = static_cast<std::int64_t>(graphs.size());
  // The recorded work knows the list by its address and length.
  require(count == order_buffer_.numel(), "a list of ", order_buffer_.numel(), " graphs was announced; there are ",
          count);
  num_graphs_ = count;
  std::copy(graphs.begin(), graphs.end(), host_buffer_.data_ptr<std::int64_t>());
  host_choice_.order = host_buffer_;
  order_buffer_.copy_(host_buffer_);
  choice_.order = order_buffer_;
  prepared_ = -1;
}

void BatchLoader::count(std::int64_t batch, std::int64_t& graphs, std::int64_t& nodes, std::int64_t& edges) const {
  const std::int64_t* order = host_buffer_.data_ptr<std::int64_t>();
  const std::int64_t* node_offsets = host_node_offsets_.data_ptr<std::int64_t>();
  const std::int64_t* edge_offsets = host_edge_offsets_.data_ptr<std::int64_t>();
  const std::int64_t begin = batch * batch_size_, end = std::min(begin + batch_size_, num_graphs_);
  graphs = end - begin;
  nodes = edges = 0;
  for (std::int64_t index = begin; index < end; ++index) {
    nodes += node_offsets[order[index] + 1] - node_offsets[order[index]];
    edges += edge_offsets[order[index] + 1] - edge_offsets[order[index]];
  }
}

std::int64_t BatchLoader::graphs_of(std::int64_t batch) const {
  return std::min(batch_size_, num_graphs_ - batch * batch_size_);
}

std::int64_t BatchLoader::nodes_of(std::int64_t batch) const {
  std::int64_t graphs = 0, nodes = 0, edges = 0;
  count(batch, graphs, nodes, edges);
  return nodes;
}

std::size_t BatchLoader::tier_of(std::int64_t batch) const {
  std::int64_t graphs = 0, nodes = 0, edges = 0;
  count(batch, graphs, nodes, edges);
  for (std::size_t tier = 0; tier < tiers_.size(); ++tier) {
    if (tiers_[tier].capacity.holds(graphs, nodes, edges)) {
      return tier;
    }
  }
  fail("a batch of ", graphs, " graphs, ", nodes, " nodes and ", edges, " edges is larger than any foreseen");
}

const PaddedBatch& BatchLoader::room(std::size_t tier) {
  PaddedBatch& room = tiers_[tier].room;
  if (!room.buffer.defined()) {
    room = make_padded_batch(data_->packed, tiers_[tier].capacity, data_->device);
  }
  return room;
}

void BatchLoader::assemble(std::size_t tier) {
  if (data_->resident) {
    assemble_batch(data_->packed, choice_, room(tier));
  }
}

void BatchLoader::prepare(std::int64_t batch) {
  Tier& tier = tiers_[tier_of(batch)];
  host_choice_.position.fill_(batch);
  if (tier.feed == nullptr) {
    tier.feed = std::make_unique<HostFeed>(padded_batch_bytes(data_->packed, tier.capacity), data_->device);
    for (int slot = 0; slot < HostFeed::kSlots; ++slot) {
      tier.slots.push_back(padded_batch_in(data_->packed, tier.capacity, tier.feed->fill(slot)));
    }
  }
  prepared_slot_ = tier.next_slot;
  tier.next_slot = (tier.next_slot + 1) % HostFeed::kSlots;
  tier.feed->fill(prepared_slot_);  // waits until it is free
  assemble_batch(data_->packed, host_choice_, tier.slots[static_cast<std::size_t>(prepared_slot_)]);
  tier.feed->send(prepared_slot_);
  prepared_ = batch;
}

void BatchLoader::bring(std::int64_t batch) {
  choice_.position.fill_(batch);
  if (data_->resident) {
    return;
  }
  const std::size_t tier = tier_of(batch);
  if (data_->device.is_cpu()) {
    host_choice_.position.fill_(batch);
    assemble_batch(data_->packed, host_choice_, room(tier));
    return;
  }
  if (prepared_ != batch) {
    prepare(batch);
  }
  tiers_[tier].feed->receive(prepared_slot_, room(tier).buffer);
  prepared_ = -1;
}

void BatchLoader::prepare_next(std::int64_t batch) {
  if (!data_->resident && !data_->device.is_cpu() && batch + 1 < num_batches()) {
    prepare(batch + 1);
  }
}

}  // namespace factorgcn
