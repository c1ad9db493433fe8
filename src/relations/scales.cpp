// One search for communities per relation and start; nothing is polished, since that would make relations compete for
// what they share.
#include "relations/scales.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/relations/agreement.h"
#include "factorgcn/relations/disentangled.h"
#include "relations/column_sums.h"
#include "relations/communities.h"
#include "relations/partitions.h"
#include "relations/polish.h"

namespace factorgcn::relations {
namespace {

constexpr double kFewest = 2, kMost = 13;

Model one_start(const Links& links, const std::vector<int>& sizes, std::uint64_t seed, std::int64_t start,
                const std::function<bool()>& stop) {
  int groups = 0;
  for (const int size : sizes) {
    groups += size;
  }
  Table x(links.nodes, groups);
  std::vector<int> relation_of;
  for (std::size_t relation = 0; relation < sizes.size(); ++relation) {
    CommunityOptions options;
    options.communities = sizes[relation];
    options.rounds = 200;
    options.seed = seed;
    options.purpose = concat("relations/scale ", relation, "/start ", start);
    options.stop = stop;
    const Communities found = find_communities(links, options);
    const auto first = static_cast<std::int64_t>(relation_of.size());
    for_each_row(links, [&](std::int64_t row) { std::copy_n(found.x.row(row), sizes[relation], x.row(row) + first); });
    relation_of.insert(relation_of.end(), sizes[relation], static_cast<int>(relation));
  }
  Model model = start_model(links, x, relation_of, static_cast<int>(sizes.size()));
  Table y(links.nodes, groups + 1), counts(links.nodes, groups + 1);
  fill_rate_table(links, model, y);
  model.likelihood = expected_counts(links, y, counts);
  return model;
}

}  // namespace

std::vector<int> scale_sizes(int relations, std::int64_t nodes) {
  const double most = std::max(kFewest, std::min(kMost, static_cast<double>(nodes) / 3));
  std::vector<int> sizes;
  for (int relation = 0; relation < relations; ++relation) {
    const double way = relations == 1 ? 0.5 : static_cast<double>(relation) / (relations - 1);
    sizes.push_back(static_cast<int>(std::lround(kFewest * std::pow(most / kFewest, way))));
  }
  return sizes;
}

Scales find_scales(const Links& links, const RelationGraph& graph, int relations, int starts, std::uint64_t seed,
                   const std::function<bool()>& stop) {
  const std::vector<int> sizes = scale_sizes(relations, links.nodes);
  std::vector<Model> models(static_cast<std::size_t>(starts));
  std::vector<std::vector<float>> shares(models.size());
  parallel_tasks(starts, [&](std::int64_t start) {
    models[start] = one_start(links, sizes, seed, start, stop);
    shares[start] = relation_shares(links, graph, models[start]);
  });
  Scales result;
  result.shares.assign(shares.front().size(), 0);
  for (const std::vector<float>& of_start : shares) {
    for (std::size_t at = 0; at < of_start.size(); ++at) {
      result.shares[at] += of_start[at] / static_cast<float>(starts);
    }
  }
  std::vector<Partitions> partitions;
  for (const Model& model : models) {
    partitions.push_back(round_model(links, model));
  }
  const auto best = std::max_element(models.begin(), models.end(),
                                     [](const Model& a, const Model& b) { return a.likelihood < b.likelihood; }) -
                    models.begin();
  for (int relation = 0; relation < relations; ++relation) {
    const auto partition = [&](std::ptrdiff_t start) {
      return std::span(partitions[start].group.data() + relation * links.nodes, static_cast<std::size_t>(links.nodes));
    };
    double sum = 0;
    for (int start = 0; start < starts; ++start) {
      sum += start == best ? 0 : adjusted_mutual_information(partition(best), partition(start));
    }
    result.stability.push_back(starts > 1 ? sum / (starts - 1) : kNotKnown);
  }
  result.model = std::move(models[best]);
  return result;
}

}  // namespace factorgcn::relations
