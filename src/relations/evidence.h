// Several relations, one, or none? What the chosen description saves, beside one relation and beside random graphs with
// the same degrees: the graph rewired, or of a large one small graphs with degrees of its nodes.
#pragma once

#include "factorgcn/relations/disentangled.h"
#include "relations/selection.h"

namespace factorgcn::relations {

/// `done` is the share of all work that is done by now. Cost: a fit for each random graph.
RelationsEvidence weigh_evidence(const Links& links, const Selection& selection, const DisentangleOptions& options,
                                 const Effort& effort, Session& session, double done);

}  // namespace factorgcn::relations
