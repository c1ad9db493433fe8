// A table of known edges for a small graph with the names a, b, c and "d e"; a first byte '>' makes it directed.
#include <cstdlib>

#include "factorgcn/data/known_edges.h"
#include "fuzz/one_line_error.h"
#include "fuzz/targets.h"

namespace factorgcn {

void fuzz_known_edges(std::string_view bytes) {
  allow_one_line_error([bytes] {
    NamedGraph graph;
    graph.nodes = {"a", "b", "c", "d e"};
    graph.sources = {0, 1, 2, 3};
    graph.targets = {1, 2, 0, 0};
    graph.directed = bytes.starts_with('>');
    const KnownRelations known = read_known(bytes.substr(graph.directed ? 1 : 0), "input", graph);
    if (known.empty() || known.relations.size() != known.edges.size() * known.names.size()) {
      std::abort();
    }
  });
}

}  // namespace factorgcn
