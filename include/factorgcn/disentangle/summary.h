// An outcome in numbers, as summary.json has it. What is not known is null.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "factorgcn/base/export.h"
#include "factorgcn/data/named_graph.h"
#include "factorgcn/disentangle/outcome.h"

namespace factorgcn {

FACTORGCN_API nlohmann::ordered_json summary_json(const NamedGraph& graph, const DisentangleOutcome& outcome,
                                                  const nlohmann::ordered_json& settings);

}  // namespace factorgcn
