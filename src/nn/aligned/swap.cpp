// A graph after the other is drawn, its parts' pairs are collected, sorted and merged.
#include "nn/aligned/swap.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "factorgcn/base/random.h"

namespace factorgcn::aligned {
namespace {

/// A pair of a new graph, and the part it comes from.
struct PlacedPair {
  std::int32_t right, left, part;

  auto operator<=>(const PlacedPair&) const = default;
};

class PartExchange {
 public:
  PartExchange(const PairGraphs& graphs, const at::Tensor& held, const at::Tensor& names, const at::Tensor& labels,
               std::uint64_t seed)
      : count_(labels.size(0)),
        factors_(labels.size(1)),
        nodes_(graphs.graph_offsets.data_ptr<std::int64_t>()),
        first_pair_(graphs.pair_offsets.data_ptr<std::int64_t>()),
        left_(graphs.left.data_ptr<std::int64_t>()),
        right_(graphs.right.data_ptr<std::int64_t>()),
        held_(held.data_ptr<bool>()),
        names_(names.data_ptr<std::int64_t>()),
        labels_(labels.data_ptr<float>()),
        random_(seed, "aligned/swap"),
        donors_(static_cast<std::size_t>(factors_)) {
    for (std::int64_t graph = 0; graph < count_; ++graph) {
      for (std::int64_t part = 0; part < factors_; ++part) {
        if (has(graph, part)) {
          donors_[static_cast<std::size_t>(part)].push_back(graph);
        }
      }
    }
    for (std::int64_t part = 0; part < factors_; ++part) {
      if (!donors_[static_cast<std::size_t>(part)].empty()) {
        known_.push_back(part);
      }
    }
  }

  NewGraphs draw() {
    at::Tensor offsets = at::empty({count_ + 1}, at::TensorOptions().dtype(at::kLong));
    auto* const offset = offsets.data_ptr<std::int64_t>();
    offset[0] = 0;
    for (std::int64_t graph = 0; graph < count_; ++graph) {
      offset[graph + 1] = offset[graph] + draw_graph(graph, offset[graph]);
    }
    NewGraphs result;
    result.graphs = connect_pairs(pairs_, offsets);
    const auto pairs = static_cast<std::int64_t>(pairs_.size());
    result.parts = at::zeros({pairs, factors_}, at::TensorOptions().dtype(at::kFloat));
    for (const std::int64_t place : places_) {
      result.parts.data_ptr<float>()[place] = 1.0F;
    }
    return result;
  }

 private:
  bool has(std::int64_t graph, std::int64_t part) const { return labels_[graph * factors_ + part] > 0; }

  /// Appends a graph whose nodes begin at `first`, with as many parts as graph `model`; how many nodes it has.
  std::int64_t draw_graph(std::int64_t model, std::int64_t first) {
    const std::int64_t labels = std::count_if(labels_ + model * factors_, labels_ + (model + 1) * factors_,
                                              [](float label) { return label > 0; });
    random_.shuffle(std::span(known_));
    chosen_.clear();
    std::int64_t nodes = 1;
    for (std::int64_t index = 0; index < labels; ++index) {
      const auto& donors = donors_[static_cast<std::size_t>(known_[static_cast<std::size_t>(index)])];
      chosen_.push_back(donors[random_.below(donors.size())]);
      nodes = std::max(nodes, nodes_[chosen_.back() + 1] - nodes_[chosen_.back()]);
    }
    placed_.clear();
    places_of_nodes_.resize(static_cast<std::size_t>(nodes));
    for (std::int64_t index = 0; index < labels; ++index) {
      std::iota(places_of_nodes_.begin(), places_of_nodes_.end(), static_cast<std::int32_t>(first));
      random_.shuffle(std::span(places_of_nodes_));
      place_part(chosen_[static_cast<std::size_t>(index)], known_[static_cast<std::size_t>(index)]);
    }
    std::sort(placed_.begin(), placed_.end());
    append_placed();
    return nodes;
  }

  void place_part(std::int64_t donor, std::int64_t part) {
    const std::int64_t factor = names_[donor * factors_ + part];
    for (std::int64_t pair = first_pair_[donor]; pair < first_pair_[donor + 1]; ++pair) {
      if (held_[pair * factors_ + factor]) {
        const std::int32_t one = places_of_nodes_[static_cast<std::size_t>(left_[pair] - nodes_[donor])];
        const std::int32_t other = places_of_nodes_[static_cast<std::size_t>(right_[pair] - nodes_[donor])];
        placed_.push_back({std::max(one, other), std::min(one, other), static_cast<std::int32_t>(part)});
      }
    }
  }

  void append_placed() {
    for (std::size_t index = 0; index < placed_.size(); ++index) {
      const PlacedPair& each = placed_[index];
      if (index == 0 || each.right != placed_[index - 1].right || each.left != placed_[index - 1].left) {
        pairs_.push_back({each.left, each.right, 0.0F});
      }
      pairs_.back().multiplicity += 1.0F;
      places_.push_back(static_cast<std::int64_t>(pairs_.size() - 1) * factors_ + each.part);
    }
  }

  std::int64_t count_, factors_;
  const std::int64_t *nodes_, *first_pair_, *left_, *right_;
  const bool* held_;
  const std::int64_t* names_;
  const float* labels_;
  RandomStream random_;
  std::vector<std::vector<std::int64_t>> donors_;  ///< by label
  std::vector<std::int64_t> known_;                ///< labels that have donors; the first ones are a graph's
  std::vector<std::int64_t> chosen_;               ///< their donors
  std::vector<std::int32_t> places_of_nodes_;
  std::vector<PlacedPair> placed_;
  std::vector<NodePair> pairs_;
  std::vector<std::int64_t> places_;  ///< where parts are 1
};

}  // namespace

NewGraphs exchange_parts(const PairGraphs& graphs, const at::Tensor& held, const at::Tensor& names,
                         const at::Tensor& labels, std::uint64_t seed) {
  return PartExchange(graphs, held, names, labels, seed).draw();
}

}  // namespace factorgcn::aligned
