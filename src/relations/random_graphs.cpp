// Exchanges that would make a loop or join a pair twice are not made.
#include "relations/random_graphs.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>

#include "factorgcn/base/random.h"

namespace factorgcn::relations {
namespace {

struct LinkLists {
  std::vector<std::int32_t> from, to;
  std::vector<float> weights;
};

LinkLists once_each(const Links& links) {
  LinkLists lists;
  for (std::int64_t row = 0; row < links.nodes; ++row) {
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      if (links.neighbours[at] > row) {
        lists.from.push_back(static_cast<std::int32_t>(row));
        lists.to.push_back(links.neighbours[at]);
        if (links.weighted()) {
          lists.weights.push_back(links.weights[at]);
        }
      }
    }
  }
  return lists;
}

std::uint64_t link_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
}

}  // namespace

Links rewire(const Links& links, std::uint64_t seed, const std::string& purpose) {
  LinkLists lists = once_each(links);
  const std::size_t count = lists.from.size();
  std::unordered_set<std::uint64_t> joined;
  joined.reserve(2 * count);
  for (std::size_t link = 0; link < count; ++link) {
    joined.insert(link_key(lists.from[link], lists.to[link]));
  }
  RandomStream random(seed, purpose);
  for (std::size_t exchange = 0; count >= 2 && exchange < 10 * count; ++exchange) {
    const std::size_t one = random.below(count), other = random.below(count);
    std::int32_t a = lists.from[one], b = lists.to[one], c = lists.from[other], d = lists.to[other];
    if (random.below(2) == 1) {
      std::swap(c, d);
    }
    // a - b and c - d become a - d and c - b.
    if (a == d || c == b || one == other || joined.count(link_key(a, d)) != 0 || joined.count(link_key(c, b)) != 0) {
      continue;
    }
    joined.erase(link_key(a, b));
    joined.erase(link_key(c, d));
    joined.insert(link_key(a, d));
    joined.insert(link_key(c, b));
    lists.from[one] = a;
    lists.to[one] = d;
    lists.from[other] = c;
    lists.to[other] = b;
  }
  return make_links(links.nodes, lists.from, lists.to, lists.weights);
}

Links random_with_degrees_of(const Links& links, std::int64_t most, std::uint64_t seed, const std::string& purpose) {
  RandomStream random(seed, purpose);
  std::vector<std::int32_t> order(static_cast<std::size_t>(links.nodes));
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int32_t> ends;
  std::vector<float> weights;
  std::int32_t nodes = 0;
  for (std::size_t left = order.size(); left > 0 && static_cast<std::int64_t>(ends.size()) < 2 * most; --left) {
    std::swap(order[left - 1], order[random.below(left)]);
    const std::int32_t node = order[left - 1];
    for (std::int64_t at = links.offsets[node]; at < links.offsets[node + 1]; ++at) {
      ends.push_back(nodes);
      if (links.weighted()) {
        weights.push_back(links.weights[at]);
      }
    }
    ++nodes;
  }
  random.shuffle(std::span(ends));
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t at = 0; at + 1 < ends.size(); at += 2) {
    if (ends[at] != ends[at + 1]) {
      pairs.push_back(std::minmax({ends[at], ends[at + 1]}));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  LinkLists lists;
  for (const auto& [from, to] : pairs) {
    lists.from.push_back(from);
    lists.to.push_back(to);
  }
  weights.resize(links.weighted() ? pairs.size() : 0);  // in the order of nodes drawn at random
  return make_links(nodes, lists.from, lists.to, weights);
}

Links thin_out(const Links& links, double kept, std::uint64_t seed, const std::string& purpose) {
  const LinkLists lists = once_each(links);
  LinkLists left;
  RandomStream random(seed, purpose);
  for (std::size_t link = 0; link < lists.from.size(); ++link) {
    if (random.chance(kept)) {
      left.from.push_back(lists.from[link]);
      left.to.push_back(lists.to[link]);
      if (links.weighted()) {
        left.weights.push_back(lists.weights[link]);
      }
    }
  }
  return make_links(links.nodes, left.from, left.to, left.weights);
}

}  // namespace factorgcn::relations
