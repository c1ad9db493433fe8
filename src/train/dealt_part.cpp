// Each process sends a table of as many rows as any of them has, and all put together what is in them.
#include "train/dealt_part.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>

#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {
namespace {

std::vector<std::int64_t> rows_of_batches(const std::vector<std::span<const std::int64_t>>& batches,
                                          const std::vector<std::int64_t>& graph_rows) {
  std::vector<std::int64_t> rows;
  auto first = graph_rows.begin();
  for (const auto batch : batches) {
    const auto end = first + static_cast<std::ptrdiff_t>(batch.size());
    rows.push_back(std::accumulate(first, end, std::int64_t{0}));
    first = end;
  }
  return rows;
}

}  // namespace

at::Tensor DealtBatches::gather(const at::Tensor& own) const {
  const auto ranks = static_cast<std::size_t>(group_.size());
  std::vector<std::int64_t> of_rank(ranks, 0), next(ranks, 0);
  for (std::size_t batch = 0; batch < rows_.size(); ++batch) {
    of_rank[batch % ranks] += rows_[batch];
  }
  const std::int64_t columns = own.size(1);
  at::Tensor table = at::zeros({*std::max_element(of_rank.begin(), of_rank.end()), columns}, own.options());
  table.narrow(0, 0, own.size(0)).copy_(own);
  const at::Tensor gathered = group_.all_gather(table);
  std::vector<at::Tensor> pieces{at::zeros({0, columns}, own.options())};
  for (std::size_t batch = 0; batch < rows_.size(); ++batch) {
    const std::size_t rank = batch % ranks;
    pieces.push_back(gathered[static_cast<std::int64_t>(rank)].narrow(0, next[rank], rows_[batch]));
    next[rank] += rows_[batch];
  }
  return at::cat(pieces);
}

DealtPart::DealtPart(const Dataset& dataset, const DataPart& part, std::int64_t batch_size, Group& group)
    : dataset_(dataset),
      part_(part),
      batches_(cut_batches(part_.graphs, batch_size)),
      targets_(part_targets(dataset, part_.graphs, part_.counted)),
      dealt_(rows_of_batches(batches_, targets_.graph_rows), group) {}

at::Tensor DealtPart::predict(GraphModel& model) const {
  const EvaluationMode mode(model);
  const std::int64_t columns = std::max<std::int64_t>(dataset_.num_outputs, 1);
  std::vector<at::Tensor> own{at::zeros({0, columns})};
  for (std::size_t index = 0; index < batches_.size(); ++index) {
    if (dealt_.is_own(index)) {
      const LabelledBatch batch = select_batch(dataset_, batches_[index], part_.counted);
      const at::Tensor all = model.forward(move_batch(batch.graphs, device_of(model)), false).prediction;
      own.push_back(batch.counted(all.to(at::kCPU)).view({-1, columns}));
    }
  }
  return dealt_.gather(at::cat(own));
}

}  // namespace factorgcn
