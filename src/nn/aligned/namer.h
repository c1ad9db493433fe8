// Over all contexts the majority names a part: a reader that is not told which factor it reads learns the factors'
// numbers, and notices where a graph's parts lie in each other's factors.
//
//   namer = mean over present k of the cross entropy of a reader's answer, from H_k alone (what factor k holds:
//           held_pairs() in split_losses.h), against k
//   order = the assignment of a graph's present factors to its present labels that is most probable by these answers
//   exchange = cross entropy, over graphs whose order is not the one they have, of C against C in that order
//
// What is exchanged is learnt the other way round, and is given to new graphs (swap.h) the other way round. The
// reader alone learns from `namer`, the coefficients alone from `exchange`. Cost: a reader's over the factors of
// present labels, an assignment per graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "nn/aligned/factor_reader.h"

namespace factorgcn::aligned {

/// Which factor holds each part, by what the factors look like.
struct FACTORGCN_API PartNames {
  at::Tensor names;        ///< int64 [G, K]: the factor of graph g that holds part k; k itself where label k is absent
  at::Tensor turned;       ///< bool [G]: whether any differs from k
  std::int64_t count = 0;  ///< of graphs that are turned
};

/// The most probable order of each graph's present factors. log_probabilities: float [pieces, K] in main memory, of
/// each piece's name; pieces: the factors of present labels, graph by graph.
FACTORGCN_API PartNames name_parts(std::span<const Piece> pieces, const at::Tensor& log_probabilities,
                                   std::int64_t graphs);

/// Every factor holds its own part.
FACTORGCN_API PartNames usual_names(std::int64_t graphs, std::int64_t factors);

/// The scalar `exchange`. `graphs` in main memory; coefficients: [P, K], wherever they are.
FACTORGCN_API at::Tensor exchange_loss(const PairGraphs& graphs, const at::Tensor& coefficients,
                                       const PartNames& names);

class FACTORGCN_API Namer {
 public:
  Namer(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors);

  struct Answer {
    at::Tensor loss;               ///< the scalar `namer`
    at::Tensor log_probabilities;  ///< [pieces, K]
  };
  /// `held`: [P, K], 0 or 1, of the coefficients' type.
  Answer read(const FactorShelf& shelf, std::span<const Piece> pieces, const at::Tensor& held, Moments moments) const;

 private:
  FactorReader reader_;
  LinearMap first_, last_;
};

}  // namespace factorgcn::aligned
