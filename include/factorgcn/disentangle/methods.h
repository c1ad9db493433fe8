// The methods that take one graph apart, by name, all with one outcome.
//
//   groups            in one relation a node belongs to one group        (relations/disentangle.h)
//   link-communities  edges with much the same neighbours belong together (relations/link_communities.h)
//   factorgcn         gates that learn to predict hidden edges            (train/unlabelled_gates.h)
//
// A new method is a function in a file of its own under src/disentangle/methods/ and a line in methods.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/known_edges.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/disentangle/outcome.h"
#include "factorgcn/relations/options.h"
#include "factorgcn/relations/progress.h"

namespace factorgcn {

struct FACTORGCN_API DisentangleMethod {
  std::string name, summary;
  bool needs_relations = false;  ///< their number must be given
  bool takes_known = false;      ///< and known edges may be
  bool tells_certainty = false;  ///< by itself; others are repeated on fewer edges

  DisentangleOutcome (*run)(const NamedGraph& graph, const KnownRelations& known, const DisentangleOptions& options,
                            RelationsObserver& observer) = nullptr;
};

/// All of them, the usual one first.
FACTORGCN_API const std::vector<DisentangleMethod>& disentangle_methods();

/// Throws UsageError, with the nearest name, where there is none of that name.
FACTORGCN_API const DisentangleMethod& disentangle_method(const std::string& name);

/// Runs the method, then scores its shares where the graph's true relations are known: edges that were told beforehand
/// are left out of the score. Throws UsageError for what the method does not take, StoppedEarly where the observer
/// asks.
FACTORGCN_API DisentangleOutcome take_apart(const DisentangleMethod& method, const NamedGraph& graph,
                                            const KnownRelations& known, const DisentangleOptions& options,
                                            RelationsObserver& observer);

}  // namespace factorgcn
