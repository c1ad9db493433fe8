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

Links with_senders(Links links, std::int64_t senders) {
  links.senders = senders;
  return links;
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
    if (links.senders == 0 && random.below(2) == 1) {
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
  return with_senders(make_links(links.nodes, lists.from, lists.to, lists.weights), links.senders);
}

Links random_with_degrees_of(const Links& links, std::int64_t most, std::uint64_t seed, const std::string& purpose) {
  RandomStream random(seed, purpose);
  std::vector<std::int32_t> order(static_cast<std::size_t>(links.nodes));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  std::vector<std::int32_t> drawn;
  std::int64_t ends = 0;
  for (std::size_t at = 0; at < order.size() && ends < 2 * most; ++at) {
    drawn.push_back(order[at]);
    ends += links.offsets[order[at] + 1] - links.offsets[order[at]];
  }
  const auto sends = [&](std::int32_t node) { return node < links.senders; };
  const auto first_receiver = std::stable_partition(drawn.begin(), drawn.end(), sends);
  // Ends of links, and what they are joined with: the ends of the other side, or the other half of all ends.
  std::vector<std::int32_t> from, to;
  std::vector<float> weights;
  for (std::size_t at = 0; at < drawn.size(); ++at) {
    for (std::int64_t link = links.offsets[drawn[at]]; link < links.offsets[drawn[at] + 1]; ++link) {
      (links.senders > 0 && !sends(drawn[at]) ? to : from).push_back(static_cast<std::int32_t>(at));
      if (links.weighted()) {
        weights.push_back(links.weights[link]);
      }
    }
  }
  random.shuffle(std::span(from));
  if (links.senders == 0) {
    to.assign(from.begin() + static_cast<std::ptrdiff_t>(from.size() / 2), from.end());
  }
  random.shuffle(std::span(to));
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::size_t at = 0; at < std::min(from.size() / (links.senders == 0 ? 2 : 1), to.size()); ++at) {
    if (from[at] != to[at]) {
      pairs.push_back(std::minmax({from[at], to[at]}));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  LinkLists lists;
  for (const auto& [one, other] : pairs) {
    lists.from.push_back(one);
    lists.to.push_back(other);
  }
  weights.resize(links.weighted() ? pairs.size() : 0);  // in the order of nodes drawn at random
  const std::int64_t senders = links.senders == 0 ? 0 : first_receiver - drawn.begin();
  return with_senders(make_links(static_cast<std::int64_t>(drawn.size()), lists.from, lists.to, weights), senders);
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
  return with_senders(make_links(links.nodes, left.from, left.to, left.weights), links.senders);
}

}  // namespace factorgcn::relations
