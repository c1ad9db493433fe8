// Edges that are left out are the same for both ways, so their differences are compared one by one.
#include "relations/sides.h"

#include "relations/left_out.h"

namespace factorgcn::relations {

RelationGraph two_sides(const RelationGraph& graph) {
  RelationGraph sides = graph;
  sides.nodes = 2 * graph.nodes;
  sides.directed = false;
  for (std::int32_t& target : sides.targets) {
    target += static_cast<std::int32_t>(graph.nodes);
  }
  return sides;
}

Links two_sided_links(const RelationGraph& graph) {
  Links links = make_links(two_sides(graph));
  links.senders = graph.nodes;
  return links;
}

std::vector<double> bits_of_left_out(const RelationGraph& graph, const std::vector<std::int64_t>& left_out, bool sides,
                                     const FitOptions& fit) {
  const RelationGraph kept = without_edges(graph, left_out);
  const Links links = sides ? two_sided_links(kept) : make_links(kept);
  return bits_under(finish(links, fit_best(links, fit), fit.effort, fit.stop), kept, graph, left_out, sides);
}

SidesEvidence weigh_sides(const RelationGraph& graph, FitOptions without, FitOptions with) {
  std::vector<double> plain, sided;
  for (const std::vector<std::int64_t>& left_out : tenths_to_leave_out(graph, without.seed)) {
    const std::vector<double> by_one = bits_of_left_out(graph, left_out, false, without);
    const std::vector<double> by_two = bits_of_left_out(graph, left_out, true, with);
    plain.insert(plain.end(), by_one.begin(), by_one.end());
    sided.insert(sided.end(), by_two.begin(), by_two.end());
  }
  const SavedBits saved(plain, sided);
  return {.left_out = saved.edges, .with = saved.after, .without = saved.before, .help = saved.times_chance > 2};
}

}  // namespace factorgcn::relations
