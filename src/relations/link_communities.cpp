// Similar pairs of edges are found by walks of two steps, and reduced as they come to a forest of the most similar
// ones: single linkage needs no others. So memory stays that of the edges, however many pairs there are.
#include "factorgcn/relations/link_communities.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// Pairs of different nodes that an edge joins, once each, with their weights, and for each node its neighbours.
struct Links {
  std::vector<std::pair<std::int32_t, std::int32_t>> ends;
  std::vector<std::int32_t> of_edge;  ///< [edges]; -1 for a self loop
  std::vector<std::int64_t> offsets;  ///< [nodes + 1]
  struct End {
    std::int32_t node, link;
    float weight;
  };
  std::vector<End> neighbours;

  std::span<const End> of(std::int64_t node) const {
    const auto first = static_cast<std::size_t>(offsets[static_cast<std::size_t>(node)]);
    const auto last = static_cast<std::size_t>(offsets[static_cast<std::size_t>(node) + 1]);
    return std::span(neighbours).subspan(first, last - first);
  }
};

void check_link_graph(const LinkGraph& graph) {
  require(graph.sources.size() == graph.targets.size(), "link communities: ", graph.sources.size(), " sources and ",
          graph.targets.size(), " targets; each edge needs both");
  require(graph.weights.empty() || graph.weights.size() == graph.sources.size(),
          "link communities: ", graph.weights.size(), " weights for ", graph.sources.size(), " edges");
  for (std::size_t edge = 0; edge < graph.sources.size(); ++edge) {
    const auto least = std::min(graph.sources[edge], graph.targets[edge]);
    const auto most = std::max(graph.sources[edge], graph.targets[edge]);
    require(least >= 0 && most < graph.num_nodes, "link communities: edge ", edge, " joins ", graph.sources[edge],
            " and ", graph.targets[edge], ", but nodes go from 0 to ", graph.num_nodes - 1);
    require(graph.weights.empty() || graph.weights[edge] > 0, "link communities: edge ", edge, " has the weight ",
            graph.weights.empty() ? 0.0F : graph.weights[edge], "; weights must be positive");
  }
}

Links make_links(const LinkGraph& graph) {
  Links links;
  std::vector<std::size_t> order;
  for (std::size_t edge = 0; edge < graph.sources.size(); ++edge) {
    if (graph.sources[edge] != graph.targets[edge]) {
      order.push_back(edge);
    }
  }
  const auto ends_of = [&](std::size_t edge) { return std::minmax(graph.sources[edge], graph.targets[edge]); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return ends_of(left) < ends_of(right); });
  links.of_edge.assign(graph.sources.size(), -1);
  std::vector<float> weights;
  for (const std::size_t edge : order) {
    const std::pair<std::int32_t, std::int32_t> ends = ends_of(edge);
    if (links.ends.empty() || links.ends.back() != ends) {
      links.ends.push_back(ends);
      weights.push_back(0);
    }
    weights.back() += graph.weights.empty() ? 0 : graph.weights[edge];
    links.of_edge[edge] = static_cast<std::int32_t>(links.ends.size() - 1);
  }
  if (graph.weights.empty()) {
    std::fill(weights.begin(), weights.end(), 1.0F);
  }
  links.offsets.assign(static_cast<std::size_t>(graph.num_nodes) + 1, 0);
  for (const auto& [low, high] : links.ends) {
    ++links.offsets[static_cast<std::size_t>(low) + 1];
    ++links.offsets[static_cast<std::size_t>(high) + 1];
  }
  std::partial_sum(links.offsets.begin(), links.offsets.end(), links.offsets.begin());
  links.neighbours.resize(2 * links.ends.size());
  std::vector<std::int64_t> next(links.offsets.begin(), links.offsets.end() - 1);
  for (std::size_t link = 0; link < links.ends.size(); ++link) {
    const auto [low, high] = links.ends[link];
    const auto number = static_cast<std::int32_t>(link);
    links.neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(low)]++)] = {high, number, weights[link]};
    links.neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(high)]++)] = {low, number, weights[link]};
  }
  return links;
}

void check_link_pairs(const Links& links, std::int64_t num_nodes) {
  double pairs = 0;
  std::size_t most = 0;
  for (std::int64_t node = 0; node < num_nodes; ++node) {
    const std::size_t degree = links.of(node).size();
    pairs += static_cast<double>(degree) * (static_cast<double>(degree) - 1) / 2;
    most = std::max(most, degree);
  }
  require_usage(pairs <= static_cast<double>(kMostLinkPairs), "link communities compare pairs of edges that share a ",
                "node, and here these are ", pairs, "; the limit is ", static_cast<double>(kMostLinkPairs),
                ". One node has ", most, " edges: take another method, or leave such nodes out");
}

/// Two links with a common node, and how similar they are.
struct LinkPair {
  double similarity;
  std::int32_t first, second;
};

class DisjointLinks {
 public:
  explicit DisjointLinks(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::int32_t root(std::int32_t link) {
    while (parent_[static_cast<std::size_t>(link)] != link) {
      auto& up = parent_[static_cast<std::size_t>(link)];
      up = parent_[static_cast<std::size_t>(up)];
      link = up;
    }
    return link;
  }

  void hang(std::int32_t root, std::int32_t below) { parent_[static_cast<std::size_t>(root)] = below; }

 private:
  std::vector<std::int32_t> parent_;
};

/// The pairs that join what was apart when all are taken in falling similarity; sorted so.
class SimilarForest {
 public:
  explicit SimilarForest(std::size_t links) : links_(links), room_(std::max<std::size_t>(1 << 20, 2 * links)) {}

  void add(const LinkPair& pair) {
    pairs_.push_back(pair);
    if (pairs_.size() >= links_ + room_) {
      reduce();
    }
  }

  std::vector<LinkPair> take() {
    reduce();
    return std::move(pairs_);
  }

 private:
  void reduce() {
    std::sort(pairs_.begin(), pairs_.end(), [](const LinkPair& left, const LinkPair& right) {
      return left.similarity != right.similarity ? left.similarity > right.similarity
             : left.first != right.first         ? left.first < right.first
                                                 : left.second < right.second;
    });
    DisjointLinks sets(links_);
    std::erase_if(pairs_, [&](const LinkPair& pair) {
      const std::int32_t first = sets.root(pair.first);
      const std::int32_t second = sets.root(pair.second);
      sets.hang(first, second);
      return first == second;
    });
  }

  std::size_t links_, room_;
  std::vector<LinkPair> pairs_;
};

std::vector<LinkPair> similar_pairs(const Links& links, std::int64_t num_nodes,
                                    const std::function<void(double)>& progress) {
  std::vector<double> own(static_cast<std::size_t>(num_nodes));      // a_i at i
  std::vector<double> squares(static_cast<std::size_t>(num_nodes));  // |a_i|^2
  for (std::int64_t node = 0; node < num_nodes; ++node) {
    double sum = 0;
    double square = 0;
    for (const Links::End& end : links.of(node)) {
      sum += end.weight;
      square += double{end.weight} * end.weight;
    }
    const auto place = static_cast<std::size_t>(node);
    own[place] = links.of(node).empty() ? 0 : sum / static_cast<double>(links.of(node).size());
    squares[place] = square + own[place] * own[place];
  }
  SimilarForest forest(links.ends.size());
  std::vector<double> product(static_cast<std::size_t>(num_nodes), 0.0);  // of this node with each other
  for (std::int64_t node = 0; node < num_nodes; ++node) {
    if (progress && node % 1024 == 0) {
      progress(static_cast<double>(node) / static_cast<double>(num_nodes));
    }
    const auto here = static_cast<std::size_t>(node);
    for (const Links::End& middle : links.of(node)) {
      const auto place = static_cast<std::size_t>(middle.node);
      product[place] += middle.weight * (own[here] + own[place]);
      for (const Links::End& end : links.of(middle.node)) {
        product[static_cast<std::size_t>(end.node)] += double{middle.weight} * end.weight;
      }
    }
    for (const Links::End& middle : links.of(node)) {
      for (const Links::End& end : links.of(middle.node)) {
        if (end.node > node) {
          const auto there = static_cast<std::size_t>(end.node);
          const double common = product[there];
          forest.add({common / (squares[here] + squares[there] - common), middle.link, end.link});
        }
      }
    }
    for (const Links::End& middle : links.of(node)) {
      product[static_cast<std::size_t>(middle.node)] = 0;
      for (const Links::End& end : links.of(middle.node)) {
        product[static_cast<std::size_t>(end.node)] = 0;
      }
    }
  }
  return forest.take();
}

/// The nodes of a community; the smaller set is put into the larger.
class NodeSet {
 public:
  void add(std::int32_t node) {
    if (many_.empty() && few_.size() < kFew) {
      if (std::find(few_.begin(), few_.end(), node) == few_.end()) {
        few_.push_back(node);
      }
      return;
    }
    many_.insert(few_.begin(), few_.end());
    few_.clear();
    many_.insert(node);
  }

  void join(NodeSet& other) {
    if (other.size() > size()) {
      std::swap(few_, other.few_);
      std::swap(many_, other.many_);
    }
    for (const std::int32_t node : other.few_) {
      add(node);
    }
    for (const std::int32_t node : other.many_) {
      add(node);
    }
    other = NodeSet();
  }

  std::size_t size() const { return few_.size() + many_.size(); }

 private:
  static constexpr std::size_t kFew = 16;
  std::vector<std::int32_t> few_;
  std::unordered_set<std::int32_t> many_;  // once there are more than kFew
};

/// A community's part of the partition density, but for 2 / M.
double density_term(double edges, double nodes) {
  return nodes <= 2 ? 0 : edges * (edges - (nodes - 1)) / ((nodes - 2) * (nodes - 1));
}

struct Cut {
  std::size_t joins = 0;  ///< how many of the forest's pairs are joined
  double density = 0;
};

Cut densest_cut(const Links& links, const std::vector<LinkPair>& forest) {
  DisjointLinks sets(links.ends.size());
  std::vector<NodeSet> nodes(links.ends.size());
  std::vector<double> edges(links.ends.size(), 1.0);
  for (std::size_t link = 0; link < links.ends.size(); ++link) {
    nodes[link].add(links.ends[link].first);
    nodes[link].add(links.ends[link].second);
  }
  const auto term = [&](std::int32_t root) {
    const auto place = static_cast<std::size_t>(root);
    return density_term(edges[place], static_cast<double>(nodes[place].size()));
  };
  double sum = 0;
  Cut best;
  const double scale = links.ends.empty() ? 0 : 2.0 / static_cast<double>(links.ends.size());
  for (std::size_t index = 0; index < forest.size(); ++index) {
    const std::int32_t into = sets.root(forest[index].first);
    const std::int32_t from = sets.root(forest[index].second);
    sum -= term(into) + term(from);
    sets.hang(from, into);
    nodes[static_cast<std::size_t>(into)].join(nodes[static_cast<std::size_t>(from)]);
    edges[static_cast<std::size_t>(into)] += edges[static_cast<std::size_t>(from)];
    sum += term(into);
    const bool level_ends = index + 1 == forest.size() || forest[index + 1].similarity < forest[index].similarity;
    constexpr double kRounding = 1e-9;  // of the sum's additions and subtractions
    if (level_ends && sum * scale > best.density + kRounding) {
      best = {index + 1, sum * scale};
    }
  }
  return best;
}

}  // namespace

LinkCommunities link_communities(const LinkGraph& graph, const std::function<void(double)>& progress) {
  check_link_graph(graph);
  const Links links = make_links(graph);
  check_link_pairs(links, graph.num_nodes);
  const std::vector<LinkPair> forest = similar_pairs(links, graph.num_nodes, progress);
  const Cut cut = densest_cut(links, forest);

  LinkCommunities result;
  result.density = cut.density;
  result.similarity = cut.joins == 0 ? 0 : forest[cut.joins - 1].similarity;
  DisjointLinks sets(links.ends.size());
  for (std::size_t index = 0; index < cut.joins; ++index) {
    sets.hang(sets.root(forest[index].first), sets.root(forest[index].second));
  }
  std::vector<std::int64_t> size(links.ends.size(), 0);
  for (std::size_t link = 0; link < links.ends.size(); ++link) {
    ++size[static_cast<std::size_t>(sets.root(static_cast<std::int32_t>(link)))];
  }
  // Numbers by falling size, among equals by the first link: roots depend on the order of joins.
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> number(links.ends.size(), -1);
  for (std::size_t link = 0; link < links.ends.size(); ++link) {
    const std::int32_t root = sets.root(static_cast<std::int32_t>(link));
    if (number[static_cast<std::size_t>(root)] < 0) {
      number[static_cast<std::size_t>(root)] = 0;
      order.push_back(root);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t left, std::int32_t right) {
    return size[static_cast<std::size_t>(left)] > size[static_cast<std::size_t>(right)];
  });
  for (const std::int32_t root : order) {
    number[static_cast<std::size_t>(root)] = static_cast<std::int32_t>(result.count++);
  }
  for (const std::int32_t link : links.of_edge) {
    result.community.push_back(link < 0 ? -1 : number[static_cast<std::size_t>(sets.root(link))]);
  }
  return result;
}

std::vector<std::int32_t> relations_from_communities(const LinkGraph& graph, const LinkCommunities& communities,
                                                     int relations) {
  require(relations >= 1, "relations from communities: ", relations, " relations; at least 1 is needed");
  require(communities.community.size() == graph.sources.size(),
          "relations from communities: ", communities.community.size(), " edges have one, but the graph has ",
          graph.sources.size());
  std::vector<std::vector<std::int32_t>> nodes(static_cast<std::size_t>(communities.count));
  std::vector<std::int64_t> edges(nodes.size(), 0);
  for (std::size_t edge = 0; edge < graph.sources.size(); ++edge) {
    if (const std::int32_t community = communities.community[edge]; community >= 0) {
      nodes[static_cast<std::size_t>(community)].push_back(graph.sources[edge]);
      nodes[static_cast<std::size_t>(community)].push_back(graph.targets[edge]);
      ++edges[static_cast<std::size_t>(community)];
    }
  }
  const auto count = static_cast<std::size_t>(relations);
  std::vector<std::vector<bool>> taken(count, std::vector<bool>(static_cast<std::size_t>(graph.num_nodes), false));
  std::vector<std::int64_t> filled(count, 0);
  std::vector<std::int32_t> relation_of(nodes.size());
  for (std::size_t community = 0; community < nodes.size(); ++community) {
    auto& members = nodes[community];
    std::sort(members.begin(), members.end());
    members.erase(std::unique(members.begin(), members.end()), members.end());
    std::pair<std::int64_t, std::int64_t> least{-1, -1};
    std::size_t chosen = 0;
    for (std::size_t relation = 0; relation < count; ++relation) {
      const auto shared = std::count_if(members.begin(), members.end(), [&](std::int32_t node) {
        return taken[relation][static_cast<std::size_t>(node)];
      });
      const std::pair<std::int64_t, std::int64_t> cost{shared, -filled[relation]};
      if (relation == 0 || cost < least) {
        least = cost;
        chosen = relation;
      }
    }
    for (const std::int32_t node : members) {
      taken[chosen][static_cast<std::size_t>(node)] = true;
    }
    filled[chosen] += edges[community];
    relation_of[community] = static_cast<std::int32_t>(chosen);
  }
  std::vector<std::int32_t> result;
  for (const std::int32_t community : communities.community) {
    result.push_back(community < 0 ? -1 : relation_of[static_cast<std::size_t>(community)]);
  }
  return result;
}

}  // namespace factorgcn
