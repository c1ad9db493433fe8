// Whether a graph on the GPU has rows to cut up, and the lists of their pieces.
#include "ops/cuda/aggregate_inputs.h"

#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <deque>
#include <mutex>

namespace factorgcn::cuda {

/// Whether some row is so long that it is worth cutting up. Looking takes a wait for the GPU, so the answer is kept for
/// the list's address and sizes. Should another graph turn up at the same address, a wrong answer costs time, no more:
/// without the cutting a long row is summed at one go, and with it short rows are done as ever.
bool has_long_rows(const at::Tensor& offsets, std::int64_t edges) {
  constexpr std::int64_t kManyEdges = 1 << 16;
  if (edges <= kManyEdges) {
    return false;
  }
  struct Known {
    const void* address;
    std::int64_t nodes, edges;
    bool answer;
  };
  static std::mutex mutex;
  static std::deque<Known> known;
  const std::lock_guard lock(mutex);
  for (const Known& entry : known) {
    if (entry.address == offsets.data_ptr() && entry.nodes == offsets.numel() && entry.edges == edges) {
      return entry.answer;
    }
  }
  if (c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None) {
    return true;
  }
  const bool answer = offsets.diff().max().item<std::int64_t>() > longest_uncut_row(offsets.numel() - 1, edges);
  known.push_front({offsets.data_ptr(), offsets.numel(), edges, answer});
  if (known.size() > 64) {
    known.pop_back();
  }
  return answer;
}

LongRowLists::LongRowLists(const at::Tensor& offsets, std::int64_t edges, int passes) : edges_(edges) {
  if (has_long_rows(offsets, edges)) {
    longest_ = longest_uncut_row(offsets.numel() - 1, edges);
    places_ = long_row_places(edges, longest_);
    passes_ = passes;
    memory_ = at::empty({(bytes(passes) + 7) / 8}, offsets.options());
  }
}

LongRowLists::LongRowLists(at::Tensor memory, std::int64_t rows, std::int64_t edges)
    : memory_(std::move(memory)), edges_(edges) {
  if (memory_.defined()) {
    longest_ = longest_uncut_row(rows, edges);
    places_ = long_row_places(edges, longest_);
    require(memory_.scalar_type() == at::kLong && memory_.is_contiguous() && memory_.numel() * 8 >= bytes(1),
            "long rows: the list was not made for ", rows, " rows of ", edges, " edges; make it by layer_weights()");
    passes_ = static_cast<int>((memory_.numel() * 8 - bytes(0)) / (bytes(1) - bytes(0)));
  }
}

std::int64_t LongRowLists::bytes(int passes) const {
  return places_ * static_cast<std::int64_t>(sizeof(LongPiece)) +
         (1 + places_ * passes) * static_cast<std::int64_t>(sizeof(int));
}

LongRowSearch LongRowLists::search(const at::Tensor& offsets) const {
  LongRowSearch search;
  if (longest_ > 0) {
    search.rows = offsets.numel() - 1;
    search.edges = edges_;
    search.offsets = offsets.data_ptr<std::int64_t>();
    search.longest = longest_;
    search.pieces = pieces();
    search.used = used();
    search.counts = counts();
    search.count_sets = passes_;
  }
  return search;
}

LongRows LongRowLists::rows(int pass) const {
  LongRows rows;
  if (longest_ > 0) {
    require(pass >= 0 && pass < passes_, "long rows: pass ", pass, " asked for, but the list was made for ", passes_,
            "; give layer_weights() the number of layers");
    rows.longest = longest_;
    rows.pieces = pieces();
    rows.used = used();
    rows.counts = counts() + pass * places_;
  }
  return rows;
}

}  // namespace factorgcn::cuda
