// What all networks share on one graph in parts (nn/models_in_parts.h), beside nn/network_shell.h: the copies of the
// network, one for each part here, the exchange of rows at the parts' borders, and ends of blocks whose moments are
// those of all parts together. A layer computes of each node what its neighbours read, lets with_halos() bring the rows
// that other parts own, and sums over its own edges; nothing else is exchanged.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "factorgcn/nn/graph_piece.h"
#include "factorgcn/nn/network_shell.h"
#include "factorgcn/nn/part_exchange.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn {

/// Weights of a part's messages by the degrees that their ends have in the whole graph.
NodeWeights piece_weights(const GraphPiece& piece, EdgeNorm norm);

class ShellInParts {
 public:
  /// All must outlive this; copies are of one network on the shell.
  ShellInParts(std::span<const std::shared_ptr<GraphModel>> copies, std::span<const GraphPiece> pieces,
               PartExchange& exchange);

  std::size_t parts() const { return parts_.size(); }
  const GraphPiece& piece(std::size_t part) const { return *parts_[part].piece; }
  PartExchange& exchange() const { return exchange_; }

  /// x0 of a part's own nodes.
  at::Tensor input(std::size_t part) const;
  /// Each table with the rows of the part's halo behind its own; all parts' tables are alike. Nothing is sent where
  /// there are none.
  std::vector<RowTables> with_halos(const std::vector<RowTables>& rows) const;
  /// Batch norm and activation over the rows of all parts; `states`: of each copy.
  std::vector<at::Tensor> normed(const std::vector<at::Tensor>& values, const std::vector<BatchNormState>& states,
                                 Activation activation, double slope, const std::vector<at::Tensor>& row_scales) const;
  /// NetworkShell::finish_block() over all parts.
  std::vector<at::Tensor> finish_block(std::size_t layer, const std::vector<at::Tensor>& values) const;
  /// NetworkShell::drop_out() of block `layer`'s end.
  at::Tensor drop_out(std::size_t part, std::size_t layer, const at::Tensor& end) const;
  at::Tensor read_out(std::size_t part, const at::Tensor& last) const;

  /// Why the network cannot run on parts by the settings of its shell; empty: it can.
  static std::string misfit(const NetworkShell& network);

 private:
  struct Part {
    NetworkShell* network;
    const GraphPiece* piece;
    at::Tensor row_scale;
  };

  /// Everything random of a part and a place in the network follows from its seed.
  static void seed_dropout(const Part& part, std::size_t place);

  std::vector<Part> parts_;
  PartExchange& exchange_;
};

}  // namespace factorgcn
