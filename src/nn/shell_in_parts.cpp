// The shell's steps over all parts here.
#include "nn/shell_in_parts.h"

#include <ATen/Context.h>
#include <ATen/ops/full.h>

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "nn/part_operations.h"

namespace factorgcn {

NodeWeights piece_weights(const GraphPiece& piece, EdgeNorm norm) {
  NodeWeights weights;
  if (norm != EdgeNorm::kNone) {
    weights.source = piece.degree_weights;
  }
  if (norm == EdgeNorm::kSymmetric) {
    weights.target = piece.degree_weights.narrow(0, 0, piece.rows);
  }
  return weights;
}

std::string ShellInParts::misfit(const NetworkShell& network) {
  const ShellOptions& options = network.shell_;
  if (!is_node_readout(options.readout)) {
    return concat("with readout ", readout_name(options.readout), " answers for whole graphs, not for nodes");
  }
  return options.edge_weights ? "cannot use edge weights on a graph in parts; leave edge_weights out" : "";
}

ShellInParts::ShellInParts(std::span<const std::shared_ptr<GraphModel>> copies, std::span<const GraphPiece> pieces,
                           PartExchange& exchange)
    : exchange_(exchange) {
  for (std::size_t index = 0; index < copies.size(); ++index) {
    auto& network = dynamic_cast<NetworkShell&>(*copies[index]);
    const GraphPiece& piece = pieces[index];
    at::Tensor row_scale;
    if (network.shell_.size_norm) {
      row_scale = at::full({1}, piece.all_nodes, at::kLong).to(at::kFloat).rsqrt().repeat({piece.rows});
    }
    parts_.push_back({&network, &piece, row_scale});
  }
}

at::Tensor ShellInParts::input(std::size_t part) const {
  seed_dropout(parts_[part], 0);
  return parts_[part].network->input_features(parts_[part].piece->batch);
}

std::vector<RowTables> ShellInParts::with_halos(const std::vector<RowTables>& rows) const {
  if (rows.front().empty()) {
    return rows;
  }
  std::vector<std::int64_t> halo;
  for (const Part& part : parts_) {
    halo.push_back(part.piece->halo);
  }
  return with_halo(rows, halo, exchange_);
}

std::vector<at::Tensor> ShellInParts::normed(const std::vector<at::Tensor>& values,
                                             const std::vector<BatchNormState>& states, Activation activation,
                                             double slope, const std::vector<at::Tensor>& row_scales) const {
  const bool fused = is_leaky(activation);
  const Activation within = fused ? activation : Activation::kNone;
  std::vector<at::Tensor> results;
  if (parts_.front().network->is_training()) {
    results = batch_norm_over_parts(values, states, exchange_, within, slope, row_scales);
  } else {
    for (std::size_t part = 0; part < values.size(); ++part) {
      results.push_back(batch_norm(values[part], states[part], /*training=*/false, within, slope, row_scales[part]));
    }
  }
  for (at::Tensor& result : results) {
    result = fused ? result : activate(result, activation, slope);
  }
  return results;
}

std::vector<at::Tensor> ShellInParts::finish_block(std::size_t layer, const std::vector<at::Tensor>& values) const {
  const ShellOptions& options = parts_.front().network->shell_;
  std::vector<at::Tensor> results, row_scales;
  if (options.batch_norm) {
    std::vector<BatchNormState> states;
    for (const Part& part : parts_) {
      states.push_back(part.network->norms()[layer]);
      row_scales.push_back(part.row_scale);
    }
    return normed(values, states, options.activation, options.slope, row_scales);
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const Part& part = parts_[number];
    results.push_back(part.network->finish_block(layer, values[number], part.row_scale, part.piece->batch));
  }
  return results;
}

at::Tensor ShellInParts::drop_out(std::size_t part, std::size_t layer, const at::Tensor& end) const {
  seed_dropout(parts_[part], layer + 1);
  return parts_[part].network->drop_out(end);
}

at::Tensor ShellInParts::read_out(std::size_t part, const at::Tensor& last) const {
  return parts_[part].network->read_out({last});
}

void ShellInParts::seed_dropout(const Part& part, std::size_t place) {
  const ShellOptions& options = part.network->shell_;
  if (part.network->drops_out() && (place == 0 ? options.input_dropout : options.dropout) > 0) {
    at::manual_seed(RandomStream(part.piece->seed, concat("dropout ", place)).next());
  }
}

}  // namespace factorgcn
