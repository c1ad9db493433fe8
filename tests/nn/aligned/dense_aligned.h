// The aligned model once more, in float64 and as dense matrices of all nodes of a batch, straight from the formulas. It
// reads the weights of the real model by name; nothing of ops/ or of the model's own files is used but the options.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/binary_cross_entropy.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_batch.h"
#include "nn/aligned/aligned.h"
#include "nn/dense_twin.h"

namespace factorgcn::testing {

/// Weights by name; detached: nothing is learnt through them.
struct DenseWeights {
  const torch::nn::Module& module;
  bool detached = false;

  at::Tensor operator()(const std::string& name) const {
    const at::Tensor weight = weight_of(module, name);
    return detached ? weight.detach() : weight;
  }
  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return at::linear(x, (*this)(name + "_weight"), (*this)(name + "_bias"));
  }
  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    return at::batch_norm(x, (*this)(name + "_gamma"), (*this)(name + "_beta"), {}, {}, true, 0.1, 1e-5, false);
  }
  at::Tensor block(const at::Tensor& sum, const std::string& name) const {
    const at::Tensor middle = norm(linear(sum, name + "_first"), name + "_first_norm").relu();
    return norm(linear(middle, name + "_second"), name + "_second_norm").relu();
  }
};

/// U of all nodes of a batch: the larger sum of the two directions, nothing on the diagonal.
inline at::Tensor dense_multiplicity(const GraphBatch& batch, bool weighted) {
  const std::int64_t nodes = batch.num_nodes();
  at::Tensor sums = at::zeros({nodes, nodes}, at::TensorOptions().dtype(at::kDouble));
  const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < nodes; ++i) {
    for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
      const std::int64_t j = batch.edges.in_sources.data_ptr<std::int32_t>()[e];
      if (i != j) {
        sums[i][j] += weighted ? static_cast<double>(batch.edge_weights.data_ptr<float>()[e]) : 1.0;
      }
    }
  }
  return at::maximum(sums, sums.t());
}

/// Nodes of graph g are the rows where owner is g.
struct DenseAligned {
  at::Tensor u, owner;   ///< [N, N], int64 [N]
  at::Tensor connected;  ///< [N, N] of 0 and 1
  std::int64_t graphs, factors, blocks, reader_blocks;

  DenseAligned(at::Tensor multiplicity, at::Tensor links, const at::Tensor& graph_offsets,
               const aligned::AlignedOptions& options)
      : u(std::move(multiplicity)),
        connected(std::move(links)),
        graphs(graph_offsets.numel() - 1),
        factors(options.labels),
        blocks(options.context_blocks),
        reader_blocks(options.reader_blocks) {
    owner = at::zeros({u.size(0)}, at::TensorOptions().dtype(at::kLong));
    for (std::int64_t g = 0; g < graphs; ++g) {
      owner.slice(0, graph_offsets[g].item<std::int64_t>(), graph_offsets[g + 1].item<std::int64_t>()).fill_(g);
    }
  }

  at::Tensor rows_of(std::int64_t graph) const { return owner.eq(graph).nonzero().flatten(); }

  at::Tensor context(const DenseWeights& weights) const {
    at::Tensor x = at::stack({connected.sum(1), u.sum(1)}, 1) / 5;
    for (std::int64_t block = 1; block <= blocks; ++block) {
      x = weights.block(x + u.matmul(x), "context" + std::to_string(block));
    }
    return x;
  }

  /// [K, N, N], 0 where nothing is connected.
  at::Tensor coefficients(const DenseWeights& weights) const {
    const at::Tensor x = context(weights);
    const std::int64_t nodes = x.size(0);
    std::vector<at::Tensor> means;
    for (std::int64_t g = 0; g < graphs; ++g) {
      means.push_back(x.index_select(0, rows_of(g)).mean(0));
    }
    const at::Tensor whole = weights.linear(at::stack(means), "whole").index_select(0, owner);
    const at::Tensor a2 = connected.matmul(connected), a3 = a2.matmul(connected), a4 = a3.matmul(connected);
    const at::Tensor i = x.unsqueeze(1).expand({nodes, nodes, -1}), j = x.unsqueeze(0).expand({nodes, nodes, -1});
    const at::Tensor known = at::cat({i + j, (i - j).abs(), i * j, whole.unsqueeze(1).expand({nodes, nodes, -1}),
                                      at::stack({u, a2 / 3, a3 / 10, a4 / 30, a2.gt(0).to(at::kDouble)}, 2)},
                                     2);
    const at::Tensor scores =
        weights.linear(weights.linear(weights.linear(known, "score1").relu(), "score2").relu(), "score3");
    return (scores.sigmoid() * connected.unsqueeze(2)).permute({2, 0, 1});
  }

  /// Mean features of graph g as factor k shows it, for each (g, k) of `pieces`; moments are those of all of them.
  at::Tensor read(const DenseWeights& weights, const std::string& name, const at::Tensor& c,
                  const std::vector<aligned::Piece>& pieces) const {
    std::vector<at::Tensor> matrices;
    std::vector<std::int64_t> sizes;
    at::Tensor x;
    for (const auto& [graph, factor] : pieces) {
      const at::Tensor rows = rows_of(graph);
      matrices.push_back(c[factor].index_select(0, rows).index_select(1, rows));
      sizes.push_back(rows.numel());
      const at::Tensor degrees = matrices.back().sum(1, true) / 3;
      x = x.defined() ? at::cat({x, degrees}) : degrees;
    }
    const auto each = [&](const at::Tensor& rows, const auto& function) {
      std::vector<at::Tensor> results;
      const std::vector<at::Tensor> parts = rows.split_with_sizes(sizes);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        results.push_back(function(matrices[p], parts[p]));
      }
      return at::cat(results);
    };
    for (std::int64_t block = 1; block <= reader_blocks; ++block) {
      x = weights.block(each(x, [](const at::Tensor& m, const at::Tensor& part) { return part + m.matmul(part); }),
                        name + std::to_string(block));
    }
    return each(x, [](const at::Tensor&, const at::Tensor& part) { return part.mean(0, true); });
  }

  at::Tensor logits(const DenseWeights& weights, const at::Tensor& c) const {
    const at::Tensor everything = at::ones({graphs, factors}, at::TensorOptions().dtype(at::kFloat));
    const at::Tensor heads =
        weights.linear(read(weights, "reader", c, aligned::present_pieces(everything)), "head1");
    const at::Tensor all = weights.linear(heads.relu(), "head2").view({graphs, factors, factors});
    return all.diagonal(0, 1, 2);
  }

  at::Tensor adversary(const DenseWeights& weights, const at::Tensor& c, const at::Tensor& labels) const {
    const auto pieces = aligned::present_pieces(labels.to(at::kFloat).contiguous());
    const at::Tensor read_rows = read(weights, "adversary", c, pieces);
    at::Tensor sum = at::zeros({}, at::TensorOptions().dtype(at::kDouble));
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const at::Tensor told =
          at::cat({read_rows[static_cast<std::int64_t>(p)], weights("adversary_which")[pieces[p].factor]});
      const at::Tensor answer = weights.linear(weights.linear(told, "adversary_head1").relu(), "adversary_head2");
      for (std::int64_t l = 0; l < factors; ++l) {
        if (l != pieces[p].factor) {
          sum = sum + at::binary_cross_entropy_with_logits(answer[l], labels[pieces[p].graph][l]);
        }
      }
    }
    return sum / static_cast<double>(pieces.size() * (factors - 1));
  }

  /// What factors hold, [K, N, N] of 0 and 1: above one half, or the strongest of those whose labels are present.
  at::Tensor held(const at::Tensor& c, const at::Tensor& labels) const {
    at::Tensor result = c.detach().gt(0.5).to(at::kDouble);
    for (std::int64_t i = 0; i < u.size(0); ++i) {
      for (std::int64_t j = 0; j < u.size(0); ++j) {
        std::int64_t strongest = -1;
        for (std::int64_t k = 0; k < factors && connected[i][j].item<double>() > 0; ++k) {
          const bool present = labels[owner[i].item<std::int64_t>()][k].item<double>() > 0;
          if (present && (strongest < 0 || c[k][i][j].item<double>() > c[strongest][i][j].item<double>())) {
            strongest = k;
          }
        }
        if (strongest >= 0) {
          result[strongest][i][j] = 1;
        }
      }
    }
    return result;
  }

  /// Log-probabilities of names, a row per piece.
  at::Tensor names(const DenseWeights& weights, const at::Tensor& c, const at::Tensor& labels,
                   const std::vector<aligned::Piece>& pieces) const {
    const at::Tensor heads = weights.linear(read(weights, "namer", held(c, labels), pieces), "namer_head1").relu();
    return at::log_softmax(weights.linear(heads, "namer_head2"), 1);
  }
};

}  // namespace factorgcn::testing
