// Refinement round by round. Signatures are written in parallel, graph by graph; they get their numbers in the order
// of graphs and nodes, so that numbers do not depend on threads.
#include "factorgcn/classic/wl_subtree.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

using Labels = std::vector<std::vector<std::int64_t>>;  // of each graph's nodes

/// Own label, then the neighbours' labels in rising order, of every node of one graph.
struct Signatures {
  std::vector<std::int64_t> values;
  std::vector<std::size_t> offsets{0};
};

Signatures signatures_of(const PlainGraph& graph, const std::vector<std::int64_t>& labels) {
  Signatures result;
  result.values.reserve(labels.size() + graph.neighbours.size());
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    result.values.push_back(labels[static_cast<std::size_t>(node)]);
    const auto first = static_cast<std::ptrdiff_t>(result.values.size());
    for (const std::int32_t neighbour : graph.around(node)) {
      result.values.push_back(labels[static_cast<std::size_t>(neighbour)]);
    }
    std::sort(result.values.begin() + first, result.values.end());
    result.offsets.push_back(result.values.size());
  }
  return result;
}

/// The bytes of a signature: a map's key that is compared in full.
std::string_view bytes_of(const Signatures& signatures, std::size_t node) {
  const std::int64_t* const first = signatures.values.data() + signatures.offsets[node];
  const std::size_t count = signatures.offsets[node + 1] - signatures.offsets[node];
  return {reinterpret_cast<const char*>(first), count * sizeof(std::int64_t)};
}

/// New labels from 0 in the order of first use; returns how many there are.
std::int64_t refine(std::span<const PlainGraph> graphs, Labels& labels) {
  std::vector<Signatures> signatures(graphs.size());
  parallel_tasks(static_cast<std::int64_t>(graphs.size()), [&](std::int64_t index) {
    const auto graph = static_cast<std::size_t>(index);
    signatures[graph] = signatures_of(graphs[graph], labels[graph]);
  });
  std::unordered_map<std::string_view, std::int64_t> numbers;
  for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
    for (std::size_t node = 0; node < labels[graph].size(); ++node) {
      const auto next = static_cast<std::int64_t>(numbers.size());
      labels[graph][node] = numbers.try_emplace(bytes_of(signatures[graph], node), next).first->second;
    }
  }
  return static_cast<std::int64_t>(numbers.size());
}

/// The labels of the data set numbered from 0; returns how many there are.
std::int64_t first_labels(std::span<const PlainGraph> graphs, Labels& labels) {
  std::map<std::int64_t, std::int64_t> numbers;
  for (const PlainGraph& graph : graphs) {
    for (const std::int64_t label : graph.labels) {
      numbers.try_emplace(label, 0);
    }
  }
  std::int64_t next = 0;
  for (auto& [label, number] : numbers) {
    number = next++;
  }
  for (const PlainGraph& graph : graphs) {
    labels.emplace_back();
    for (const std::int64_t label : graph.labels) {
      labels.back().push_back(numbers.at(label));
    }
  }
  return next;
}

using Counts = std::vector<std::pair<std::int64_t, double>>;  // (column, count), rising columns of one graph

void count_labels(const std::vector<std::int64_t>& labels, std::int64_t first_column, Counts& counts) {
  std::vector<std::int64_t> sorted = labels;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && sorted[end] == sorted[begin]) {
      ++end;
    }
    counts.emplace_back(first_column + sorted[begin], static_cast<double>(end - begin));
    begin = end;
  }
}

}  // namespace

WlFeatures wl_features(std::span<const PlainGraph> graphs, int rounds) {
  require_usage(rounds >= 0, "Weisfeiler-Lehman rounds are ", rounds, "; they must be at least 0");
  WlFeatures result;
  Labels labels;
  std::vector<Counts> counts(graphs.size());
  std::int64_t columns = 0;
  for (int round = 0; round <= rounds; ++round) {
    const std::int64_t used = round == 0 ? first_labels(graphs, labels) : refine(graphs, labels);
    for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
      count_labels(labels[graph], columns, counts[graph]);
    }
    columns += used;
    result.columns_through.push_back(columns);
  }
  for (const Counts& row : counts) {
    for (const auto& [column, count] : row) {
      result.counts.add(column, count);
    }
    result.counts.end_graph();
  }
  return result;
}

}  // namespace factorgcn
