// The methods' functions; what they do is told in disentangle/methods.h.
#pragma once

#include "factorgcn/disentangle/methods.h"

namespace factorgcn::disentangle_method_entries {

DisentangleOutcome groups(const NamedGraph& graph, const KnownRelations& known, const DisentangleOptions& options,
                          RelationsObserver& observer);
DisentangleOutcome link_communities(const NamedGraph& graph, const KnownRelations& known,
                                    const DisentangleOptions& options, RelationsObserver& observer);
DisentangleOutcome factorgcn(const NamedGraph& graph, const KnownRelations& known, const DisentangleOptions& options,
                             RelationsObserver& observer);

}  // namespace factorgcn::disentangle_method_entries
