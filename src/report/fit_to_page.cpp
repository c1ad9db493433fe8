// How large a part becomes on the page, and what goes first where that is too much.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "factorgcn/base/text.h"
#include "factorgcn/report/page_graphs.h"
#include "report/page_graphs_json.h"

namespace factorgcn {
namespace {

constexpr double kBase64 = 4.0 / 3;
constexpr double kShareText = 11;  ///< "0.12345678,"

double text_bytes(const std::vector<std::int32_t>& numbers) {
  double bytes = 0;
  for (std::int32_t number : numbers) {
    bytes += number < 0 ? 3 : 2;
    for (; number >= 10; number /= 10) {
      ++bytes;
    }
  }
  return bytes;
}

double varint_bytes(std::int64_t number) { return number < 128 ? 1 : number < 16384 ? 2 : number < 2097152 ? 3 : 4; }

double edge_bytes(const PageSample& sample) {
  if (!is_packed(sample)) {
    return text_bytes(sample.edges);
  }
  double bytes = sample.nodes;
  for (std::size_t at = 0; at < sample.edges.size(); at += 2) {
    const bool same = at > 0 && sample.edges[at] == sample.edges[at - 2];
    bytes += varint_bytes(sample.edges[at + 1] - (same ? sample.edges[at - 1] : sample.edges[at]));
  }
  return bytes * kBase64;
}

double index_bytes(const std::vector<std::int32_t>& ascending, bool packed) {
  if (!packed) {
    return text_bytes(ascending);
  }
  double bytes = 0;
  std::int32_t before = 0;
  for (const std::int32_t index : ascending) {
    bytes += varint_bytes(index - before);
    before = index;
  }
  return bytes * kBase64;
}

double sample_bytes(const PageSample& sample, bool coarse) {
  const bool packed = is_packed(sample);
  double bytes = 300 + static_cast<double>(sample.label.size()) + edge_bytes(sample);
  for (const std::string& name : sample.node_labels) {
    bytes += static_cast<double>(name.size()) + 3;
  }
  for (const PageReading& reading : sample.layers) {
    bytes += static_cast<double>(reading.coefficients.size()) * (packed ? kBase64 * (coarse ? 0.5 : 1) : kShareText);
    for (const PageMatch& match : reading.matches) {
      bytes += 50 + index_bytes(match.kept, packed);
    }
  }
  bytes += static_cast<double>(sample.certainty.size()) * (packed ? kBase64 : kShareText);
  bytes += static_cast<double>(sample.directions.size()) * (packed ? kBase64 : 2);
  for (const PageTruth& truth : sample.truth) {
    bytes += 40 + index_bytes(truth.edges, packed);
  }
  for (const std::vector<std::int32_t>& colours : sample.colours) {
    bytes += packed ? 2 * kBase64 * static_cast<double>(colours.size()) : text_bytes(colours);
  }
  for (const PageFact& fact : sample.facts) {
    bytes += 25 + static_cast<double>(fact.label.size() + fact.value.size());
  }
  return bytes;
}

/// Neighbours of every node, as offsets and one list.
struct Neighbours {
  std::vector<std::size_t> offsets;
  std::vector<std::int32_t> list;
};

Neighbours neighbours_of(const PageSample& sample) {
  Neighbours found;
  found.offsets.assign(static_cast<std::size_t>(sample.nodes) + 1, 0);
  for (const std::int32_t end : sample.edges) {
    ++found.offsets[static_cast<std::size_t>(end) + 1];
  }
  std::partial_sum(found.offsets.begin(), found.offsets.end(), found.offsets.begin());
  found.list.resize(sample.edges.size());
  std::vector<std::size_t> next(found.offsets.begin(), found.offsets.end() - 1);
  for (std::size_t at = 0; at < sample.edges.size(); at += 2) {
    const std::int32_t s = sample.edges[at], t = sample.edges[at + 1];
    found.list[next[static_cast<std::size_t>(s)]++] = t;
    found.list[next[static_cast<std::size_t>(t)]++] = s;
  }
  return found;
}

/// All nodes by their distance from the first, which has most edges; then the next part of the graph, and so on.
std::vector<std::int32_t> nearest_first(const PageSample& sample) {
  const Neighbours near = neighbours_of(sample);
  const auto degree = [&](std::int32_t node) {
    return near.offsets[static_cast<std::size_t>(node) + 1] - near.offsets[static_cast<std::size_t>(node)];
  };
  std::vector<std::int32_t> starts(static_cast<std::size_t>(sample.nodes));
  std::iota(starts.begin(), starts.end(), 0);
  std::stable_sort(starts.begin(), starts.end(), [&](auto a, auto b) { return degree(a) > degree(b); });
  std::vector<std::int32_t> order;
  std::vector<bool> seen(starts.size(), false);
  for (const std::int32_t start : starts) {
    if (seen[static_cast<std::size_t>(start)]) {
      continue;
    }
    seen[static_cast<std::size_t>(start)] = true;
    order.push_back(start);
    for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
      const auto node = static_cast<std::size_t>(order[at]);
      for (std::size_t edge = near.offsets[node]; edge < near.offsets[node + 1]; ++edge) {
        const std::int32_t other = near.list[edge];
        if (!seen[static_cast<std::size_t>(other)]) {
          seen[static_cast<std::size_t>(other)] = true;
          order.push_back(other);
        }
      }
    }
  }
  return order;
}

template <class T>
std::vector<T> rows_kept(const std::vector<T>& values, const std::vector<std::int32_t>& kept, std::size_t width) {
  std::vector<T> result;
  if (!values.empty()) {
    result.reserve(kept.size() * width);
    for (const std::int32_t row : kept) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(row) * width);
      result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
  }
  return result;
}

/// The sample with the nodes of the list alone (ascending) and the edges among them.
PageSample only_nodes(const PageSample& sample, const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(sample.nodes), -1);
  for (std::size_t at = 0; at < nodes.size(); ++at) {
    number[static_cast<std::size_t>(nodes[at])] = static_cast<std::int32_t>(at);
  }
  PageSample small;
  small.id = sample.id;
  small.label = sample.label;
  small.facts = sample.facts;
  small.nodes = static_cast<std::int32_t>(nodes.size());
  small.node_labels = rows_kept(sample.node_labels, nodes, 1);
  std::vector<std::int32_t> edges, place(sample.edges.size() / 2, -1);
  for (std::size_t edge = 0; edge < place.size(); ++edge) {
    const std::int32_t s = number[static_cast<std::size_t>(sample.edges[2 * edge])];
    const std::int32_t t = number[static_cast<std::size_t>(sample.edges[2 * edge + 1])];
    if (s >= 0 && t >= 0) {
      place[edge] = static_cast<std::int32_t>(edges.size());
      edges.push_back(static_cast<std::int32_t>(edge));
      small.edges.insert(small.edges.end(), {s, t});
    }
  }
  const auto renumbered = [&](const std::vector<std::int32_t>& list) {
    std::vector<std::int32_t> result;
    for (const std::int32_t edge : list) {
      if (place[static_cast<std::size_t>(edge)] >= 0) {
        result.push_back(place[static_cast<std::size_t>(edge)]);
      }
    }
    return result;
  };
  small.directions = rows_kept(sample.directions, edges, 1);
  small.certainty = rows_kept(sample.certainty, edges, 1);
  for (const std::vector<std::int32_t>& colours : sample.colours) {
    small.colours.push_back(rows_kept(colours, nodes, 1));
  }
  for (const PageReading& reading : sample.layers) {
    const std::size_t factors = place.empty() ? 0 : reading.coefficients.size() / place.size();
    small.layers.push_back({rows_kept(reading.coefficients, edges, factors), reading.matches, reading.ged});
    for (PageMatch& match : small.layers.back().matches) {
      match.kept = renumbered(match.kept);
    }
  }
  small.truth = sample.truth;
  for (PageTruth& truth : small.truth) {
    truth.edges = renumbered(truth.edges);
  }
  return small;
}

/// The most nodes, nearest first, among which there are at most `edges` edges.
std::vector<std::int32_t> nodes_for(const PageSample& sample, const std::vector<std::int32_t>& order, double edges) {
  std::vector<std::int32_t> rank(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    rank[static_cast<std::size_t>(order[at])] = static_cast<std::int32_t>(at);
  }
  std::vector<std::int64_t> completed(order.size(), 0);  // edges whose second end is this node
  for (std::size_t at = 0; at < sample.edges.size(); at += 2) {
    ++completed[static_cast<std::size_t>(std::max(rank[static_cast<std::size_t>(sample.edges[at])],
                                                  rank[static_cast<std::size_t>(sample.edges[at + 1])]))];
  }
  std::size_t taken = 0;
  for (double sum = 0; taken < order.size(); ++taken) {
    sum += static_cast<double>(completed[taken]);
    if (sum > edges) {
      break;
    }
  }
  std::vector<std::int32_t> nodes(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::max(
                                                                     taken, std::min<std::size_t>(1, order.size()))));
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

void cut_sample(PageFactorGraphs& part, std::int64_t bytes) {
  PageSample& sample = part.samples.front();
  const std::vector<std::int32_t> order = nearest_first(sample);
  const auto all_edges = static_cast<double>(sample.edges.size() / 2);
  double edges = all_edges;
  PageSample small;
  double size = sample_bytes(sample, part.coarse);
  do {
    edges *= 0.97 * static_cast<double>(bytes) / size;
    small = only_nodes(sample, nodes_for(sample, order, edges));
    size = sample_bytes(small, part.coarse);
  } while (size > static_cast<double>(bytes) && small.nodes > 1);
  const std::string centre = sample.node_labels.empty()
                                 ? fmt::format("{}", order.front())
                                 : "\u201c" + sample.node_labels[static_cast<std::size_t>(order.front())] + "\u201d";
  part.left_out.push_back(
      fmt::format("{} of {} edges are on this page: those among the {} nodes (of {}) nearest to {}, the node with most "
                  "edges. All of them would make the file too large for a browser.",
                  format_count(static_cast<std::int64_t>(small.edges.size() / 2)),
                  format_count(static_cast<std::int64_t>(all_edges)), format_count(small.nodes),
                  format_count(sample.nodes), centre));
  sample = std::move(small);
}

}  // namespace

std::int64_t page_bytes(const PageFactorGraphs& part) {
  double bytes = 1000;
  for (const PageSample& sample : part.samples) {
    bytes += sample_bytes(sample, part.coarse);
  }
  return static_cast<std::int64_t>(bytes);
}

void fit_to_page(PageFactorGraphs& part, std::int64_t bytes) {
  if (page_bytes(part) <= bytes) {
    return;
  }
  if (part.layers.size() > 1) {
    const auto shown = static_cast<std::size_t>(part.shown_layer);
    part.left_out.push_back(fmt::format("Only {} is on this page: all {} layers would make the file too large.",
                                        part.layers[shown].name, part.layers.size()));
    part.layers = {part.layers[shown]};
    part.shown_layer = 0;
    for (PageSample& sample : part.samples) {
      sample.layers = {sample.layers[shown]};
    }
  }
  if (page_bytes(part) > bytes && std::any_of(part.samples.begin(), part.samples.end(), is_packed)) {
    part.coarse = true;
    part.left_out.push_back("To keep the file small, coefficients of large graphs are rounded to multiples of 1/15.");
  }
  const std::size_t before = part.samples.size();
  std::size_t kept = 0;
  for (double size = 1000; kept < before; ++kept) {
    size += sample_bytes(part.samples[kept], part.coarse);
    if (size > static_cast<double>(bytes) && kept > 0) {
      break;
    }
  }
  part.samples.resize(kept);
  if (kept < before) {
    part.left_out.push_back(fmt::format("{} of {} graphs are left out, to keep the file small.",
                                        format_count(static_cast<std::int64_t>(before - kept)),
                                        format_count(static_cast<std::int64_t>(before))));
  }
  if (kept == 1 && page_bytes(part) > bytes) {
    cut_sample(part, bytes - 1000);
  }
}

std::vector<std::string> numbered_names(const std::string& word, std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t number = 1; number <= count; ++number) {
    names.push_back(fmt::format("{} {}", word, number));
  }
  return names;
}

}  // namespace factorgcn
