// The network, a round's hidden edges, and the gates at the end.
#include "factorgcn/train/unlabelled_gates.h"

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/nn/discriminator.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "factorgcn/optim/adam.h"
#include "nn/init.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kLearntWidth = 32;       // of the vector that each node learns
constexpr std::size_t kMostHidden = 1'000'000;  // edges predicted in a round
constexpr std::size_t kFewestToHideFrom = 10;   // a graph this small is predicted whole

using Ids = std::vector<std::int32_t>;

class GateNetwork : public torch::nn::Module {
 public:
  GateNetwork(const UnlabelledGatesOptions& options, std::int64_t num_nodes, at::Tensor attributes,
              RandomStream& random)
      : attributes_(std::move(attributes)) {
    const std::int64_t in = kLearntWidth + (attributes_.defined() ? attributes_.size(1) : 0);
    learnt_ = register_parameter("learnt", uniform_tensor({num_nodes, kLearntWidth}, 1.0, random));
    layer_ = register_module("layer",
                             DisentangleLayer(DisentangleLayerOptions{in, std::int64_t{options.width} * options.factors,
                                                                      options.factors, options.gate_scale},
                                              random));
    DiscriminatorOptions judge;
    judge.width = options.width;
    judge.factors = options.factors;
    judge.gate_scale = options.gate_scale;
    judge_ = register_module("discriminator", Discriminator(judge, random));
    weight_ = register_parameter("pair_weight", at::ones({options.factors, options.width}));
    bias_ = register_parameter("pair_bias", at::full({options.factors}, -2.0));
  }

  DisentangleOutput run(const GraphBatch& batch, const NodeWeights& weights) {
    const at::Tensor x = attributes_.defined() ? at::cat({learnt_, attributes_}, 1) : learnt_;
    return layer_->forward(batch.edges, x, weights, judge_->companion(batch));
  }

  at::Tensor judge(const GraphBatch& batch, const DisentangleOutput& output, const NodeWeights& weights) {
    return judge_->loss(batch, output, weights);
  }

  /// -log(1 - p) of each pair.
  at::Tensor rates(const DisentangleOutput& output, const at::Tensor& sources, const at::Tensor& targets) {
    const at::Tensor z = at::tanh(output.out);
    const at::Tensor products = z.index_select(0, sources) * z.index_select(0, targets) * weight_;
    return at::softplus(products.sum(2) + bias_).sum(1);
  }

  at::Tensor gates(const Adjacency& edges, const DisentangleOutput& output) const {
    return layer_->coefficients(edges, output);
  }

 private:
  at::Tensor attributes_, learnt_, weight_, bias_;
  DisentangleLayer layer_{nullptr};
  Discriminator judge_{nullptr};
};

at::Tensor ids_tensor(const Ids& ids) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(ids.size())}, at::TensorOptions().dtype(at::kLong));
  std::copy(ids.begin(), ids.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

/// Both directions of each edge: edge e at 2 e and 2 e + 1 of the list.
GraphBatch batch_of(std::int64_t num_nodes, const Ids& sources, const Ids& targets) {
  Ids from;
  Ids to;
  for (std::size_t edge = 0; edge < sources.size(); ++edge) {
    from.insert(from.end(), {sources[edge], targets[edge]});
    to.insert(to.end(), {targets[edge], sources[edge]});
  }
  GraphBatch batch;
  batch.edges = build_adjacency(num_nodes, from, to);
  batch.graph_offsets = at::empty({2}, at::TensorOptions().dtype(at::kLong));
  batch.graph_offsets.data_ptr<std::int64_t>()[0] = 0;
  batch.graph_offsets.data_ptr<std::int64_t>()[1] = num_nodes;
  return batch;
}

/// Edges to predict, and the others.
struct Round {
  Ids seen_sources, seen_targets, hidden_sources, hidden_targets, random_sources, random_targets;
};

Round draw_round(std::int64_t num_nodes, std::span<const std::int32_t> sources, std::span<const std::int32_t> targets,
                 RandomStream& random) {
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  const bool small = order.size() < kFewestToHideFrom;
  const std::size_t hidden = small ? order.size() : std::min(order.size() / 5, kMostHidden);
  Round round;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::int32_t source = sources[order[place]];
    const std::int32_t target = targets[order[place]];
    if (place < hidden) {
      round.hidden_sources.push_back(source);
      round.hidden_targets.push_back(target);
      const auto nodes = static_cast<std::uint64_t>(num_nodes);
      round.random_sources.push_back(static_cast<std::int32_t>(random.below(nodes)));
      round.random_targets.push_back(static_cast<std::int32_t>(random.below(nodes)));
    }
    if (place >= hidden || small) {
      round.seen_sources.push_back(source);
      round.seen_targets.push_back(target);
    }
  }
  return round;
}

/// Mean coefficient of an edge's two directions, each row divided by its sum.
std::vector<float> read_shares(const Adjacency& edges, const at::Tensor& gates, std::span<const std::int32_t> sources,
                               std::span<const std::int32_t> targets) {
  const at::Tensor rows = gates.contiguous();
  const auto factors = static_cast<std::size_t>(rows.size(1));
  const double* const values = rows.data_ptr<double>();
  // A node's in-edges keep the order of batch_of()'s list, so walking that list again finds each entry's place.
  const std::int64_t* const offsets = edges.in_offsets.data_ptr<std::int64_t>();
  std::vector<std::int64_t> next(offsets, offsets + edges.num_nodes());
  std::vector<float> shares;
  shares.reserve(sources.size() * factors);
  std::vector<double> sums(factors);
  for (std::size_t edge = 0; edge < sources.size(); ++edge) {
    std::fill(sums.begin(), sums.end(), 0.0);
    double all = 0;
    for (const std::int32_t end : {targets[edge], sources[edge]}) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(end)]++);
      for (std::size_t factor = 0; factor < factors; ++factor) {
        sums[factor] += values[place * factors + factor];
        all += values[place * factors + factor];
      }
    }
    for (const double sum : sums) {
      shares.push_back(static_cast<float>(all > 0 ? sum / all : 1.0 / static_cast<double>(factors)));
    }
  }
  return shares;
}

void check_unlabelled(std::int64_t num_nodes, std::span<const std::int32_t> sources,
                      std::span<const std::int32_t> targets, const at::Tensor& attributes,
                      const UnlabelledGatesOptions& options) {
  require_usage(options.factors >= 1 && options.rounds >= 1 && options.width >= 1,
                "factorgcn without labels: ", options.factors, " factors of width ", options.width, " and ",
                options.rounds, " rounds; each must be at least 1");
  require(sources.size() == targets.size(), "factorgcn without labels: ", sources.size(), " sources and ",
          targets.size(), " targets; each edge needs both");
  require(!attributes.defined() || (attributes.dim() == 2 && attributes.size(0) == num_nodes &&
                                    attributes.scalar_type() == at::kFloat && attributes.isfinite().all().item<bool>()),
          "factorgcn without labels: attributes must be finite floats, one row for each of the ", num_nodes, " nodes");
}

}  // namespace

UnlabelledGates train_unlabelled_gates(std::int64_t num_nodes, std::span<const std::int32_t> sources,
                                       std::span<const std::int32_t> targets, const at::Tensor& attributes,
                                       const UnlabelledGatesOptions& options,
                                       const std::function<void(int)>& progress) {
  check_unlabelled(num_nodes, sources, targets, attributes, options);
  UnlabelledGates result;
  if (sources.empty()) {
    return result;
  }
  RandomStream first(options.seed, "unlabelled gates/weights");
  GateNetwork network(options, num_nodes, attributes, first);
  std::vector<at::Tensor> parameters;
  for (const auto& item : network.named_parameters()) {
    parameters.push_back(item.value());
  }
  Adam adam(parameters, {.learning_rate = options.learning_rate});
  constexpr double kLeast = 1e-6;  // of a probability, before its logarithm
  for (int number = 0; number < options.rounds; ++number) {
    RandomStream random(options.seed, concat("unlabelled gates/round ", number));
    const Round round = draw_round(num_nodes, sources, targets, random);
    const GraphBatch batch = batch_of(num_nodes, round.seen_sources, round.seen_targets);
    const NodeWeights weights = node_weights(batch.edges, EdgeNorm::kSource);
    adam.zero_gradients();
    const DisentangleOutput output = network.run(batch, weights);
    const at::Tensor hidden = network.rates(output, ids_tensor(round.hidden_sources), ids_tensor(round.hidden_targets));
    const at::Tensor drawn = network.rates(output, ids_tensor(round.random_sources), ids_tensor(round.random_targets));
    const at::Tensor loss = (drawn - at::log((-at::expm1(-hidden)).clamp_min(kLeast))).mean();
    (loss + options.lambda * network.judge(batch, output, weights)).backward();
    adam.step();
    result.losses.push_back(loss.item<double>());
    if (progress) {
      progress(number + 1);
    }
  }
  const at::NoGradGuard no_gradient;
  const GraphBatch whole =
      batch_of(num_nodes, Ids(sources.begin(), sources.end()), Ids(targets.begin(), targets.end()));
  const DisentangleOutput output = network.run(whole, node_weights(whole.edges, EdgeNorm::kSource));
  result.shares = read_shares(whole.edges, network.gates(whole.edges, output), sources, targets);
  return result;
}

}  // namespace factorgcn
