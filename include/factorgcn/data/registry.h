// Data sets by name. A new data set is one source file and one line in data/registry.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// What a user may choose about a data set. Each data set reads what applies to it and keeps its own published value
/// where nothing is given.
struct FACTORGCN_API DatasetOptions {
  int factors = 4;                         ///< synthetic: predefined graphs in use, 2 .. 6
  std::optional<std::int64_t> train;       ///< number of graphs to train on
  std::optional<std::int64_t> validation;  ///< number of graphs to choose the model on
  std::optional<std::int64_t> test;        ///< number of graphs to report on
  std::uint64_t seed = 0;                  ///< for what is drawn at random: the data or its split
};

struct FACTORGCN_API DatasetEntry {
  std::string_view name;
  std::string_view summary;  ///< one line for listings
  Dataset (*make)(const DatasetOptions& options);
};

/// All data sets, in the order in which they are listed.
FACTORGCN_API std::span<const DatasetEntry> dataset_registry();

/// The entry of that name. Throws UsageError, with the known names and the nearest one, where there is none.
FACTORGCN_API const DatasetEntry& find_dataset(std::string_view name);

/// Makes and checks the data set of that name.
FACTORGCN_API Dataset make_dataset(std::string_view name, const DatasetOptions& options = {});

}  // namespace factorgcn
