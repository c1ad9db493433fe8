// Shuffles give the chance value: the best of many attributes is compared with the best of many shuffled ones.
#include "relations/attributes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "factorgcn/base/random.h"
#include "factorgcn/relations/agreement.h"

namespace factorgcn::relations {
namespace {

constexpr int kShuffles = 100, kFewShuffles = 5;
constexpr std::size_t kManyNodes = 50'000;
constexpr double kLeastAgreement = 0.1;

std::vector<std::int32_t> classes_of(const NodeAttribute& attribute, int groups) {
  if (!attribute.categories.empty()) {
    return attribute.categories;
  }
  std::vector<float> sorted;
  for (const float number : attribute.numbers) {
    if (!std::isnan(number)) {
      sorted.push_back(number);
    }
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::int32_t> classes;
  for (const float number : attribute.numbers) {
    const auto rank = std::lower_bound(sorted.begin(), sorted.end(), number) - sorted.begin();
    classes.push_back(std::isnan(number) ? -1
                                         : static_cast<std::int32_t>(rank * std::max(groups, 2) /
                                                                     static_cast<std::ptrdiff_t>(sorted.size())));
  }
  return classes;
}

}  // namespace

std::vector<std::int32_t> classes_to_follow(const NodeAttribute& attribute, int groups, int most) {
  std::vector<std::int32_t> classes = classes_of(attribute, groups);
  std::map<std::int32_t, std::int64_t> sizes;
  std::int64_t missing = 0;
  for (const std::int32_t of_node : classes) {
    ++sizes[of_node];
    missing += of_node < 0 ? 1 : 0;
  }
  std::map<std::int32_t, std::int32_t> number;
  int of_several = 0;
  for (const auto& [of_nodes, size] : sizes) {
    number.emplace(of_nodes, static_cast<std::int32_t>(number.size()));
    of_several += of_nodes >= 0 && size >= 2 ? 1 : 0;
  }
  if (of_several < 2 || 2 * missing > static_cast<std::int64_t>(classes.size()) ||
      number.size() > static_cast<std::size_t>(most)) {
    return {};
  }
  for (std::int32_t& of_node : classes) {
    of_node = number.at(of_node);
  }
  return classes;
}

AttributeMatch match_attribute(std::span<const std::int32_t> partition, int groups,
                               const std::vector<NodeAttribute>& attributes, std::uint64_t seed) {
  AttributeMatch match;
  if (attributes.empty() || groups < 2) {
    return match;
  }
  std::vector<std::vector<std::int32_t>> classes;
  int best = -1;
  for (const NodeAttribute& attribute : attributes) {
    classes.push_back(classes_of(attribute, groups));
    const double agreement = adjusted_mutual_information(partition, classes.back());
    if (best < 0 || agreement > match.agreement) {
      match.agreement = agreement;
      best = static_cast<int>(classes.size()) - 1;
    }
  }
  RandomStream random(seed, "relations/attribute shuffles");
  std::vector<std::int32_t> shuffled(partition.begin(), partition.end());
  for (int shuffle = 0; shuffle < (partition.size() > kManyNodes ? kFewShuffles : kShuffles); ++shuffle) {
    random.shuffle(std::span(shuffled));
    for (const std::vector<std::int32_t>& of_attribute : classes) {
      match.chance = std::max(match.chance, adjusted_mutual_information(shuffled, of_attribute));
    }
  }
  if (match.agreement > match.chance && match.agreement >= kLeastAgreement) {
    match.attribute = best;
  }
  return match;
}

}  // namespace factorgcn::relations
