// Step 4: from a few edges whose relations are known to all others.
//
// Several kinds of evidence, brought to one scale and averaged by how well each says what known edges are that it did
// not see (known_averaging.h): four kernel ridge regressions, one output per relation; what the ends' other known edges
// are, and where edges have a direction, those of the same way (end_shares.h); and models of the relations as random
// graphs (layer_models.h). For the kernels two edges are alike
// where their features are, where they join like nodes (nodes near each other on random walks), and where they share
// nodes or are joined by chains of edges that do (spreading); leaving one edge out has a closed form.
//
// Cost: O(known^3 + known x edges); above some hundred known edges or some million values, a ridge regression on the
// features, whose remainders spread over edges that share nodes, beside what the ends say, in linear time.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/relations/disentangled.h"
#include "factorgcn/relations/relation_graph.h"
#include "relations/edge_features.h"
#include "relations/session.h"

namespace factorgcn::relations {

struct Learnt {
  std::vector<float> probabilities;  // [E, relations known], from 0 to 1; known edges have what is known
  KnownEdgesReport report;
};

Learnt learn_known_edges(const Links& links, const RelationGraph& graph, const KnownEdges& known,
                         const EdgeFeatures& features, Session& session);

}  // namespace factorgcn::relations
