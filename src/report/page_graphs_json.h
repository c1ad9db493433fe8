// The graph section in the JSON form of docs/page.md. Internal to report/.
#pragma once

#include <nlohmann/json.hpp>

#include "factorgcn/report/page_graphs.h"

namespace factorgcn {

/// True where the graph is large: its numbers are written packed (report/packed_numbers.h), not as lists.
bool is_packed(const PageSample& sample);

nlohmann::ordered_json graphs_json(const PageFactorGraphs& part);
nlohmann::ordered_json facts_json(const std::vector<PageFact>& facts);

}  // namespace factorgcn
