// A graph of a data set: in-edges back to edges, features back to attributes, parts back to true relations.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/data/named_graph.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostFeatureColumns = 200;  // more are bags of words or embeddings, not attributes

class DatasetGraph {
 public:
  DatasetGraph(const Dataset& dataset, std::int64_t graph)
      : dataset_(dataset),
        store_(dataset.graphs),
        graph_(graph),
        first_node_(store_.node_offsets.data_ptr<std::int64_t>()[graph]),
        num_nodes_(store_.node_offsets.data_ptr<std::int64_t>()[graph + 1] - first_node_) {}

  NamedGraph run() {
    result_.name = dataset_.name;
    result_.directed = dataset_.directed;
    for (std::int64_t node = 0; node < num_nodes_; ++node) {
      result_.nodes.push_back(dataset_.node_names.empty()
                                  ? std::to_string(node)
                                  : dataset_.node_names[static_cast<std::size_t>(first_node_ + node)]);
    }
    read_edges();
    read_truth();
    read_features();
    read_classes();
    return std::move(result_);
  }

 private:
  static std::uint64_t pair_key(std::int32_t source, std::int32_t target) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
  }

  std::uint64_t edge_key(std::int32_t source, std::int32_t target) const {
    return !result_.directed && source > target ? pair_key(target, source) : pair_key(source, target);
  }

  void read_edges() {
    const auto* degrees = store_.in_degrees.data_ptr<std::int32_t>() + first_node_;
    const std::int64_t first_edge = store_.edge_offsets.data_ptr<std::int64_t>()[graph_];
    const auto* sources = store_.in_sources.data_ptr<std::int32_t>() + first_edge;
    const bool has_weights = store_.edge_weights.defined();
    const bool weighted = has_weights && dataset_.truth.empty();
    const float* weights = has_weights ? store_.edge_weights.data_ptr<float>() + first_edge : nullptr;
    if (has_weights && !weighted) {
      result_.notes.push_back("weights are not used: added up over true relations, they would tell how many there are");
    }
    std::int64_t place = 0;
    std::vector<std::int32_t> loops;
    for (std::int32_t target = 0; target < num_nodes_; ++target) {
      for (std::int32_t index = 0; index < degrees[target]; ++index, ++place) {
        const std::int32_t source = sources[place];
        if (source == target) {
          loops.push_back(source);
          continue;
        }
        const float weight = weighted ? weights[place] : 1.0F;
        require(weight > 0, "data set ", dataset_.name, ": the edge from ",
                shown_text(result_.nodes[static_cast<std::size_t>(source)]), " to ",
                shown_text(result_.nodes[static_cast<std::size_t>(target)]), " has the weight ", weight,
                "; weights must be above 0 here: import the graph with --edge-weight none");
        const auto [edge, fresh] = edges_.try_emplace(edge_key(source, target), result_.num_edges());
        if (!fresh) {
          continue;  // the other direction
        }
        const bool turn = !result_.directed && source > target;
        result_.sources.push_back(turn ? target : source);
        result_.targets.push_back(turn ? source : target);
        if (weighted) {
          result_.weights.push_back(weight);
        }
      }
    }
    // Self loops added for training are no one's edges; where some are the user's own, nobody knows which.
    if (dataset_.added_self_loops == 0) {
      result_.self_loops = std::move(loops);
    }
  }

  void read_truth() {
    const GroundTruth& truth = dataset_.truth;
    if (truth.empty()) {
      return;
    }
    result_.truth_names = truth.type_names;
    const std::size_t count = result_.truth_names.size();
    result_.truth.assign(result_.num_edges() * count, 0);
    for (std::int64_t index = 0; index < truth.num_parts(graph_); ++index) {
      const GroundTruth::Part part = truth.part(graph_, index);
      for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
        const auto edge = edges_.find(edge_key(part.sources[entry], part.targets[entry]));
        if (edge != edges_.end()) {
          result_.truth[edge->second * count + static_cast<std::size_t>(part.type)] = 1;
        }
      }
    }
  }

  /// Node types, and columns of numbers; columns named "color=red", "color=blue" are one attribute of words.
  void read_features() {
    const at::Tensor& features = store_.features;
    if (!features.defined() || dataset_.feature_names.empty() || features.layout() != at::kStrided) {
      return;
    }
    const auto row_of = [&](std::int64_t node) { return first_node_ + node; };
    if (features.scalar_type() == at::kLong) {
      NamedAttribute types{"node type", dataset_.feature_names, {}, {}};
      if (dataset_.feature_names.front().starts_with("in-degree ")) {
        return;
      }
      for (std::int64_t node = 0; node < num_nodes_; ++node) {
        types.category.push_back(static_cast<std::int32_t>(features.data_ptr<std::int64_t>()[row_of(node)]));
      }
      result_.attributes.push_back(std::move(types));
      return;
    }
    const std::int64_t width = features.size(1);
    if (width > kMostFeatureColumns) {
      result_.notes.push_back(
          concat(format_count(width), " columns of features are too many to be attributes: not used"));
      return;
    }
    const float* values = features.data_ptr<float>();
    std::map<std::string, std::size_t> words;
    for (std::int64_t column = 0; column < width; ++column) {
      const std::string& name = dataset_.feature_names[static_cast<std::size_t>(column)];
      const std::size_t equals = name.find('=');
      if (equals == std::string::npos) {
        NamedAttribute numbers{name, {}, {}, {}};
        for (std::int64_t node = 0; node < num_nodes_; ++node) {
          numbers.numbers.push_back(values[row_of(node) * width + column]);
        }
        result_.attributes.push_back(std::move(numbers));
        continue;
      }
      const auto [place, fresh] = words.try_emplace(name.substr(0, equals), result_.attributes.size());
      if (fresh) {
        result_.attributes.push_back(
            {place->first, {}, std::vector<std::int32_t>(static_cast<std::size_t>(num_nodes_), -1), {}});
      }
      NamedAttribute& attribute = result_.attributes[place->second];
      for (std::int64_t node = 0; node < num_nodes_; ++node) {
        if (values[row_of(node) * width + column] > 0.5F) {
          attribute.category[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(attribute.categories.size());
        }
      }
      attribute.categories.push_back(name.substr(equals + 1));
    }
  }

  /// Nodes in no part of the split have a placeholder for a class.
  void read_classes() {
    if (dataset_.task != Task::kNodeClass || !dataset_.node_split || dataset_.output_names.empty()) {
      return;
    }
    NamedAttribute classes{
        "class", dataset_.output_names, std::vector<std::int32_t>(static_cast<std::size_t>(num_nodes_), -1), {}};
    const auto* targets = dataset_.targets.data_ptr<std::int64_t>();
    for (const auto* part : {&dataset_.split.train, &dataset_.split.validation, &dataset_.split.test}) {
      for (const std::int64_t node : *part) {
        if (node >= first_node_ && node < first_node_ + num_nodes_) {
          classes.category[static_cast<std::size_t>(node - first_node_)] = static_cast<std::int32_t>(targets[node]);
        }
      }
    }
    result_.attributes.push_back(std::move(classes));
  }

  const Dataset& dataset_;
  const GraphStore& store_;
  std::int64_t graph_, first_node_, num_nodes_;
  NamedGraph result_;
  std::unordered_map<std::uint64_t, std::size_t> edges_;
};

}  // namespace

NamedGraph named_graph(const Dataset& dataset, std::int64_t graph) {
  require_usage(graph >= 0 && graph < dataset.graphs.num_graphs(), "data set ", dataset.name, " has ",
                format_count(dataset.graphs.num_graphs()), " graphs, numbered from 0; there is no graph ", graph);
  return DatasetGraph(dataset, graph).run();
}

}  // namespace factorgcn
