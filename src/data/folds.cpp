// Folds by class: graphs of a class are shuffled and dealt out in turn. Cost: O(graphs).
#include "factorgcn/data/folds.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

/// Graphs of each class in a drawn order, classes in rising order.
std::map<std::int64_t, std::vector<std::int64_t>> shuffled_classes(std::span<const std::int64_t> graphs,
                                                                   std::span<const std::int64_t> classes,
                                                                   RandomStream& random) {
  std::map<std::int64_t, std::vector<std::int64_t>> groups;
  for (const std::int64_t graph : graphs) {
    groups[classes[static_cast<std::size_t>(graph)]].push_back(graph);
  }
  for (auto& [label, members] : groups) {
    random.shuffle(std::span(members));
  }
  return groups;
}

/// `count` of the graphs, each class in proportion; the largest remainders get what rounding leaves.
std::vector<std::int64_t> draw_stratified(const std::vector<std::int64_t>& graphs, std::int64_t count,
                                          std::span<const std::int64_t> classes, RandomStream& random) {
  const auto groups = shuffled_classes(graphs, classes, random);
  const auto total = static_cast<std::int64_t>(graphs.size());
  std::vector<std::int64_t> chosen;
  std::vector<std::pair<std::int64_t, std::int64_t>> rests;  // (minus the remainder, the class), to sort
  std::map<std::int64_t, std::int64_t> quota;
  std::int64_t given = 0;
  for (const auto& [label, members] : groups) {
    const std::int64_t share = count * static_cast<std::int64_t>(members.size());
    quota[label] = share / total;
    given += share / total;
    rests.emplace_back(-(share % total), label);
  }
  std::sort(rests.begin(), rests.end());
  for (std::size_t index = 0; given < count; ++index, ++given) {
    ++quota[rests[index].second];
  }
  for (const auto& [label, members] : groups) {
    chosen.insert(chosen.end(), members.begin(), members.begin() + quota[label]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

std::int64_t parse_index(std::string_view text, const std::string& where) {
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size() && value >= 0, where, ": found '",
          text.substr(0, 40), "', expected a graph's index from 0");
  return value;
}

}  // namespace

std::vector<int> read_folds(const FileSource& files, std::int64_t graphs, std::span<const std::int64_t> order) {
  constexpr int kFolds = 10;
  std::vector<int> folds(static_cast<std::size_t>(graphs), -1);
  for (int fold = 0; fold < kFolds; ++fold) {
    const std::string name = concat("test_idx-", fold + 1, ".txt");
    const std::string text = files.read_all(name);
    int number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line(text.data() + begin, end - begin);
      begin = end + 1;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
        line.remove_suffix(1);
      }
      if (line.empty()) {
        continue;
      }
      const std::string where = concat(files.origin(), ": ", name, " line ", number);
      std::int64_t graph = parse_index(line, where);
      if (!order.empty()) {
        require(graph < static_cast<std::int64_t>(order.size()), where, ": found ", graph, ", expected 0 .. ",
                order.size() - 1);
        graph = order[static_cast<std::size_t>(graph)];
      }
      require(graph >= 0 && graph < graphs, where, ": found ", graph, ", expected 0 .. ", graphs - 1);
      int& owner = folds[static_cast<std::size_t>(graph)];
      require(owner < 0, where, ": graph ", graph, " is tested in fold ", owner + 1, " already");
      owner = fold;
    }
  }
  return folds;
}

std::vector<int> stratified_folds(std::span<const std::int64_t> classes, int folds, std::uint64_t seed) {
  const auto graphs = static_cast<std::int64_t>(classes.size());
  require_usage(folds >= 2 && folds <= graphs, "folds is ", folds, "; it must be from 2 to the number of graphs, ",
                graphs);
  std::vector<std::int64_t> all(classes.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    all[index] = static_cast<std::int64_t>(index);
  }
  RandomStream random(seed, "folds/stratified");
  std::vector<int> result(classes.size());
  // Dealing goes on from class to class, so folds differ by one graph at most.
  int next = 0;
  for (const auto& [label, members] : shuffled_classes(all, classes, random)) {
    for (const std::int64_t graph : members) {
      result[static_cast<std::size_t>(graph)] = next;
      next = (next + 1) % folds;
    }
  }
  return result;
}

std::vector<int> stratified_folds(const Dataset& dataset, int folds, std::uint64_t seed) {
  const auto* const classes = dataset.targets.data_ptr<std::int64_t>();
  const auto graphs = static_cast<std::size_t>(dataset.targets.numel());
  const Split& split = dataset.split;
  if (split.train.empty() || dataset.node_split) {
    return stratified_folds({classes, graphs}, folds, seed);
  }
  std::vector<std::int64_t> members;
  for (const auto* part : {&split.train, &split.validation, &split.test}) {
    members.insert(members.end(), part->begin(), part->end());
  }
  std::sort(members.begin(), members.end());
  std::vector<std::int64_t> classes_of_members;
  for (const std::int64_t graph : members) {
    classes_of_members.push_back(classes[graph]);
  }
  const std::vector<int> fold_of_member = stratified_folds(classes_of_members, folds, seed);
  std::vector<int> result(graphs, kInNoFold);
  for (std::size_t index = 0; index < members.size(); ++index) {
    result[static_cast<std::size_t>(members[index])] = fold_of_member[index];
  }
  return result;
}

Split fold_split(const Dataset& dataset, std::span<const int> folds, int fold, bool inner_validation,
                 std::uint64_t seed) {
  require_usage(dataset.task == Task::kGraphClass, "data set ", dataset.name, " has a task of kind ",
                task_name(dataset.task), "; folds are for classes of graphs");
  require(static_cast<std::int64_t>(folds.size()) == dataset.graphs.num_graphs(), "data set ", dataset.name, ": ",
          folds.size(), " fold numbers for ", dataset.graphs.num_graphs(), " graphs");
  const int count = *std::max_element(folds.begin(), folds.end()) + 1;
  require_usage(fold >= 0 && fold < count, "fold ", fold + 1, " does not exist; there are ", count);
  Split split;
  for (std::size_t graph = 0; graph < folds.size(); ++graph) {
    if (folds[graph] != kInNoFold) {
      (folds[graph] == fold ? split.test : split.train).push_back(static_cast<std::int64_t>(graph));
    }
  }
  if (inner_validation) {
    const auto* first = dataset.targets.data_ptr<std::int64_t>();
    const std::span<const std::int64_t> classes(first, static_cast<std::size_t>(dataset.targets.numel()));
    RandomStream random(seed, concat("folds/inner validation ", fold));
    const auto wanted = std::min(split.test.size(), split.train.size() / 2);
    split.validation = draw_stratified(split.train, static_cast<std::int64_t>(wanted), classes, random);
    std::vector<std::int64_t> rest;
    std::set_difference(split.train.begin(), split.train.end(), split.validation.begin(), split.validation.end(),
                        std::back_inserter(rest));
    split.train = std::move(rest);
  }
  require_usage(!split.train.empty() && !split.test.empty() && (!inner_validation || !split.validation.empty()),
                "data set ", dataset.name, ": fold ", fold + 1, " leaves ", split.train.size(), " graphs to train on, ",
                split.validation.size(), " to validate and ", split.test.size(), " to test; ask for other folds");
  return split;
}

}  // namespace factorgcn
