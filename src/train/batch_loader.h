// Brings one batch after the other of a list of graphs into arrays of fixed shapes, without waiting for a GPU.
//
// The shapes come in a few sizes ("tiers", the smallest that holds a batch is taken), since a recording is bound to
// one. Where the data are on the device, a batch is assembled by the recorded work itself, which counts along in
// `position`; else it is assembled in main memory while the GPU is busy with the one before, and sent.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "factorgcn/gpu/host_feed.h"
#include "factorgcn/graph/padded_batch.h"
#include "train/device_data.h"

namespace factorgcn {

class BatchLoader {
 public:
  /// `most_graphs`: the longest list that begin() will get. `counted`: DataPart's.
  BatchLoader(std::shared_ptr<const DeviceData> data, std::vector<BatchCapacity> capacities, std::int64_t batch_size,
              std::int64_t most_graphs, const at::Tensor& counted);

  /// Batches of this list follow. The list is copied.
  void begin(std::span<const std::int64_t> graphs);

  std::int64_t num_batches() const { return (num_graphs_ + batch_size_ - 1) / batch_size_; }
  std::size_t num_tiers() const { return tiers_.size(); }

  /// The tier that batch `batch` of the list takes.
  std::size_t tier_of(std::int64_t batch) const;

  /// The real graphs and nodes of that batch.
  std::int64_t graphs_of(std::int64_t batch) const;
  std::int64_t nodes_of(std::int64_t batch) const;

  /// Where a tier's batches lie; always the same place.
  const PaddedBatch& room(std::size_t tier);

  /// The recorded work begins with this: gets the batch at `position`, where the data are on the device.
  void assemble(std::size_t tier);

  /// Before the work is run for `batch`: sets `position`, and sends the batch where it is not the work that assembles
  /// it.
  void bring(std::int64_t batch);

  /// After the work was started: prepares the batch that comes next, if there is one.
  void prepare_next(std::int64_t batch);

  /// int64 [1] on the device: the number of the batch that the work is at.
  const at::Tensor& position() const { return choice_.position; }

 private:
  struct Tier {
    BatchCapacity capacity;
    PaddedBatch room;
    std::unique_ptr<HostFeed> feed;
    std::vector<PaddedBatch> slots;  ///< views of the feed's memory
    int next_slot = 0;
  };
  void prepare(std::int64_t batch);
  void count(std::int64_t batch, std::int64_t& graphs, std::int64_t& nodes, std::int64_t& edges) const;

  std::shared_ptr<const DeviceData> data_;
  std::vector<Tier> tiers_;
  std::int64_t batch_size_;
  BatchChoice choice_;       ///< on the device; all of order_buffer_ or a part
  BatchChoice host_choice_;  ///< the same in main memory
  at::Tensor order_buffer_, host_buffer_;
  at::Tensor host_node_offsets_, host_edge_offsets_;
  std::int64_t num_graphs_ = 0;
  std::int64_t prepared_ = -1;  ///< batch that waits in a slot
  int prepared_slot_ = 0;
};

}  // namespace factorgcn
