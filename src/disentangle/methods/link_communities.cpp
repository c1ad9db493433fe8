// Link communities as relations: each edge wholly in one of them.
#include "factorgcn/relations/link_communities.h"

#include "disentangle/methods/list.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"

namespace factorgcn::disentangle_method_entries {

DisentangleOutcome link_communities(const NamedGraph& graph, const KnownRelations& /*known*/,
                                    const DisentangleOptions& options, RelationsObserver& observer) {
  const LinkGraph links{static_cast<std::int64_t>(graph.nodes.size()), graph.sources, graph.targets, graph.weights};
  const LinkCommunities found = factorgcn::link_communities(links, [&](double done) {
    observer.at("similar edges", done);
    if (observer.stop()) {
      throw StoppedEarly();
    }
  });
  const std::vector<std::int32_t> relation = relations_from_communities(links, found, options.relations);
  DisentangleOutcome outcome;
  const auto count = static_cast<std::size_t>(options.relations);
  outcome.relations.resize(count);
  outcome.shares.assign(graph.num_edges() * count, 0.0F);
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    outcome.shares[edge * count + static_cast<std::size_t>(relation[edge])] = 1;
  }
  set_groups_of_edges(links.num_nodes, graph.sources, graph.targets, relation, found.community, outcome);
  outcome.notes.push_back(concat(format_count(found.count), " communities of edges, partition density ",
                                 format_fixed(found.density, 3),
                                 "; each lies in the relation that had fewest of its nodes, the largest first"));
  if (graph.directed) {
    outcome.notes.push_back("link communities do not look at the edges' direction");
  }
  return outcome;
}

}  // namespace factorgcn::disentangle_method_entries
