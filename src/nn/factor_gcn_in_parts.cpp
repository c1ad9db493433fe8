// Layer by layer over all parts here: what nodes compute by themselves, the halo, the sums over edges.
#include "nn/factor_gcn_in_parts.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <optional>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "nn/part_operations.h"

namespace factorgcn {

std::string FactorGcnInParts::misfit(const FactorGcn& model) {
  const FactorGcnOptions& options = model.options_;
  if (!is_node_readout(options.readout)) {
    return concat("with readout ", readout_name(options.readout), " answers for whole graphs, not for nodes");
  }
  return options.edge_weights ? "cannot use edge weights on a graph in parts; leave edge_weights out" : "";
}

std::int64_t FactorGcnInParts::halo_numbers(const FactorGcn& model, bool judged) {
  const FactorGcnOptions& options = model.options_;
  std::int64_t numbers = 0;
  for (const std::int64_t factors : options.factors) {
    const std::int64_t width = options.hidden / factors;
    numbers += width;
    if (judged && options.discriminator) {
      numbers += (options.discriminator_depth - 1) * factors * std::max<std::int64_t>(width / 2, 1);
    }
  }
  return numbers;
}

FactorGcnInParts::FactorGcnInParts(std::span<const std::shared_ptr<GraphModel>> copies,
                                   std::span<const GraphPiece> pieces, PartExchange& exchange)
    : exchange_(exchange) {
  for (std::size_t index = 0; index < copies.size(); ++index) {
    auto& network = dynamic_cast<FactorGcn&>(*copies[index]);
    const GraphPiece& piece = pieces[index];
    const FactorGcnOptions& options = network.options_;
    NodeWeights weights;
    if (options.norm != EdgeNorm::kNone) {
      weights.source = piece.degree_weights;
    }
    if (options.norm == EdgeNorm::kSymmetric) {
      weights.target = piece.degree_weights.narrow(0, 0, piece.rows);
    }
    at::Tensor row_scale;
    if (options.size_norm) {
      row_scale = at::full({1}, piece.all_nodes, at::kLong).to(at::kFloat).rsqrt().repeat({piece.rows});
    }
    parts_.push_back({network, piece, weights, row_scale, {}});
  }
}

std::vector<ModelOutput> FactorGcnInParts::forward(bool with_regulariser) {
  const FactorGcn& any = parts_.front().network;
  const bool judged = with_regulariser && any.options_.discriminator;
  const std::size_t layers = any.num_layers();
  std::vector<ModelOutput> results(parts_.size());
  for (Part& part : parts_) {
    seed_dropout(part, 0);
    part.x = part.network.input_features(part.piece.batch);
  }
  for (std::size_t index = 0; index < layers; ++index) {
    const std::vector<DisentangleOutput> layer = run_layer(index, judged);
    if (judged) {
      const std::vector<at::Tensor> losses = judge(index, layer);
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        at::Tensor& sum = results[part].regulariser;
        sum = sum.defined() ? sum + losses[part] : losses[part];
      }
    }
    finish_layer(index, layer);
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    results[part].prediction = parts_[part].network.read_out({parts_[part].x});
  }
  return results;
}

std::vector<DisentangleOutput> FactorGcnInParts::run_layer(std::size_t index, bool judged) {
  std::vector<RowTables> rows;
  for (Part& part : parts_) {
    rows.push_back({part.network.layers_[index]->map_nodes(part.x)});
    part.x.reset();
  }
  const std::vector<RowTables> sources = with_halos(rows);
  rows.clear();  // copied behind the halos
  std::vector<DisentangleOutput> layer;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const Part& part = parts_[number];
    const GraphBatch& batch = part.piece.batch;
    const LinearMap* companion = judged ? part.network.discriminators_[index]->companion(batch) : nullptr;
    layer.push_back(
        part.network.layers_[index]->gather(batch.edges, sources[number][0], part.weights, companion));
  }
  return layer;
}

std::vector<at::Tensor> FactorGcnInParts::judge(std::size_t index, const std::vector<DisentangleOutput>& layer) {
  const auto discriminator = [&](std::size_t part) -> DiscriminatorImpl& {
    return *parts_[part].network.discriminators_[index];
  };
  const auto gathered = [&](const std::vector<RowTables>& features) {
    const std::vector<RowTables> sources = with_halos(features);
    std::vector<at::Tensor> sums;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      sums.push_back(factor_aggregate_each(parts_[part].piece.batch.edges, sources[part][0], layer[part].left,
                                           layer[part].right, parts_[part].weights,
                                           discriminator(part).options().gate_scale));
    }
    return sums;
  };
  std::vector<RowTables> features;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    features.push_back({discriminator(part).first_features(layer[part])});
  }
  for (std::size_t middle = 1; middle + 1 < discriminator(0).num_convolutions(); ++middle) {
    const std::vector<at::Tensor> sums = gathered(features);
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      features[part] = {discriminator(part).middle_features(middle, sums[part], layer[part].gate_sum)};
    }
  }
  const std::vector<at::Tensor> sums = gathered(features);
  std::vector<at::Tensor> means;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const GraphPiece& piece = parts_[part].piece;
    means.push_back(
        discriminator(part).last_means(sums[part], layer[part].gate_sum, piece.batch.graph_offsets) *
        (static_cast<double>(piece.rows) / static_cast<double>(piece.all_nodes)));
  }
  // The one loss of the whole graph, in equal shares: every part computes it from the same means.
  const std::vector<at::Tensor> all = sum_over_parts(means, exchange_);
  std::vector<at::Tensor> losses;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    losses.push_back(factor_label_loss(discriminator(part).scores(all[part])) *
                     (1.0 / static_cast<double>(exchange_.parts())));
  }
  return losses;
}

void FactorGcnInParts::finish_layer(std::size_t index, const std::vector<DisentangleOutput>& layer) {
  const FactorGcnOptions& options = parts_.front().network.options_;
  std::vector<at::Tensor> normed;
  if (options.batch_norm && parts_.front().network.is_training()) {
    std::vector<at::Tensor> values, row_scales;
    std::vector<BatchNormState> states;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      values.push_back(layer[part].out.flatten(1));
      states.push_back(parts_[part].network.norms()[index]);
      row_scales.push_back(parts_[part].row_scale);
    }
    const bool fused = is_leaky(options.activation);
    normed = batch_norm_over_parts(values, states, exchange_, fused ? options.activation : Activation::kNone,
                                   options.slope, row_scales);
    for (at::Tensor& each : normed) {
      each = fused ? each : activate(each, options.activation, options.slope);
    }
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    const at::Tensor end = normed.empty() ? part.network.finish_block(index, layer[number].out.flatten(1),
                                                                      part.row_scale, part.piece.batch)
                                          : normed[number];
    seed_dropout(part, index + 1);
    part.x = part.network.drop_out(end);
  }
}

std::vector<RowTables> FactorGcnInParts::with_halos(const std::vector<RowTables>& rows) {
  std::vector<std::int64_t> halo;
  for (const Part& part : parts_) {
    halo.push_back(part.piece.halo);
  }
  return with_halo(rows, halo, exchange_);
}

void FactorGcnInParts::seed_dropout(const Part& part, std::size_t place) {
  const FactorGcnOptions& options = part.network.options_;
  if (part.network.drops_out() && (place == 0 ? options.input_dropout : options.dropout) > 0) {
    at::manual_seed(RandomStream(part.piece.seed, concat("dropout ", place)).next());
  }
}

}  // namespace factorgcn
