// The parts of a graph over processes: which lie where, and what they send each other.
//
// Process r of R holds parts r P / R to (r + 1) P / R. Rows go from owners to halos and back as one message to each
// other process, parts of one process without any. With W numbers a row, a process sends rows_out() * W numbers forward
// and rows_in() * W back; what is added comes in the order of the parts, wherever they lie.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/collective/group.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/nn/part_exchange.h"

namespace factorgcn {

/// The first part of each of `ranks` processes, and behind them `parts`. Throws UsageError where there are more
/// processes than parts.
FACTORGCN_API std::vector<std::int64_t> first_parts(std::int64_t parts, std::int64_t ranks);

class FACTORGCN_API PartLinks : public PartExchange {
 public:
  /// `own`: the parts of this process, in order; `group`: null where it holds all. All processes make this together:
  /// they ask each other for the rows that their halos name. Throws Error where a part does not have such a row.
  PartLinks(const std::vector<GraphPart>& own, std::int64_t parts, Group* group);

  std::int64_t parts() const override { return first_part_.back(); }
  void fetch(const std::vector<RowTables>& rows, std::vector<RowTables>& halo) override;
  void give_back(const std::vector<RowTables>& halo, std::vector<RowTables>& rows) override;
  at::Tensor gather(const std::vector<at::Tensor>& own) override;

  /// Rows that fetch() sends to other processes, and receives.
  std::int64_t rows_out() const { return rows_out_; }
  std::int64_t rows_in() const { return rows_in_; }

 private:
  std::size_t ranks() const { return first_part_.size() - 1; }
  std::int64_t own_parts() const { return first_part_[rank_ + 1] - first_part_[rank_]; }
  bool is_here(std::int64_t part) const { return part >= first_part_[rank_] && part < first_part_[rank_ + 1]; }
  void ask_for_rows(const std::vector<GraphPart>& own);
  /// Calls `visit(rank, part there, own part)` in the order in which a message to each other process is written: by the
  /// parts there, then by those here. Whoever receives it reads by the parts here, then by those there.
  template <class Visit>
  void for_outgoing(const Visit& visit) const;
  template <class Visit>
  void for_incoming(const Visit& visit) const;

  Group* group_;
  std::size_t rank_ = 0;
  std::vector<std::int64_t> first_part_;
  /// [own part][any part]: where its nodes begin in the own part's halo, and how many there are.
  std::vector<std::vector<std::int64_t>> halo_begin_, halo_count_;
  /// [own part][any part]: the own part's rows that are in the halo of the other, in its order.
  std::vector<std::vector<std::vector<std::int32_t>>> wanted_;
  std::vector<std::int64_t> rows_to_, rows_from_;  ///< of fetch(), by process
  std::int64_t rows_out_ = 0, rows_in_ = 0;
};

}  // namespace factorgcn
