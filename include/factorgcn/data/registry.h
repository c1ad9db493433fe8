// Data sets by name. A new data set is one source file and one line in data/registry.cpp.
//
// Some are generated; the others are stored in files (shelf/stored.h finds them on this machine). A name that is not
// listed may still be a set of files in the layout of the TU collection: see tu_entry().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"

namespace factorgcn {

/// What a user may choose about generated data. Each data set reads what applies to it and keeps its own published
/// value where nothing is given.
struct FACTORGCN_API DatasetOptions {
  int factors = 4;                         ///< synthetic: predefined graphs in use, 2 .. 6
  std::optional<std::int64_t> train;       ///< number of graphs to train on
  std::optional<std::int64_t> validation;  ///< number of graphs to choose the model on
  std::optional<std::int64_t> test;        ///< number of graphs to report on
  std::uint64_t seed = 0;
};

/// What a generated data set is made of unless a user says otherwise.
struct FACTORGCN_API GeneratedDefaults {
  std::int64_t train = 0, validation = 0, test = 0;
  int factors = 0;  ///< 0 where it has no such choice
};

/// Published sizes of a data set, to check files against; 0 where unknown.
struct FACTORGCN_API DatasetFacts {
  std::int64_t graphs = 0, nodes = 0, undirected_edges = 0;
};

struct FACTORGCN_API DatasetEntry {
  std::string name;       ///< as users type it: "imdb-b"
  std::string file_stem;  ///< "IMDB-BINARY": it lies in IMDB-BINARY.zip or the folder IMDB-BINARY; empty: generated
  std::string summary;    ///< one line for listings
  DatasetFacts facts;
  GeneratedDefaults defaults;
  Dataset (*make)(const DatasetOptions& options) = nullptr;                      ///< where generated
  Dataset (*read)(const FileSource& files, const DatasetEntry& self) = nullptr;  ///< where stored
  bool on_tu_host = false;  ///< the TU collection's public host has FILE_STEM.zip

  bool is_generated() const { return make != nullptr; }
};

/// All listed data sets, in the order in which they are shown.
FACTORGCN_API std::span<const DatasetEntry> dataset_registry();

/// The listed entry of that name or file stem, in any case; nullptr where there is none.
FACTORGCN_API const DatasetEntry* lookup_dataset(std::string_view name);

/// The same. Throws UsageError, with the known names and the nearest one, where there is none.
FACTORGCN_API const DatasetEntry& find_dataset(std::string_view name);

/// An entry for any other data set in the layout of the TU collection, e.g. "PROTEINS". Throws UsageError where the
/// name cannot be a file's: letters, digits, '-', '_' and '.' only, not starting with '.'.
FACTORGCN_API DatasetEntry tu_entry(std::string_view name);

/// Makes and checks a generated data set. Throws UsageError for a stored one.
FACTORGCN_API Dataset make_dataset(std::string_view name, const DatasetOptions& options = {});

}  // namespace factorgcn
