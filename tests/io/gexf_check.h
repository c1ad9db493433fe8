// Holds a GEXF text against the structure that the format's schema (1.2) asks for: which elements may stand in which,
// attributes that must be there and their types, declared values, ends of edges that are nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace factorgcn {

struct GexfContent {
  std::string error;  ///< the first thing that is not as it must be; empty: all is well
  std::vector<std::string> node_labels;
  std::int64_t edges = 0;
};

GexfContent check_gexf(const std::string& text);

}  // namespace factorgcn
