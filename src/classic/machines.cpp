// Settings to kernel machines.
#include "classic/machines.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/classic/anonymous_walks.h"
#include "factorgcn/classic/plain_graph.h"
#include "factorgcn/classic/wl_subtree.h"

namespace factorgcn {
namespace {

/// A list of distinct numbers in a range, sorted: simpler choices come first.
std::vector<std::int64_t> read_list(SettingsReader& reader, const std::string& owner, const std::string& name,
                                    const std::vector<std::int64_t>& fallback, std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> list = reader.integers(name, fallback);
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  require_usage(!list.empty() && list.front() >= least && list.back() <= most, owner, ": ", name,
                " must be one or more numbers from ", least, " to ", most);
  return list;
}

}  // namespace

ChoiceOptions read_choice_options(SettingsReader& reader, const std::string& owner) {
  ChoiceOptions options;
  for (const std::int64_t power : read_list(reader, owner, "cost_powers", {-3, -2, -1, 0, 1, 2, 3}, -12, 12)) {
    options.costs.push_back(std::pow(10.0, static_cast<double>(power)));
  }
  options.inner_folds = static_cast<int>(reader.integer("inner_folds", 10, 2, 1000));
  options.tolerance = reader.number("tolerance", options.tolerance, 1e-9, 1);
  return options;
}

std::function<SparseFeatures(std::size_t)> keep_features(std::size_t count,
                                                         std::function<SparseFeatures(std::size_t)> make) {
  auto kept = std::make_shared<std::vector<std::optional<SparseFeatures>>>(count);
  return [kept, make = std::move(make)](std::size_t index) {
    std::optional<SparseFeatures>& own = kept->at(index);
    if (!own) {
      own = make(index);
    }
    return *own;
  };
}

KernelMachine wl_subtree_machine(const Dataset& dataset, const Settings& settings) {
  const std::string owner = "model wl_subtree";
  SettingsReader reader(settings, owner);
  constexpr std::int64_t kMostRounds = 100;
  const std::vector<std::int64_t> rounds = read_list(reader, owner, "rounds", {0, 1, 2, 3, 4, 5}, 0, kMostRounds);
  const NodeLabels labels = node_labels_from_name(reader.text("labels", node_labels_name(usual_labels(dataset))));
  KernelMachine machine;
  machine.choices.kernels = {{.kind = KernelKind::kLinear, .normalised = reader.boolean("normalised", true)}};
  machine.options = read_choice_options(reader, owner);
  reader.finish();

  const auto features =
      std::make_shared<WlFeatures>(wl_features(plain_graphs(dataset, labels), static_cast<int>(rounds.back())));
  for (const std::int64_t count : rounds) {
    machine.choices.names.push_back(concat(count, count == 1 ? " round" : " rounds"));
  }
  machine.choices.make = [features, rounds](std::size_t index) { return features->through(rounds.at(index)); };
  return machine;
}

KernelMachine awl_machine(const Dataset& dataset, const Settings& settings) {
  const std::string owner = "model awl";
  SettingsReader reader(settings, owner);
  const std::vector<std::int64_t> lengths =
      read_list(reader, owner, "lengths", {3, 4, 5, 6, 7}, 1, WalkPatterns::kLongest);
  const std::string kernels = reader.text("kernels", "all");
  const std::vector<std::int64_t> gammas = read_list(reader, owner, "gamma_powers", {-1, 0, 1, 2}, -12, 12);
  const bool normalised = reader.boolean("normalised", true);
  WalkOptions walks;
  walks.epsilon = reader.number("epsilon", walks.epsilon, 1e-4, 10);
  walks.delta = reader.number("delta", walks.delta, 1e-12, 0.999);
  walks.seed = static_cast<std::uint64_t>(reader.integer("walk_seed", 0, 0, std::int64_t{1} << 62));
  KernelMachine machine;
  machine.options = read_choice_options(reader, owner);
  reader.finish();

  const bool all = kernels == "all";
  const KernelKind only = all ? KernelKind::kLinear : kernel_kind_from_name(kernels);
  if (all || only == KernelKind::kLinear) {
    machine.choices.kernels.push_back({.kind = KernelKind::kLinear, .normalised = normalised});
  }
  if (all || only == KernelKind::kPolynomial) {
    machine.choices.kernels.push_back({.kind = KernelKind::kPolynomial, .normalised = normalised, .degree = 2});
  }
  if (all || only == KernelKind::kRbf) {
    for (const std::int64_t power : gammas) {
      machine.choices.kernels.push_back(
          {.kind = KernelKind::kRbf, .normalised = normalised, .gamma = std::pow(10.0, static_cast<double>(power))});
    }
  }
  const auto graphs = std::make_shared<std::vector<PlainGraph>>(plain_graphs(dataset, NodeLabels::kNone));
  for (const std::int64_t length : lengths) {
    machine.choices.names.push_back(concat("walks of ", length, " steps"));
  }
  machine.choices.make = keep_features(lengths.size(), [graphs, lengths, walks](std::size_t index) {
    WalkOptions own = walks;
    own.length = static_cast<int>(lengths.at(index));
    return walk_features(*graphs, own);
  });
  return machine;
}

}  // namespace factorgcn
