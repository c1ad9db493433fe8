// The graph of a result as a page shows it.
#pragma once

#include "factorgcn/data/named_graph.h"
#include "factorgcn/disentangle/outcome.h"
#include "factorgcn/report/page_graphs.h"

namespace factorgcn {

/// Pairs of nodes with their shares and certainty (of two directions the mean), nodes coloured by their groups and
/// their attributes of words, true relations where they are known; what is too large for a page is left out and said.
/// Cost: O(edges log edges).
PageFactorGraphs graph_for_page(const NamedGraph& graph, const DisentangleOutcome& outcome);

}  // namespace factorgcn
