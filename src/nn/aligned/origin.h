// What is known for certain of edges in new graphs (swap.h): which graph they come from, and so which labels they can
// belong to. In a graph of its own that says little, since the network sees what else is in there and may give an edge
// to any of the labels that are present. Among parts of other graphs it cannot know which labels came along, so only
// what the edge itself looks like can tell, and whoever is wrong is told so, however the parts were cut.
//
//   origin = mean over a new graph's pairs of log(sum_k C_k / sum of C_k over labels of the graphs it comes from)
//   agree  = cross entropy of a real graph's coefficients against those that the same edges have in new graphs,
//            among the labels of their graph, without gradients
//
// `origin` is the likelihood of the labels that an edge may have (learning from candidate sets); its optimum is the
// true probability of each part whatever new graphs are made of. Only the coefficients' proportions count, so nothing
// is gained by holding no edges at all. `agree` takes what is found back to the real graphs. Cost: a pass over [P, K]
// each.
#pragma once

#include <ATen/core/Tensor.h>

#include "nn/aligned/swap.h"

namespace factorgcn::aligned {

/// scores: of the new graphs' pairs, C = sigmoid(scores), [P, K]; allowed: as in NewGraphs, where they are. A scalar.
FACTORGCN_API at::Tensor origin_loss(const at::Tensor& scores, const at::Tensor& allowed);

/// `coefficients`: of the batch that the new graphs were made of. A scalar.
FACTORGCN_API at::Tensor agree_loss(const at::Tensor& coefficients, const at::Tensor& scores, const at::Tensor& allowed,
                                    const NewGraphs& made);

}  // namespace factorgcn::aligned
