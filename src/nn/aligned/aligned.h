// The aligned model: labels of whole graphs are enough to find the graphs' parts.
//
//   C = coefficients of every edge, a column for each label                                        (edge_scorer.h)
//   logit_k = W_k . relu(W reader(factor graph k)) + b_k: label k is read from factor k alone      (factor_reader.h)
//
//   task + lambda * (empty + cover + entropy + share + size + apart + local + swap + adversary + namer + exchange, each
//                    times its weight)
//
// The last four begin when a share `begin` of all epochs is over and grow to their weights over a further share
// `growth`, while `local` fades. See split_losses.h, company.h, local_view.h, swap.h, adversary.h, namer.h, and
// docs/aligned.md for what each is good for. Node features are not looked at. Nothing is as large as all pairs of
// nodes.
//
// Batch norm's running estimates come from real graphs alone: graphs put together from parts are normalised by their
// own moments and leave the estimates as they are.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/nn/graph_model.h"
#include "nn/aligned/adversary.h"
#include "nn/aligned/edge_scorer.h"
#include "nn/aligned/factor_reader.h"
#include "nn/aligned/local_view.h"
#include "nn/aligned/namer.h"

namespace factorgcn::aligned {

/// Weights of the losses; 0: left out.
struct LossWeights {
  double empty = 1, cover = 1, entropy = 0.1, share = 10, swap = 3, adversary = 0.3, namer = 1, local = 0;
  double size = 0, apart = 0;
};

struct AlignedOptions {
  std::int64_t labels = 0;
  std::int64_t hidden = 64;
  std::int64_t context_blocks = 4, reader_blocks = 3;
  std::int64_t judge_hidden = 48;  ///< width of adversary and namer
  std::int64_t local_blocks = 0;
  bool edge_weights = false;  ///< an edge's weight says how many parts may lie on it
  LossWeights weights;
  double share_floor = 0.5;
  double begin = 0.15, growth = 0.2;
};

class FACTORGCN_API Aligned : public GraphModel {
 public:
  /// Initial weights depend on the options and the seed alone.
  Aligned(const AlignedOptions& options, std::uint64_t seed);

  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) override;
  bool has_own_objective() const override { return true; }
  ModelOutput lesson(const GraphBatch& batch, const Lesson& lesson) override;
  OwnObjective own_objective(const GraphBatch& batch, const Lesson& lesson) override;
  int num_factor_layers() const override { return 1; }
  /// In double precision; 0 on self loops, and in factors whose label is not predicted.
  at::Tensor factor_coefficients(const GraphBatch& batch, int layer) override;
  at::Tensor hidden_features(const GraphBatch& batch) override;

 private:
  struct Graphs;   ///< a batch's, in main memory and where the model is
  struct Reading;  ///< of a batch: coefficients and logits
  struct Asked;    ///< of any split: split_losses.h and company.h
  struct Judged;   ///< by the three mechanisms
  Graphs graphs_of(const GraphBatch& batch) const;
  Reading read(const Graphs& graphs, Moments moments) const;
  Asked ask(const Graphs& graphs, const Reading& reading, const Lesson& lesson) const;
  /// `strength`: of the reversed gradient.
  Judged judge(const Graphs& graphs, const Reading& reading, const Lesson& lesson, double strength,
               Moments moments) const;

  AlignedOptions options_;
  RandomStream random_;
  WeightMaker maker_;
  EdgeScorer scorer_;
  FactorReader reader_;
  LinearMap head_, last_;
  Adversary adversary_;
  Namer namer_;
  std::optional<LocalView> local_;  ///< where its weight is not 0
};

}  // namespace factorgcn::aligned
