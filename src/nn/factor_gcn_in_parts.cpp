// Layer by layer over all parts here: what nodes compute by themselves, the halo, the sums over edges.
#include "nn/factor_gcn_in_parts.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "factorgcn/ops/factor_label_loss.h"
#include "nn/part_operations.h"

namespace factorgcn {

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
    : shell_(copies, pieces, exchange) {
  for (std::size_t index = 0; index < copies.size(); ++index) {
    auto& network = dynamic_cast<FactorGcn&>(*copies[index]);
    parts_.push_back({network, pieces[index], piece_weights(pieces[index], network.options_.norm), {}});
  }
}

std::vector<ModelOutput> FactorGcnInParts::forward(bool with_regulariser) {
  const FactorGcn& any = parts_.front().network;
  const bool judged = with_regulariser && any.options_.discriminator;
  const std::size_t layers = any.num_layers();
  std::vector<ModelOutput> results(parts_.size());
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    parts_[part].x = shell_.input(part);
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
    results[part].prediction = shell_.read_out(part, parts_[part].x);
  }
  return results;
}

std::vector<DisentangleOutput> FactorGcnInParts::run_layer(std::size_t index, bool judged) {
  std::vector<RowTables> rows;
  for (Part& part : parts_) {
    rows.push_back({part.network.layers_[index]->map_nodes(part.x)});
    part.x.reset();
  }
  const std::vector<RowTables> sources = shell_.with_halos(rows);
  rows.clear();  // copied behind the halos
  std::vector<DisentangleOutput> layer;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    const Part& part = parts_[number];
    const GraphBatch& batch = part.piece.batch;
    const LinearMap* companion = judged ? part.network.discriminators_[index]->companion(batch) : nullptr;
    layer.push_back(part.network.layers_[index]->gather(batch.edges, sources[number][0], part.weights, companion));
  }
  return layer;
}

std::vector<at::Tensor> FactorGcnInParts::judge(std::size_t index, const std::vector<DisentangleOutput>& layer) {
  const auto discriminator = [&](std::size_t part) -> DiscriminatorImpl& {
    return *parts_[part].network.discriminators_[index];
  };
  const auto gathered = [&](const std::vector<RowTables>& features) {
    const std::vector<RowTables> sources = shell_.with_halos(features);
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
    means.push_back(discriminator(part).last_means(sums[part], layer[part].gate_sum, piece.batch.graph_offsets) *
                    (static_cast<double>(piece.rows) / static_cast<double>(piece.all_nodes)));
  }
  // The one loss of the whole graph, in equal shares: every part computes it from the same means.
  const std::vector<at::Tensor> all = sum_over_parts(means, shell_.exchange());
  std::vector<at::Tensor> losses;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    losses.push_back(factor_label_loss(discriminator(part).scores(all[part])) *
                     (1.0 / static_cast<double>(shell_.exchange().parts())));
  }
  return losses;
}

void FactorGcnInParts::finish_layer(std::size_t index, const std::vector<DisentangleOutput>& layer) {
  std::vector<at::Tensor> values;
  for (const DisentangleOutput& each : layer) {
    values.push_back(each.out.flatten(1));
  }
  const std::vector<at::Tensor> ends = shell_.finish_block(index, values);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    parts_[part].x = shell_.drop_out(part, index, ends[part]);
  }
}

}  // namespace factorgcn
