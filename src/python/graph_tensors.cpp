// Graph by graph into the store, then targets and the split.
#include "python/graph_tensors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/data/random_split.h"
#include "factorgcn/graph/graph.h"

namespace factorgcn::python {
namespace {

class TensorImporter {
 public:
  TensorImporter(const GraphTensors& given, const nlohmann::json& settings)
      : given_(given), settings_(settings), nodes_(given.num_nodes) {
    data_.name = settings.value("name", "memory");
    data_.directed = settings.value("directed", false);
    data_.node_names = settings.value("node_names", std::vector<std::string>());
    data_.output_names = settings.value("output_names", std::vector<std::string>());
  }

  Dataset run() {
    read_offsets();
    pack_graphs();
    data_.task = choose_task();
    if (data_.task != Task::kNone) {
      set_targets();
      set_split();
    }
    check_dataset(data_);
    return std::move(data_);
  }

 private:
  std::int64_t graphs() const { return static_cast<std::int64_t>(first_node_.size()) - 1; }
  std::int64_t items() const { return is_node_task(data_.task) ? nodes_ : graphs(); }
  const char* item_name() const { return is_node_task(data_.task) ? "node" : "graph"; }

  static at::Tensor in_memory(const at::Tensor& tensor, at::ScalarType type) {
    return tensor.detach().to(at::kCPU, type).contiguous();
  }

  void read_offsets() {
    require(nodes_ >= 1 && nodes_ <= std::numeric_limits<std::int32_t>::max(), "there are ", nodes_,
            " nodes; their number must be in 1 .. ", std::numeric_limits<std::int32_t>::max());
    first_node_ = {0, nodes_};
    if (given_.offsets.defined()) {
      const at::Tensor offsets = in_memory(given_.offsets, at::kLong);
      first_node_.assign(offsets.data_ptr<std::int64_t>(), offsets.data_ptr<std::int64_t>() + offsets.numel());
    }
    require(first_node_.size() >= 2 && first_node_.front() == 0 && first_node_.back() == nodes_,
            "offsets must begin with 0 and end with ", nodes_, ", the number of nodes");
    for (std::size_t graph = 1; graph < first_node_.size(); ++graph) {
      require(first_node_[graph] > first_node_[graph - 1], "graph ", graph - 1, " has ",
              first_node_[graph] - first_node_[graph - 1], " nodes; a graph needs at least 1");
    }
  }

  /// Which graph each node is in.
  std::vector<std::int32_t> graph_of_node() const {
    std::vector<std::int32_t> graph_of(static_cast<std::size_t>(nodes_));
    for (std::size_t graph = 0; graph + 1 < first_node_.size(); ++graph) {
      std::fill(graph_of.begin() + first_node_[graph], graph_of.begin() + first_node_[graph + 1],
                static_cast<std::int32_t>(graph));
    }
    return graph_of;
  }

  void add_edges(std::vector<Graph>& graphs) {
    const at::Tensor index = in_memory(given_.edge_index, at::kLong);
    require(index.dim() == 2 && index.size(0) == 2, "edge_index has shape ", index.sizes(), "; expected [2, edges]");
    const std::int64_t edges = index.size(1);
    const auto* source = index.data_ptr<std::int64_t>();
    const auto* target = source + edges;
    at::Tensor weights;
    if (given_.edge_weight.defined()) {
      weights = in_memory(given_.edge_weight, at::kFloat);
      require(weights.dim() == 1 && weights.size(0) == edges, "edge_weight has shape ", weights.sizes(),
              "; expected a number for each of the ", edges, " edges");
    }
    const at::Tensor types = edge_types(edges);
    const std::vector<std::int32_t> graph_of = graph_of_node();
    for (std::int64_t edge = 0; edge < edges; ++edge) {
      for (const std::int64_t node : {source[edge], target[edge]}) {
        require(node >= 0 && node < nodes_, "edge ", edge, " names node ", node, "; with ", nodes_,
                " nodes ids are 0 to ", nodes_ - 1);
      }
      const auto place = static_cast<std::size_t>(graph_of[static_cast<std::size_t>(source[edge])]);
      require(graph_of[static_cast<std::size_t>(target[edge])] == static_cast<std::int32_t>(place), "the edge ",
              source[edge], " -> ", target[edge], " at place ", edge, " leads from one graph to another");
      Graph& graph = graphs[place];
      graph.source.push_back(static_cast<std::int32_t>(source[edge] - first_node_[place]));
      graph.target.push_back(static_cast<std::int32_t>(target[edge] - first_node_[place]));
      if (weights.defined()) {
        graph.weight.push_back(weights.data_ptr<float>()[edge]);
      }
      if (types.defined()) {
        typed_[place].push_back({static_cast<std::int32_t>(types.data_ptr<std::int64_t>()[edge]), graph.source.back(),
                                 graph.target.back()});
      }
    }
  }

  /// Checked, and named in the truth; undefined where nothing is known.
  at::Tensor edge_types(std::int64_t edges) {
    if (!given_.edge_type.defined()) {
      return {};
    }
    const at::Tensor types = in_memory(given_.edge_type, at::kLong);
    require(types.dim() == 1 && types.size(0) == edges, "edge_type has shape ", types.sizes(),
            "; expected a whole number for each of the ", edges, " edges");
    std::vector<std::string>& names = data_.truth.type_names;
    names = settings_.value("relation_names", std::vector<std::string>());
    const std::int64_t most = edges > 0 ? types.max().item<std::int64_t>() : -1;
    require(edges == 0 || types.min().item<std::int64_t>() >= 0, "edge_type holds ", types.min().item<std::int64_t>(),
            "; types begin with 0");
    require(most < edges, "edge_type holds ", most, ", but there are ", edges, " edges");
    while (static_cast<std::int64_t>(names.size()) <= most) {
      names.push_back(concat("relation_", names.size() + 1));
    }
    typed_.resize(first_node_.size() - 1);
    return types;
  }

  /// Each relation's entries in each graph, once each.
  void set_truth() {
    for (auto& entries : typed_) {
      std::sort(entries.begin(), entries.end());
      entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
      data_.truth.begin_graph();
      std::vector<std::int32_t> sources, targets;
      for (std::size_t entry = 0; entry < entries.size(); ++entry) {
        const auto [type, source, target] = entries[entry];
        sources.push_back(source);
        targets.push_back(target);
        if (entry + 1 == entries.size() || entries[entry + 1][0] != type) {
          data_.truth.add_part(type, sources, targets);
          sources.clear();
          targets.clear();
        }
      }
    }
  }

  /// Undefined where nodes have no features of their own.
  at::Tensor features() const {
    if (!given_.x.defined()) {
      return {};
    }
    const bool types = at::isIntegralType(given_.x.scalar_type(), true) && given_.x.dim() == 1;
    at::Tensor x = in_memory(given_.x, types ? at::kLong : at::kFloat);
    x = x.dim() == 1 && !types ? x.unsqueeze(1) : x;
    require(x.size(0) == nodes_, "x has shape ", x.sizes(), "; expected a row for each of the ", nodes_, " nodes");
    return x;
  }

  /// In-degrees as types, as `data import` has them.
  static at::Tensor in_degrees(const Graph& graph) {
    at::Tensor types = at::zeros({graph.num_nodes}, at::kLong);
    for (const std::int32_t target : graph.target) {
      ++types.data_ptr<std::int64_t>()[target];
    }
    return types;
  }

  void pack_graphs() {
    std::vector<Graph> graphs(first_node_.size() - 1);
    add_edges(graphs);
    const at::Tensor x = features();
    for (std::size_t place = 0; place < graphs.size(); ++place) {
      Graph& graph = graphs[place];
      graph.name = graphs.size() == 1 ? data_.name : concat("graph ", place);
      graph.num_nodes = first_node_[place + 1] - first_node_[place];
      if (settings_.value("self_loops", true)) {
        const std::size_t before = graph.source.size();
        add_self_loops(graph);
        data_.added_self_loops += static_cast<std::int64_t>(graph.source.size() - before);
      }
      graph.features = x.defined() ? x.narrow(0, first_node_[place], graph.num_nodes) : in_degrees(graph);
      if (graph.features.scalar_type() == at::kLong) {
        data_.num_node_types = std::max(data_.num_node_types, graph.features.max().item<std::int64_t>() + 1);
      }
    }
    data_.graphs = make_store(graphs);
    set_truth();
  }

  Task choose_task() const {
    const at::Tensor& y = given_.y;
    if (!y.defined()) {
      return Task::kNone;
    }
    if (settings_.contains("task")) {
      std::string name = settings_.at("task").get<std::string>();
      std::replace(name.begin(), name.end(), '_', '-');
      return task_from_name(name);
    }
    if (y.scalar_type() == at::kBool) {
      return Task::kMultiLabel;
    }
    if (y.is_floating_point()) {
      return Task::kRegression;
    }
    const bool of_nodes = y.size(0) == nodes_, of_graphs = y.size(0) == graphs();
    require(!(of_nodes && of_graphs), "y has ", y.size(0),
            " classes, as many as there are nodes and graphs; give task: node_class or graph_class");
    return of_nodes ? Task::kNodeClass : Task::kGraphClass;
  }

  void set_targets() {
    const at::Tensor& y = given_.y;
    require(y.dim() >= 1 && y.size(0) == items(), "y has shape ", y.sizes(), "; expected a row for each of the ",
            items(), " ", item_name(), "s");
    if (data_.task == Task::kRegression || data_.task == Task::kMultiLabel) {
      data_.targets = in_memory(y, at::kFloat);
      data_.targets = data_.targets.dim() == 1 ? data_.targets.unsqueeze(1) : data_.targets;
      data_.num_outputs = data_.targets.size(1);
      return;
    }
    require(at::isIntegralType(y.scalar_type(), false), "y holds ", y.scalar_type(),
            ", but classes are whole numbers (int64)");
    const at::Tensor classes = in_memory(y, at::kLong).reshape({-1});
    require(classes.numel() == items(), "y has shape ", y.sizes(), "; expected one class for each ", item_name());
    data_.labelled = classes.ge(0);
    data_.targets = classes.clamp_min(0);
    const std::int64_t most = classes.max().item<std::int64_t>() + 1;
    require(most >= 1, "y knows no class of any ", item_name());
    data_.num_outputs = std::max(most, static_cast<std::int64_t>(data_.output_names.size()));
    classes_ = classes;
  }

  bool is_known(std::int64_t item) const { return !data_.labelled.defined() || data_.labelled.data_ptr<bool>()[item]; }

  void set_split() {
    data_.node_split = is_node_task(data_.task);
    if (std::none_of(given_.masks.begin(), given_.masks.end(), [](const at::Tensor& mask) { return mask.defined(); })) {
      draw();
      return;
    }
    const std::array names{"train_mask", "val_mask", "test_mask"};
    const std::array parts{&data_.split.train, &data_.split.validation, &data_.split.test};
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (!given_.masks[part].defined()) {
        continue;
      }
      const at::Tensor mask = in_memory(given_.masks[part], at::kBool);
      require(mask.dim() == 1 && mask.size(0) == items(), names[part], " has shape ", mask.sizes(),
              "; expected one value for each of the ", items(), " ", item_name(), "s");
      for (std::int64_t item = 0; item < items(); ++item) {
        if (mask.data_ptr<bool>()[item]) {
          require(is_known(item), names[part], " holds ", item_name(), " ", item, ", whose class is not known");
          parts[part]->push_back(item);
        }
      }
    }
  }

  void draw() {
    const auto seed = settings_.value("seed", std::uint64_t{0});
    if (!classes_.defined()) {
      draw_split(data_, seed);
      return;
    }
    constexpr std::array kShares{0.8, 0.1, 0.1};
    const std::span<const std::int64_t> classes(classes_.data_ptr<std::int64_t>(),
                                                static_cast<std::size_t>(classes_.numel()));
    data_.split = draw_stratified_split(classes, kShares, seed);
    require(!data_.split.validation.empty(), "only ", data_.split.train.size(), " ", item_name(),
            "s have a class, too few to draw a split; give train_mask and val_mask");
  }

  const GraphTensors& given_;
  const nlohmann::json& settings_;
  std::int64_t nodes_;
  std::vector<std::int64_t> first_node_;                         // of each graph, and the number of nodes
  std::vector<std::vector<std::array<std::int32_t, 3>>> typed_;  // of each graph: type, source and target of its edges
  at::Tensor classes_;  // int64, -1: not known; undefined where nothing is a class
  Dataset data_;
};

}  // namespace

Dataset dataset_of_tensors(const GraphTensors& tensors, const nlohmann::json& settings) {
  return TensorImporter(tensors, settings).run();
}

}  // namespace factorgcn::python
