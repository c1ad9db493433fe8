// Layer by layer over all parts here: what nodes compute by themselves, the halo, the sums over edges.
#include "nn/baselines/stack_in_parts.h"

#include "factorgcn/graph/sparse_features.h"

namespace factorgcn::baselines {

std::int64_t StackInParts::halo_numbers(const StackModel& model) {
  std::int64_t numbers = 0;
  for (std::size_t layer = 0; layer < model.num_layers(); ++layer) {
    numbers += model.sent_width(layer);
  }
  return numbers;
}

StackInParts::StackInParts(std::span<const std::shared_ptr<GraphModel>> copies, std::span<const GraphPiece> pieces,
                           PartExchange& exchange)
    : shell_(copies, pieces, exchange) {
  for (std::size_t part = 0; part < copies.size(); ++part) {
    StackPass pass{pieces[part].batch};
    pass.piece = &pieces[part];
    parts_.push_back({dynamic_cast<StackModel&>(*copies[part]), pass, {}});
  }
}

std::vector<ModelOutput> StackInParts::forward() {
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    part.x = shell_.input(number);
    part.network.prepare(part.pass);
  }
  for (std::size_t layer = 0; layer < parts_.front().network.num_layers(); ++layer) {
    const std::vector<at::Tensor> ends = shell_.finish_block(layer, convolve(layer));
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      Part& part = parts_[number];
      part.x = shell_.drop_out(number, layer, part.network.with_residual(part.x, ends[number]));
    }
  }
  std::vector<ModelOutput> results;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    results.push_back({shell_.read_out(number, dense_features(parts_[number].x)), {}});
  }
  return results;
}

std::vector<at::Tensor> StackInParts::convolve(std::size_t layer) {
  std::vector<NodeTables> nodes;
  std::vector<RowTables> sent;
  for (Part& part : parts_) {
    nodes.push_back(part.network.map_nodes(layer, part.x, part.pass));
    sent.push_back(nodes.back().sent);
  }
  const std::vector<RowTables> sources = shell_.with_halos(sent);
  sent.clear();  // copied in front of the halos
  std::vector<at::Tensor> values;
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    Part& part = parts_[number];
    nodes[number].sent = sources[number];
    values.push_back(part.network.gather(layer, nodes[number], part.pass));
  }
  if (parts_.front().network.inner_norm(layer) != nullptr) {
    std::vector<BatchNormState> states;
    for (const Part& part : parts_) {
      states.push_back(*part.network.inner_norm(layer));
    }
    values = shell_.normed(values, states, Activation::kRelu, 0, std::vector<at::Tensor>(parts_.size()));
  }
  for (std::size_t number = 0; number < parts_.size(); ++number) {
    values[number] = parts_[number].network.finish_layer(layer, values[number]);
  }
  return values;
}

}  // namespace factorgcn::baselines
