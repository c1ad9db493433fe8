// FactorGCN's gates as shares. Its groups are what the strongest edges of a factor connect.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "disentangle/methods/list.h"
#include "factorgcn/train/unlabelled_gates.h"

namespace factorgcn::disentangle_method_entries {
namespace {

/// Words one-hot, numbers with mean 0 and deviation 1; what is missing is 0. Undefined without attributes.
at::Tensor attribute_columns_of(const NamedGraph& graph) {
  std::size_t width = 0;
  for (const NamedAttribute& attribute : graph.attributes) {
    width += attribute.is_number() ? 1 : attribute.categories.size();
  }
  if (width == 0) {
    return {};
  }
  const std::size_t nodes = graph.nodes.size();
  std::vector<float> values(nodes * width, 0.0F);
  std::size_t column = 0;
  for (const NamedAttribute& attribute : graph.attributes) {
    if (!attribute.is_number()) {
      for (std::size_t node = 0; node < nodes; ++node) {
        if (attribute.category[node] >= 0) {
          values[node * width + column + static_cast<std::size_t>(attribute.category[node])] = 1;
        }
      }
      column += attribute.categories.size();
      continue;
    }
    double count = 0;
    double sum = 0;
    double squares = 0;
    for (const double number : attribute.numbers) {
      if (!std::isnan(number)) {
        count += 1;
        sum += number;
        squares += number * number;
      }
    }
    const double mean = count > 0 ? sum / count : 0;
    const double deviation = count > 0 ? std::sqrt(std::max(0.0, squares / count - mean * mean)) : 0;
    for (std::size_t node = 0; node < nodes && deviation > 0; ++node) {
      if (!std::isnan(attribute.numbers[node])) {
        values[node * width + column] = static_cast<float>((attribute.numbers[node] - mean) / deviation);
      }
    }
    ++column;
  }
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(nodes), static_cast<std::int64_t>(width)},
                                at::TensorOptions().dtype(at::kFloat));
  std::copy(values.begin(), values.end(), tensor.data_ptr<float>());
  return tensor;
}

/// For each edge the component of its relation's edges that it lies in, numbered by its least node.
std::vector<std::int32_t> components(const NamedGraph& graph, const std::vector<std::int32_t>& relation,
                                     std::size_t relations) {
  std::vector<std::vector<std::int32_t>> up(relations, std::vector<std::int32_t>(graph.nodes.size()));
  for (auto& nodes : up) {
    std::iota(nodes.begin(), nodes.end(), 0);
  }
  const auto root = [](std::vector<std::int32_t>& nodes, std::int32_t node) {
    while (nodes[static_cast<std::size_t>(node)] != node) {
      auto& parent = nodes[static_cast<std::size_t>(node)];
      parent = nodes[static_cast<std::size_t>(parent)];
      node = parent;
    }
    return node;
  };
  for (std::size_t edge = 0; edge < relation.size(); ++edge) {
    auto& nodes = up[static_cast<std::size_t>(relation[edge])];
    const auto [low, high] = std::minmax({root(nodes, graph.sources[edge]), root(nodes, graph.targets[edge])});
    nodes[static_cast<std::size_t>(high)] = low;
  }
  std::vector<std::int32_t> result;
  for (std::size_t edge = 0; edge < relation.size(); ++edge) {
    result.push_back(root(up[static_cast<std::size_t>(relation[edge])], graph.sources[edge]));
  }
  return result;
}

}  // namespace

DisentangleOutcome factorgcn(const NamedGraph& graph, const KnownRelations& /*known*/,
                             const DisentangleOptions& options, RelationsObserver& observer) {
  UnlabelledGatesOptions training;
  training.factors = options.relations;
  training.seed = options.seed;
  DisentangleOutcome outcome;
  outcome.relations.resize(static_cast<std::size_t>(options.relations));
  outcome.shares = train_unlabelled_gates(static_cast<std::int64_t>(graph.nodes.size()), graph.sources, graph.targets,
                                          attribute_columns_of(graph), training,
                                          [&](int rounds) {
                                            observer.at("hidden edges", static_cast<double>(rounds) / training.rounds);
                                            if (observer.stop()) {
                                              throw StoppedEarly();
                                            }
                                          })
                       .shares;
  count_shares(outcome);
  set_groups_of_edges(static_cast<std::int64_t>(graph.nodes.size()), graph.sources, graph.targets, outcome.strongest,
                      components(graph, outcome.strongest, outcome.num_relations()), outcome);
  outcome.notes.push_back("groups are what the edges of a relation connect: FactorGCN knows none itself");
  if (!graph.weights.empty() || graph.directed) {
    outcome.notes.push_back("FactorGCN without labels does not look at the edges' weights and direction");
  }
  return outcome;
}

}  // namespace factorgcn::disentangle_method_entries
