// nauty behind classic/canonical.h.
//
// nauty ends the process where it is misused (a wrong size, a partition that is none): all it is given is made here
// from checked input. Its working memory is static; where the library was built with thread-local storage, as Debian's
// is, calls run in parallel, elsewhere one after the other. That memory is given back after each call: threads of the
// pool may end before the process does.
#include <nauty.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/classic/canonical.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostNodes = 20000;

std::mutex& nauty_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// Gives back what a call has left in nauty's static variables.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace() {
    naugraph_freedyn();
    nautil_freedyn();
    nauty_freedyn();
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
};

}  // namespace

bool can_label_canonically() { return true; }

std::vector<std::int32_t> canonical_order(const PlainGraph& given, std::span<const std::int64_t> colours) {
  const std::int64_t count = given.num_nodes();
  require(static_cast<std::int64_t>(colours.size()) == count, colours.size(), " colours for ", count, " nodes");
  require(count <= kMostNodes, "canonical labelling of a graph of ", count, " nodes; at most ", kMostNodes,
          " are possible");
  if (count == 0) {
    return {};
  }
  const int n = static_cast<int>(count);
  const int m = SETWORDSNEEDED(n);
  std::vector<graph> edges(static_cast<std::size_t>(m) * static_cast<std::size_t>(n), 0);
  for (int node = 0; node < n; ++node) {
    set* const row = GRAPHROW(edges.data(), node, m);
    for (const std::int32_t neighbour : given.around(node)) {
      ADDELEMENT(row, neighbour);
    }
  }
  // The partition: nodes sorted by colour; 0 marks the last of each colour.
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
    return colours[static_cast<std::size_t>(left)] < colours[static_cast<std::size_t>(right)];
  });
  std::vector<int> cells(static_cast<std::size_t>(n), 1);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const bool last = place + 1 == order.size() || colours[static_cast<std::size_t>(order[place])] !=
                                                       colours[static_cast<std::size_t>(order[place + 1])];
    cells[place] = last ? 0 : 1;
  }
  std::vector<int> orbits(static_cast<std::size_t>(n));
  std::vector<graph> canonical(edges.size());
  DEFAULTOPTIONS_GRAPH(options);
  options.getcanon = TRUE;
  options.defaultptn = FALSE;
  statsblk stats;
  {
    std::unique_lock<std::mutex> lock(nauty_mutex(), std::defer_lock);
    if constexpr (HAVE_TLS == 0) {
      lock.lock();
    }
    const Workspace workspace;
    densenauty(edges.data(), order.data(), cells.data(), orbits.data(), &options, &stats, m, n, canonical.data());
  }
  require(stats.errstatus == 0, "nauty reports error ", stats.errstatus, " for a graph of ", count, " nodes");
  return {order.begin(), order.end()};
}

}  // namespace factorgcn
