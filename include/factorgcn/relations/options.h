// What may be chosen about taking relations apart.
#pragma once

#include <cstdint>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API DisentangleOptions {
  int relations = 0;       ///< K; 0: chosen by description length
  int groups = 0;          ///< R, of each relation; 0: chosen by description length
  int most_relations = 6;  ///< to try where K is to be chosen
  int most_groups = 16;    ///< to try where R is to be chosen
  int starts = 0;          ///< 0: as many as the graph's size allows
  int resamples = -1;      ///< of the edges, for certainty; -1: as many as the graph's size allows
  int random_graphs = -1;  ///< to compare with; -1: as many as the graph's size allows
  int ask = 100;           ///< edges to rank for labelling
  std::uint64_t seed = 0;
};

}  // namespace factorgcn
