// Cross-validation: which graphs are tested in which fold, and the split that follows.
//
// A fold list gives each graph the number of the fold that tests it, from 0, or -1 where none does: such graphs train
// in every fold. Graphs with kInNoFold are left out: neither trained on nor tested.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"

namespace factorgcn {

inline constexpr int kInNoFold = -2;

/// The ten folds published for a data set (mutag, imdb-b, collab), in the order of the TU files; nothing for others.
/// MUTAG's leave 8 graphs that no fold tests.
FACTORGCN_API std::optional<std::vector<int>> published_folds(std::string_view dataset);

/// Fold lists as they were published: test_idx-1.txt .. test_idx-10.txt, graph indices from 0, one a line. `order` maps
/// those indices to the data set's own (MUTAG's were made for another order of its graphs); empty: they are the same.
FACTORGCN_API std::vector<int> read_folds(const FileSource& files, std::int64_t graphs,
                                          std::span<const std::int64_t> order = {});

/// Folds with equal shares of each class, drawn from the seed. Throws UsageError unless 2 <= folds <= graphs.
FACTORGCN_API std::vector<int> stratified_folds(std::span<const std::int64_t> classes, int folds, std::uint64_t seed);

/// The same for a data set of classes of graphs: where it has a split of graphs, those in none of its parts are left
/// out (graphs without a label, say).
FACTORGCN_API std::vector<int> stratified_folds(const Dataset& dataset, int folds, std::uint64_t seed);

/// Fold `fold` (from 0) is tested. With inner validation, as many graphs as it holds are taken from the others, with
/// equal shares of each class and drawn from the seed, to choose the model on; the rest trains. Without, all others
/// train and the validation part is empty. Throws UsageError where the fold does not exist or a part would be empty.
FACTORGCN_API Split fold_split(const Dataset& dataset, std::span<const int> folds, int fold, bool inner_validation,
                               std::uint64_t seed);

}  // namespace factorgcn
