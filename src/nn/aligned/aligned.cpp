// One pass over a batch: split it, read the factors, and let the mechanisms look at the split.
#include "nn/aligned/aligned.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/activation.h"
#include "nn/aligned/company.h"
#include "nn/aligned/split_losses.h"
#include "nn/aligned/swap.h"

namespace factorgcn::aligned {
namespace {

/// How far the mechanisms have grown before exchanged parts are turned round: until then names mean little.
constexpr double kNamesKnown = 0.3;

double grown(const AlignedOptions& options, double progress) {
  if (progress < options.begin) {
    return 0;
  }
  return options.growth <= 0 ? 1.0 : std::clamp((progress - options.begin) / options.growth, 0.0, 1.0);
}

}  // namespace

struct Aligned::Graphs {
  PairGraphs host, here;  // in main memory, and where the model is
  at::Tensor pair_of_edge;
  at::Device device;
};

struct Aligned::Reading {
  at::Tensor context, scores, coefficients, logits;
};

struct Aligned::Asked {
  SplitLosses split;
  at::Tensor size, apart;  ///< undefined where they weigh nothing
};

struct Aligned::Judged {
  at::Tensor swap, adversary, namer, exchange;
};

Aligned::Aligned(const AlignedOptions& options, std::uint64_t seed)
    : options_(options),
      random_(seed, "model/aligned"),
      maker_(*this, random_),
      scorer_(maker_, options.context_blocks, options.hidden, options.labels),
      reader_(maker_, "reader", options.reader_blocks, options.hidden),
      head_(maker_.linear("head1", options.hidden, options.hidden)),
      last_(maker_.linear("head2", options.hidden, options.labels)),
      adversary_(maker_, options.reader_blocks, options.judge_hidden, options.labels),
      namer_(maker_, options.reader_blocks, options.judge_hidden, options.labels) {
  if (options.weights.local > 0) {
    local_.emplace(maker_, options.local_blocks, options.hidden, options.labels);
  }
}

Aligned::Graphs Aligned::graphs_of(const GraphBatch& batch) const {
  require(!options_.edge_weights || batch.edge_weights.defined(),
          "model aligned: the graphs have no edge weights, which the model was made for");
  const at::Device device = last_.weight.device();
  const GraphBatch host = move_batch(batch, at::Device(at::kCPU));
  BatchPairs pairs = pairs_of(host, options_.edge_weights);
  PairGraphs here = move_pairs(pairs.graphs, device);
  return {std::move(pairs.graphs), std::move(here), std::move(pairs.pair_of_edge), device};
}

Aligned::Reading Aligned::read(const Graphs& graphs, Moments moments) const {
  Reading reading;
  reading.context = scorer_.context(graphs.here, moments);
  reading.scores = scorer_.scores(graphs.here, reading.context);
  reading.coefficients = reading.scores.sigmoid();
  const std::int64_t count = graphs.host.num_graphs(), labels = options_.labels;
  const at::Tensor read = reader_.read(shelve_all(graphs.here, labels), reading.coefficients, moments);
  const at::Tensor heads = activate(linear(head_, read), Activation::kRelu).view({labels, count, options_.hidden});
  reading.logits = (heads * last_.weight.unsqueeze(1)).sum(2).t() + last_.bias;
  return reading;
}

Aligned::Asked Aligned::ask(const Graphs& graphs, const Reading& reading, const Lesson& lesson) const {
  const at::Tensor& coefficients = reading.coefficients;
  const at::Tensor labels = lesson.targets.to(graphs.device, coefficients.scalar_type());
  Asked asked;
  asked.split = split_losses(graphs.here, coefficients, labels, options_.share_floor);
  if (options_.weights.size > 0) {
    asked.size = size_loss(graphs.here, coefficients, labels, part_sizes(graphs.host, lesson.targets.to(at::kCPU)));
  }
  if (options_.weights.apart > 0) {
    asked.apart = apart_loss(graphs.here, coefficients, labels);
  }
  return asked;
}

Aligned::Judged Aligned::judge(const Graphs& graphs, const Reading& reading, const Lesson& lesson, double strength,
                               Moments moments) const {
  const LossWeights& weights = options_.weights;
  const std::int64_t count = graphs.host.num_graphs(), labels = options_.labels;
  const at::Tensor truth = lesson.targets.to(at::kFloat).contiguous();
  const std::vector<Piece> pieces = present_pieces(truth);
  Judged judged;
  if (pieces.empty() || graphs.host.num_pairs() == 0) {
    return judged;
  }
  const at::Tensor& coefficients = reading.coefficients;
  const at::Tensor held_here =
      held_pairs(graphs.here, coefficients, truth.to(graphs.device), /*whole=*/weights.cover > 0);
  const FactorShelf shelf = shelve(graphs.host, labels, pieces, graphs.device);
  PartNames names = usual_names(count, labels);
  if (weights.namer > 0) {
    const Namer::Answer answer = namer_.read(shelf, pieces, held_here.to(coefficients.scalar_type()), moments);
    judged.namer = answer.loss;
    names = name_parts(pieces, answer.log_probabilities.detach().to(at::kCPU, at::kFloat).contiguous(), count);
    if (names.count > 0) {
      judged.exchange = exchange_loss(graphs.host, coefficients, names);
    }
  }
  const bool swaps = weights.swap > 0;
  const at::Tensor held = swaps ? held_here.to(at::kCPU).contiguous() : held_here;
  // Asked for before new graphs are made, so that a GPU has something to do meanwhile.
  if (weights.adversary > 0 && labels > 1) {
    judged.adversary = adversary_.loss(shelf, pieces, coefficients, truth, strength, moments);
  }
  if (swaps) {
    const NewGraphs made = exchange_parts(graphs.host, held, names.names, truth, lesson.seed);
    if (made.graphs.num_pairs() > 0) {
      const PairGraphs there = move_pairs(made.graphs, graphs.device);
      const at::Tensor found = scorer_.coefficients(there, Moments::kBatch);
      judged.swap = coefficient_loss(found, made.parts.to(found.device(), found.scalar_type()));
    }
  }
  return judged;
}

ModelOutput Aligned::forward(const GraphBatch& batch, bool /*with_regulariser*/) {
  return {read(graphs_of(batch), is_training() ? Moments::kLearning : Moments::kEstimates).logits, {}};
}

ModelOutput Aligned::lesson(const GraphBatch& batch, const Lesson& lesson) {
  const LossWeights& weights = options_.weights;
  const Graphs graphs = graphs_of(batch);
  const Reading reading = read(graphs, Moments::kLearning);
  const Asked asked = ask(graphs, reading, lesson);
  const SplitLosses& split = asked.split;
  at::Tensor sum = split.empty * weights.empty + split.cover * weights.cover + split.entropy * weights.entropy +
                   split.share * weights.share;
  const auto add = [&sum](const at::Tensor& term, double weight) {
    sum = term.defined() && weight > 0 ? sum + term * weight : sum;
  };
  add(asked.size, weights.size);
  add(asked.apart, weights.apart);
  const double size = grown(options_, lesson.progress);
  if (local_ && size < 1) {
    const LocalView::Taught local =
        local_->teach(graphs.here, reading.scores, lesson.targets.to(graphs.device), Moments::kLearning);
    add(local.loss, 1);
    add(local.agree, weights.local * (1 - size));
  }
  if (lesson.progress >= options_.begin) {
    const Judged judged = judge(graphs, reading, lesson, size * weights.adversary, Moments::kLearning);
    // The readers learn at full strength from the beginning, so that they know something when they are listened to.
    add(judged.adversary, 1);
    add(judged.namer, 1);
    add(judged.swap, size * weights.swap);
    add(judged.exchange, size > kNamesKnown ? weights.namer : 0);
  }
  return {reading.logits, sum};
}

OwnObjective Aligned::own_objective(const GraphBatch& batch, const Lesson& lesson) {
  const at::NoGradGuard no_gradient;
  const LossWeights& weights = options_.weights;
  const Graphs graphs = graphs_of(batch);
  const Reading reading = read(graphs, Moments::kEstimates);
  const at::Tensor targets = lesson.targets.to(reading.logits.options());
  const Asked asked = ask(graphs, reading, lesson);
  // The judges go by the batch's moments as in training: their running estimates lag behind and would make them worse.
  const Judged judged = judge(graphs, reading, lesson, 0, Moments::kBatch);
  OwnObjective objective;
  const auto add = [&](const char* name, const at::Tensor& term, double weight) {
    if (weight != 0) {
      objective.terms.emplace_back(name, term.defined() ? term.item<double>() : 0.0);
      objective.value += weight * objective.terms.back().second;
    }
  };
  add("task", at::binary_cross_entropy_with_logits(reading.logits, targets), 1);
  add("empty", asked.split.empty, weights.empty);
  add("cover", asked.split.cover, weights.cover);
  add("entropy", asked.split.entropy, weights.entropy);
  add("share", asked.split.share, weights.share);
  add("size", asked.size, weights.size);
  add("apart", asked.apart, weights.apart);
  // Where no factor holds anything, nothing could be found again: that counts as knowing nothing of any coefficient.
  const at::Tensor unknown = at::full({}, static_cast<double>(options_.labels) * std::log(2.0));
  add("swap", judged.swap.defined() ? judged.swap : unknown, weights.swap);
  add("adversary", judged.adversary, -weights.adversary);  // the less it knows, the better
  add("exchange", judged.exchange, weights.namer);
  return objective;
}

at::Tensor Aligned::factor_coefficients(const GraphBatch& batch, int layer) {
  require(layer == 0, "aligned: layer ", layer + 1, " asked for, but there is 1");
  const at::NoGradGuard no_gradient;
  const Graphs graphs = graphs_of(batch);
  const Reading reading = read(graphs, is_training() ? Moments::kBatch : Moments::kEstimates);
  // Edges are ranked by these: in single precision many that are sure would be exactly 1.
  const at::Tensor predicted = reading.logits.gt(0).to(at::kDouble).index_select(0, graphs.here.graph_of_pair);
  const at::Tensor of_pairs = reading.scores.to(at::kDouble).sigmoid() * predicted;
  const at::Tensor pair_of_edge = graphs.pair_of_edge.to(graphs.device);
  const at::Tensor none = at::zeros({1, options_.labels}, of_pairs.options());
  // Self loops, which belong to no pair, take the row of zeros behind the last one.
  return at::cat({of_pairs, none})
      .index_select(0, pair_of_edge.where(pair_of_edge.ge(0), at::full_like(pair_of_edge, of_pairs.size(0))));
}

at::Tensor Aligned::hidden_features(const GraphBatch& batch) {
  const at::NoGradGuard no_gradient;
  return scorer_.context(graphs_of(batch).here, is_training() ? Moments::kBatch : Moments::kEstimates);
}

}  // namespace factorgcn::aligned
