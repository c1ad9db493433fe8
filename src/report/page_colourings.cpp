#include "report/page_colourings.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostTypes = 200;  ///< more kinds of nodes than that are no colouring

}  // namespace

NodeColourings::NodeColourings(const Dataset& dataset, const std::vector<std::string>& names, bool predicted)
    : dataset_(dataset) {
  const auto add = [&](Kind kind, const std::string& name, std::vector<std::string> labels) {
    kinds_.push_back(kind);
    colourings_.push_back({name, std::move(labels)});
  };
  if (dataset.node_split) {
    part_of_.assign(static_cast<std::size_t>(dataset.graphs.num_nodes()), -1);
    const std::vector<std::int64_t>* const parts[] = {&dataset.split.train, &dataset.split.validation,
                                                      &dataset.split.test};
    for (std::size_t part = 0; part < 3; ++part) {
      for (const std::int64_t node : *parts[part]) {
        part_of_[static_cast<std::size_t>(node)] = static_cast<std::int8_t>(part);
      }
    }
  }
  if (is_node_task(dataset.task)) {
    add(Kind::kClass, "class", names);
    if (predicted) {
      add(Kind::kPredicted, "predicted class", names);
      if (!dataset.split.test.empty()) {
        add(Kind::kTest, "right or wrong (test nodes)", {"right", "wrong"});
      }
    }
  }
  if (dataset.num_node_types > 1 && dataset.num_node_types <= kMostTypes) {
    std::vector<std::string> types = dataset.feature_names;
    if (static_cast<std::int64_t>(types.size()) != dataset.num_node_types) {
      types.clear();
      for (std::int64_t type = 0; type < dataset.num_node_types; ++type) {
        types.push_back("type " + std::to_string(type));
      }
    }
    add(Kind::kType, "node type", types);
  }
  if (dataset.node_split) {
    add(Kind::kPart, "part of the data", {"training", "validation", "test"});
  }
}

std::vector<std::vector<std::int32_t>> NodeColourings::colours(std::int64_t first, std::int64_t count,
                                                               const at::Tensor& prediction) const {
  std::vector<std::vector<std::int32_t>> all;
  at::Tensor predicted;
  if (prediction.defined()) {
    predicted = prediction.argmax(1).contiguous();
  }
  const auto part = [&](std::int64_t node) {
    return part_of_.empty() ? 2 : static_cast<int>(part_of_[static_cast<std::size_t>(node)]);
  };
  for (const Kind kind : kinds_) {
    std::vector<std::int32_t> colours(static_cast<std::size_t>(count), -1);
    const bool targets = kind == Kind::kClass || kind == Kind::kTest;
    const std::int64_t* const wanted = targets ? dataset_.targets.data_ptr<std::int64_t>() : nullptr;
    const std::int64_t* const got = predicted.defined() ? predicted.data_ptr<std::int64_t>() : nullptr;
    for (std::int64_t at = 0; at < count; ++at) {
      const std::int64_t node = first + at;
      std::int32_t& colour = colours[static_cast<std::size_t>(at)];
      switch (kind) {
        case Kind::kClass:
          colour = part(node) < 0 ? -1 : static_cast<std::int32_t>(wanted[node]);
          break;
        case Kind::kPredicted:
          colour = static_cast<std::int32_t>(got[at]);
          break;
        case Kind::kTest:
          colour = part(node) != 2 ? -1 : wanted[node] == got[at] ? 0 : 1;
          break;
        case Kind::kPart:
          colour = part(node);
          break;
        case Kind::kType:
          colour = static_cast<std::int32_t>(dataset_.graphs.features.data_ptr<std::int64_t>()[node]);
          break;
      }
    }
    all.push_back(std::move(colours));
  }
  return all;
}

}  // namespace factorgcn
