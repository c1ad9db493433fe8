// PATTERN: stochastic block models with one of a hundred patterns hidden in each graph; which nodes belong to it?
//
// A pattern has 5 to 34 nodes, joined at random with probability 0.5, each with a signal in {0, 1, 2}. A graph has five
// communities of 5 to 34 nodes, joined with probability 0.5 inside and 0.35 across, signals uniform; its pattern is
// joined to every other node with probability 0.5, and all nodes are shuffled. Target: 1 on the pattern's nodes.
#pragma once

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct DatasetEntry;

struct FACTORGCN_API PatternOptions {
  std::int64_t patterns = 100;  ///< graph i of each split holds pattern i modulo this
  std::int64_t train = 10000;
  std::int64_t validation = 2000;
  std::int64_t test = 2000;
  std::uint64_t seed = 0;
};

/// The same data for the same options on every machine. Cost: about 5,900 edges a graph, so 700 MB for all 14,000.
FACTORGCN_API Dataset make_pattern(const PatternOptions& options);

/// The data set by name, with the settings that may be chosen (data/registry.h).
FACTORGCN_API DatasetEntry pattern_entry();

}  // namespace factorgcn
