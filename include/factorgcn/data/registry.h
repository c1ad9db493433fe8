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
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/file_source.h"
#include "factorgcn/data/protocol_slips.h"

namespace factorgcn {

/// The usual value and the range of a setting that is no whole number.
struct FACTORGCN_API RealRange {
  double usual = 0, least = 0, most = 0;
  bool operator==(const RealRange&) const = default;
};

/// A number that may be chosen about generated data: all that flags, help texts and config.json know of it.
struct FACTORGCN_API GeneratorSetting {
  std::string name;        ///< as in config.json under "data"
  std::int64_t usual = 0;  ///< the published value
  std::int64_t least = 0, most = 0;
  std::string help;                    ///< what it counts: "graphs to train on"
  std::optional<RealRange> real = {};  ///< where set, the number need not be whole, and these stand for the three above
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
  ProtocolSlips slips;  ///< of its published evaluation

  /// Where generated: from the settings, complete and in range.
  Dataset (*make)(const Settings& settings) = nullptr;
  std::vector<GeneratorSetting> settings;  ///< what make() takes, "seed" among them
  std::string relations_setting;           ///< the one that counts the hidden relations; empty where none does

  Dataset (*read)(const FileSource& files, const DatasetEntry& self) = nullptr;  ///< where stored
  bool on_tu_host = false;  ///< the TU collection's public host has FILE_STEM.zip

  bool is_generated() const { return make != nullptr; }
};

/// All listed data sets, in the order in which they are shown.
FACTORGCN_API std::span<const DatasetEntry> dataset_registry();

/// Lists a data set of the program's own. To be called before names are looked up: entries may move. Throws UsageError
/// where the name is taken.
FACTORGCN_API void add_dataset(DatasetEntry entry);

/// The listed entry of that name or file stem, in any case; nullptr where there is none.
FACTORGCN_API const DatasetEntry* lookup_dataset(std::string_view name);

/// The same. Throws UsageError, with the known names and the nearest one, where there is none.
FACTORGCN_API const DatasetEntry& find_dataset(std::string_view name);

/// An entry for any other data set in the layout of the TU collection, e.g. "PROTEINS". Throws UsageError where the
/// name cannot be a file's: letters, digits, '-', '_' and '.' only, not starting with '.'.
FACTORGCN_API DatasetEntry tu_entry(std::string_view name);

/// `given` laid over the usual values of a generated data set. Throws UsageError for unknown names and values out of
/// range.
FACTORGCN_API Settings generator_settings(const DatasetEntry& entry, const Settings& given);

/// Makes and checks a generated data set; what is not given has its usual value. Throws UsageError for a stored one.
FACTORGCN_API Dataset make_dataset(std::string_view name, const Settings& given = {});

}  // namespace factorgcn
