// Settings are read and checked first, then the split is made from them.
#include "factorgcn/data/split_settings.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/data/folds.h"
#include "factorgcn/data/random_split.h"

namespace factorgcn {
namespace {

constexpr int kPublishedFolds = 10;

std::uint64_t read_seed(SettingsReader& reader) {
  return static_cast<std::uint64_t>(reader.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
}

/// One fold of a cross-validation.
struct FoldChoice {
  int fold = 1, folds = kPublishedFolds;
  std::string kind;
  bool inner_validation = true;
  std::uint64_t seed = 0;

  FoldChoice(const std::string& owner, const std::string& dataset, const Settings& given) {
    SettingsReader reader(given, owner);
    kind = reader.text("fold_kind", published_folds(dataset) ? "published" : "stratified");
    require_usage(kind == "published" || kind == "stratified", owner, ": fold_kind is '", kind,
                  "'; choose published or stratified");
    require_usage(kind != "published" || published_folds(dataset).has_value(), owner,
                  ": no folds were published for it; use fold_kind=stratified");
    const int most = kind == "published" ? kPublishedFolds : 1000;
    folds = static_cast<int>(reader.integer("folds", kPublishedFolds, kind == "published" ? most : 2, most));
    fold = static_cast<int>(reader.integer("fold", 1, 1, folds));
    inner_validation = reader.boolean("inner_validation", true);
    seed = read_seed(reader);
    reader.finish();
  }

  Settings settings() const {
    return {{"fold", std::int64_t{fold}},
            {"folds", std::int64_t{folds}},
            {"fold_kind", kind},
            {"inner_validation", inner_validation},
            {"seed", static_cast<std::int64_t>(seed)}};
  }

  Split split(const Dataset& dataset) const {
    // The seed of a run must not move graphs between its folds: only the inner validation is drawn from it.
    const std::vector<int> list =
        kind == "published" ? *published_folds(dataset.name) : stratified_folds(dataset, folds, /*seed=*/0);
    require(static_cast<std::int64_t>(list.size()) == dataset.graphs.num_graphs(), "data set ", dataset.name, " has ",
            dataset.graphs.num_graphs(), " graphs, but its published folds are for ", list.size(),
            "; use fold_kind=stratified");
    return fold_split(dataset, list, fold - 1, inner_validation, seed);
  }
};

bool asks_for_fold(const Settings& given) {
  return std::any_of(given.begin(), given.end(), [](const auto& entry) { return entry.first.starts_with("fold"); });
}

void check_factors(const std::string& owner, const Settings& given) {
  require_usage(!given.contains("factors"), owner,
                ": --factors is how many relations generated data are made of; the factor graphs of a model are chosen "
                "with --set factors=4,2");
}

}  // namespace

Settings fold_settings(const std::string& owner, const std::string& dataset, const Settings& given) {
  check_factors(owner, given);
  return FoldChoice(owner, dataset, given).settings();
}

ChosenSplit choose_split(const Dataset& dataset, const std::string& owner, const Settings& given) {
  const bool has_split = !dataset.split.train.empty();
  if (dataset.task == Task::kGraphClass && (asks_for_fold(given) || !has_split)) {
    check_factors(owner, given);
    const FoldChoice chosen(owner, dataset.name, given);
    return {chosen.settings(), chosen.split(dataset), dataset.node_split};
  }
  check_factors(owner, given);
  SettingsReader reader(given, owner);
  const std::uint64_t seed = read_seed(reader);
  reader.finish();
  if (has_split || dataset.task == Task::kNone) {
    return {{}, dataset.split, dataset.node_split};  // every run has a seed; here it decides nothing
  }
  Dataset drawn;  // what the draw looks at, and nothing that is long to copy
  drawn.name = dataset.name;
  drawn.task = dataset.task;
  drawn.graphs = dataset.graphs;
  drawn.targets = dataset.targets;
  draw_split(drawn, seed);
  return {{{"seed", static_cast<std::int64_t>(seed)}}, std::move(drawn.split), drawn.node_split};
}

}  // namespace factorgcn
