// Several answers to what edges are, weighed by how well each says what known edges are that it did not see.
//
// which kind of evidence helps differs from network to network and from relation to relation, and with few known edges
// nothing tells which. So none is chosen: answers are averaged, relation by relation, each with a weight that falls
// with its error on known edges that were left out. Where few are known the weights stay near those given beforehand.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/relations/relation_graph.h"

namespace factorgcn::relations {

/// One answer.
struct Answer {
  std::vector<double> left_out;  // [n, L] what it says of known edges without having seen them
  std::vector<float> predicted;  // [E, L] of all edges, from all that are known
  double weight = 1;             // beforehand, beside the others
};

/// Brings an answer to the scale on which it says most of known edges that it did not see: a regression on it, one for
/// all relations, that begins as if 400 of them had shown a correlation of a quarter. Models of graphs give odds that
/// are far too bold, regressions on few edges hardly any; unscaled, the bold ones drown the others.
FACTORGCN_API void scale_answer(const KnownEdges& known, const std::vector<double>& shares, Answer& answer);

/// The same of their mean, which is to be probabilities: begins as if 100 had shown that it is on its scale.
FACTORGCN_API void scale_mean(const KnownEdges& known, const std::vector<double>& shares, Answer& mean);

/// The weighted mean. A weight is the one given times error^(-n / 4) of the relation and error^(-n L / 20) of all: the
/// likelihood of so many errors, but for a power less than 1, since errors of edges that share nodes are not
/// independent. `shares` of the relations among known edges. Cost: O(answers x E L).
FACTORGCN_API Answer average_answers(const KnownEdges& known, const std::vector<double>& shares,
                                     const std::vector<Answer>& answers);

}  // namespace factorgcn::relations
