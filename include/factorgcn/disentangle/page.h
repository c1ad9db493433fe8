// The page of a result, for a browser: what the report says, and the graph with its relations to walk through.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "factorgcn/base/export.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/disentangle/outcome.h"
#include "factorgcn/report/page.h"

namespace factorgcn {

FACTORGCN_API Page disentangle_page(const NamedGraph& graph, const DisentangleOutcome& outcome,
                                    const nlohmann::ordered_json& settings);

}  // namespace factorgcn
