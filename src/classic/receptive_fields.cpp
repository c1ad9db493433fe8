// Ranks, rings and orders. Cost: one canonical labelling a graph and one a field, a field's being tiny.
#include "factorgcn/classic/receptive_fields.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/classic/canonical.h"

namespace factorgcn {
namespace {

constexpr std::array kRankingNames{"degree", "betweenness", "wl"};

/// Shortest paths through each node, both directions of a pair counted (Brandes 2001).
std::vector<double> betweenness(const PlainGraph& graph) {
  const auto nodes = static_cast<std::size_t>(graph.num_nodes());
  std::vector<double> result(nodes, 0.0), paths(nodes), share(nodes);
  std::vector<std::int32_t> distance(nodes), order;
  for (std::size_t root = 0; root < nodes; ++root) {
    std::fill(paths.begin(), paths.end(), 0.0);
    std::fill(share.begin(), share.end(), 0.0);
    std::fill(distance.begin(), distance.end(), -1);
    order.assign(1, static_cast<std::int32_t>(root));
    paths[root] = 1;
    distance[root] = 0;
    for (std::size_t next = 0; next < order.size(); ++next) {
      const auto node = static_cast<std::size_t>(order[next]);
      for (const std::int32_t neighbour : graph.around(order[next])) {
        const auto other = static_cast<std::size_t>(neighbour);
        if (distance[other] < 0) {
          distance[other] = distance[node] + 1;
          order.push_back(neighbour);
        }
        if (distance[other] == distance[node] + 1) {
          paths[other] += paths[node];
        }
      }
    }
    for (std::size_t left = order.size(); left-- > 1;) {
      const auto node = static_cast<std::size_t>(order[left]);
      for (const std::int32_t neighbour : graph.around(order[left])) {
        const auto other = static_cast<std::size_t>(neighbour);
        if (distance[other] + 1 == distance[node]) {
          share[other] += paths[other] / paths[node] * (1 + share[node]);
        }
      }
      result[node] += share[node];
    }
  }
  return result;
}

/// Weisfeiler-Lehman colours of two rounds over degrees, numbered so that a larger one has larger degrees around it.
/// Numbers follow from the sorted signatures of all graphs, not from the order in which they were met.
std::vector<std::vector<std::int64_t>> wl_scores(std::span<const PlainGraph> graphs) {
  constexpr int kRounds = 2;
  std::vector<std::vector<std::int64_t>> colours;
  for (const PlainGraph& graph : graphs) {
    colours.emplace_back();
    for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
      colours.back().push_back(graph.degree(node));
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::vector<std::vector<std::int64_t>>> signatures(graphs.size());
    parallel_tasks(static_cast<std::int64_t>(graphs.size()), [&](std::int64_t index) {
      const auto which = static_cast<std::size_t>(index);
      const PlainGraph& graph = graphs[which];
      for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
        std::vector<std::int64_t> around;
        for (const std::int32_t neighbour : graph.around(node)) {
          around.push_back(colours[which][static_cast<std::size_t>(neighbour)]);
        }
        std::sort(around.rbegin(), around.rend());
        around.insert(around.begin(), colours[which][static_cast<std::size_t>(node)]);
        signatures[which].push_back(std::move(around));
      }
    });
    std::map<std::vector<std::int64_t>, std::int64_t> numbers;
    for (const auto& graph : signatures) {
      for (const auto& signature : graph) {
        numbers.try_emplace(signature, 0);
      }
    }
    std::int64_t next = 0;
    for (auto& [signature, number] : numbers) {
      number = next++;
    }
    for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
      for (std::size_t node = 0; node < colours[graph].size(); ++node) {
        colours[graph][node] = numbers.at(signatures[graph][node]);
      }
    }
  }
  return colours;
}

/// Position of each node's key among the distinct ones.
template <class Key>
std::vector<std::int64_t> ranks_of(const std::vector<Key>& keys) {
  std::vector<Key> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::int64_t> ranks;
  for (const Key& key : keys) {
    ranks.push_back(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
  }
  return ranks;
}

template <class Value>
Value of(const std::vector<Value>& values, std::int32_t node) {
  return values[static_cast<std::size_t>(node)];
}

/// Cuts fields out of one graph.
class FieldCutter {
 public:
  FieldCutter(const PlainGraph& graph, std::span<const std::int64_t> scores, const FieldOptions& options)
      : graph_(graph),
        scores_(scores),
        size_(options.size),
        distance_(static_cast<std::size_t>(graph.num_nodes()), -1),
        place_(static_cast<std::size_t>(graph.num_nodes()), -1) {
    std::vector<std::pair<std::int64_t, std::int64_t>> keys;
    for (std::size_t node = 0; node < scores.size(); ++node) {
      keys.emplace_back(-scores[node], graph.labels[node]);
    }
    sequence_ = canonical_order(graph, ranks_of(keys));
    position_.resize(sequence_.size());
    for (std::size_t place = 0; place < sequence_.size(); ++place) {
      position_[static_cast<std::size_t>(sequence_[place])] = static_cast<std::int64_t>(place);
    }
  }

  /// Nodes in rank order.
  std::span<const std::int32_t> sequence() const { return sequence_; }

  /// At most `size` nodes in their canonical order, the root first.
  std::vector<std::int32_t> cut(std::int32_t root) {
    std::vector<std::int32_t> found = rings(root);
    // Position in the whole graph's order stands for score and label, and breaks their ties.
    std::sort(found.begin(), found.end(), [&](std::int32_t left, std::int32_t right) {
      return std::pair(of(distance_, left), of(position_, left)) <
             std::pair(of(distance_, right), of(position_, right));
    });
    std::vector<std::int32_t> kept(found.begin(), found.begin() + std::min<std::ptrdiff_t>(size_, std::ssize(found)));
    std::vector<std::tuple<std::int32_t, std::int64_t, std::int64_t>> keys;
    for (const std::int32_t node : kept) {
      keys.emplace_back(of(distance_, node), -scores_[static_cast<std::size_t>(node)], of(graph_.labels, node));
    }
    const PlainGraph inside = induced(kept);
    std::vector<std::int32_t> result;
    for (const std::int32_t place : canonical_order(inside, ranks_of(keys))) {
      result.push_back(kept[static_cast<std::size_t>(place)]);
    }
    for (const std::int32_t node : found) {
      distance_[static_cast<std::size_t>(node)] = -1;
    }
    return result;
  }

 private:
  /// The root and whole rings around it, until there are enough; their distances are noted.
  std::vector<std::int32_t> rings(std::int32_t root) {
    std::vector<std::int32_t> found{root};
    distance_[static_cast<std::size_t>(root)] = 0;
    for (std::size_t begin = 0; begin < found.size() && std::ssize(found) < size_;) {
      const std::size_t end = found.size();
      for (; begin < end; ++begin) {
        for (const std::int32_t neighbour : graph_.around(found[begin])) {
          if (of(distance_, neighbour) < 0) {
            distance_[static_cast<std::size_t>(neighbour)] = of(distance_, found[begin]) + 1;
            found.push_back(neighbour);
          }
        }
      }
    }
    return found;
  }

  PlainGraph induced(const std::vector<std::int32_t>& nodes) {
    std::vector<std::int32_t> source, target;
    for (std::size_t place = 0; place < nodes.size(); ++place) {
      place_[static_cast<std::size_t>(nodes[place])] = static_cast<std::int32_t>(place);
    }
    for (const std::int32_t node : nodes) {
      for (const std::int32_t neighbour : graph_.around(node)) {
        if (of(place_, neighbour) > of(place_, node)) {
          source.push_back(of(place_, node));
          target.push_back(of(place_, neighbour));
        }
      }
    }
    for (const std::int32_t node : nodes) {
      place_[static_cast<std::size_t>(node)] = -1;
    }
    return make_plain_graph(static_cast<std::int64_t>(nodes.size()), source, target,
                            std::vector<std::int64_t>(nodes.size(), 0));
  }

  const PlainGraph& graph_;
  std::span<const std::int64_t> scores_;
  std::int64_t size_;
  std::vector<std::int32_t> sequence_;
  std::vector<std::int64_t> position_;  // of each node in the sequence
  std::vector<std::int32_t> distance_;  // from the root at hand; -1: not reached
  std::vector<std::int32_t> place_;     // in the field at hand; -1: not in it
};

/// The graph whose nodes are the places of all fields.
Graph field_graph(const PlainGraph& graph, const std::vector<std::int32_t>& fields, std::int64_t size) {
  Graph result;
  result.num_nodes = static_cast<std::int64_t>(fields.size());
  result.features = at::empty({result.num_nodes}, at::kLong);
  auto* const types = result.features.data_ptr<std::int64_t>();
  std::vector<std::int32_t> place(static_cast<std::size_t>(graph.num_nodes()), -1);
  for (std::size_t first = 0; first < fields.size(); first += static_cast<std::size_t>(size)) {
    const std::span<const std::int32_t> field(fields.data() + first, static_cast<std::size_t>(size));
    for (std::size_t slot = 0; slot < field.size(); ++slot) {
      types[first + slot] = field[slot] < 0 ? 0 : graph.labels[static_cast<std::size_t>(field[slot])] + 1;
      if (field[slot] >= 0) {
        place[static_cast<std::size_t>(field[slot])] = static_cast<std::int32_t>(first + slot);
      }
    }
    for (const std::int32_t node : field) {
      if (node < 0) {
        continue;
      }
      for (const std::int32_t neighbour : graph.around(node)) {
        if (const std::int32_t other = place[static_cast<std::size_t>(neighbour)]; other >= 0) {
          result.source.push_back(other);
          result.target.push_back(place[static_cast<std::size_t>(node)]);
        }
      }
    }
    for (const std::int32_t node : field) {
      if (node >= 0) {
        place[static_cast<std::size_t>(node)] = -1;
      }
    }
  }
  return result;
}

}  // namespace

const char* node_ranking_name(NodeRanking ranking) { return kRankingNames[static_cast<std::size_t>(ranking)]; }

NodeRanking node_ranking_from_name(const std::string& name) {
  const auto* const found = std::find(kRankingNames.begin(), kRankingNames.end(), name);
  require_usage(found != kRankingNames.end(), "ranking '", name, "': choose degree, betweenness or wl");
  return static_cast<NodeRanking>(found - kRankingNames.begin());
}

std::vector<std::vector<std::int64_t>> rank_nodes(std::span<const PlainGraph> graphs, NodeRanking ranking) {
  if (ranking == NodeRanking::kWl) {
    return wl_scores(graphs);
  }
  std::vector<std::vector<std::int64_t>> scores(graphs.size());
  parallel_tasks(static_cast<std::int64_t>(graphs.size()), [&](std::int64_t index) {
    const PlainGraph& graph = graphs[static_cast<std::size_t>(index)];
    std::vector<std::int64_t>& own = scores[static_cast<std::size_t>(index)];
    if (ranking == NodeRanking::kDegree) {
      for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
        own.push_back(graph.degree(node));
      }
      return;
    }
    // Sums of fractions depend on the order of nodes in their last bits: rounded, equal nodes are equal.
    constexpr double kSteps = 1e6;
    for (const double value : betweenness(graph)) {
      own.push_back(std::llround(value * kSteps));
    }
  });
  return scores;
}

std::vector<std::int32_t> receptive_fields(const PlainGraph& graph, std::span<const std::int64_t> scores,
                                           const FieldOptions& options) {
  require(options.fields >= 1 && options.size >= 1, options.fields, " fields of ", options.size,
          " places; there must be at least one of each");
  require(static_cast<std::int64_t>(scores.size()) == graph.num_nodes(), scores.size(), " scores for ",
          graph.num_nodes(), " nodes");
  std::vector<std::int32_t> result(static_cast<std::size_t>(options.fields * options.size), -1);
  FieldCutter cutter(graph, scores, options);
  const auto used = std::min<std::int64_t>(options.fields, graph.num_nodes());
  for (std::int64_t field = 0; field < used; ++field) {
    const std::vector<std::int32_t> nodes = cutter.cut(cutter.sequence()[static_cast<std::size_t>(field)]);
    std::copy(nodes.begin(), nodes.end(), result.begin() + field * options.size);
  }
  return result;
}

Dataset field_dataset(const Dataset& dataset, const FieldOptions& given) {
  FieldOptions options = given;
  const std::int64_t count = dataset.graphs.num_graphs();
  if (options.fields == 0) {
    options.fields = (dataset.graphs.num_nodes() + count - 1) / count;
  }
  const std::vector<PlainGraph> graphs = plain_graphs(dataset, options.labels);
  const auto scores = rank_nodes(graphs, options.ranking);
  std::vector<Graph> made(graphs.size());
  parallel_tasks(count, [&](std::int64_t index) {
    const auto which = static_cast<std::size_t>(index);
    made[which] = field_graph(graphs[which], receptive_fields(graphs[which], scores[which], options), options.size);
  });
  std::int64_t most = 0;
  for (const PlainGraph& graph : graphs) {
    most = std::max(most, *std::max_element(graph.labels.begin(), graph.labels.end()));
  }
  Dataset result;
  result.name = dataset.name;
  result.task = dataset.task;
  result.num_outputs = dataset.num_outputs;
  result.num_node_types = most + 2;  // labels from 0, and the empty place
  result.graphs = make_store(made);
  result.targets = dataset.targets;
  result.split = dataset.split;
  result.output_names = dataset.output_names;
  result.graph_names = dataset.graph_names;
  return result;
}

}  // namespace factorgcn
